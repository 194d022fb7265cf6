// On Apple's systems `import MediaPlayer` shows AVFoundation and Foundation, and ported sources rely on it.
@_exported public import AVMedia
@_exported public import Foundation
@_exported public import SystemSounds
