// On Apple's systems `import MediaPlayer` brings Foundation along, and ported sources rely on it.
@_exported public import Foundation
