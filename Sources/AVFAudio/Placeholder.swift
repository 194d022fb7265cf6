/// The session of a process; its members are elsewhere.
// SAFETY: it has no state yet.
open class AVAudioSession: NSObject, @unchecked Sendable {}

/// Plays one sound; its members are elsewhere.
// SAFETY: it has no state yet.
open class AVAudioPlayer: NSObject, @unchecked Sendable {}

/// Records one sound; its members are elsewhere.
// SAFETY: it has no state yet.
open class AVAudioRecorder: NSObject, @unchecked Sendable {}
