// The modules that show this one show AVFAudio and CoreMedia, too, as `import AVFoundation` does on Apple's systems.
@_exported public import AVFAudio
@_exported public import CoreMedia
