// The names that `import AVFoundation` shows on Apple's systems: of assets, players and items; of AVFAudio, CoreMedia and
// Foundation, which AVMedia shows; and of AudioToolbox. A module of its own, since a module that is shown by another one
// cannot be renamed by the app (docs/decisions/0090).
@_exported public import AVMedia
@_exported public import SystemSounds
