// On Apple's systems `import AVFAudio` provides Foundation, and ported sources rely on it: they name URL, Data,
// NotificationCenter and TimeInterval without another import. The same holds for Dispatch's constants, and for the macro
// `@Observable`, which Foundation shows on Apple's systems, and not on Linux.
@_exported public import DispatchNames
@_exported public import Foundation
@_exported public import Observation
