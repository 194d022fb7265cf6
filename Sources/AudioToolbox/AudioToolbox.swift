// The names that `import AudioToolbox` shows on Apple's systems: of System Sound Services and Core Audio. A module of its
// own, as AVFoundation is (docs/decisions/0090).
@_exported public import SystemSounds
