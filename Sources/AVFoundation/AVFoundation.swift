// On Apple's systems `import AVFoundation` brings the whole of AVFAudio and CoreMedia along.
@_exported public import AVFAudio
@_exported public import CoreMedia
