// On Apple's systems `import AVKit` shows AVFoundation, and half of the apps that import AVKit import nothing else for
// their players. AVKit's own names are views, which this package does not have.
@_exported public import AVMedia
@_exported public import SystemSounds
