// On Apple's systems `import AVFoundation` re-exports AVFAudio and CoreMedia.
@_exported public import AVFAudio
@_exported public import CoreMedia
