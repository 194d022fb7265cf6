// On Apple's systems `import AVFAudio` brings Foundation along, and ported sources rely on it: they name URL, Data,
// NotificationCenter and TimeInterval without importing anything else. Dispatch's constants come the same way.
@_exported public import DispatchNames
@_exported public import Foundation
