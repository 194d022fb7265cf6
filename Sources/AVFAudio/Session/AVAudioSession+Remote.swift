internal import AudioSession
internal import SessionPolicy

// The session's interface for the module MediaPlayer.

extension AVAudioSession {
    /// Whether a player or recorder of the session runs.
    package var isIORunning: Bool { core.isIORunning }

    /// Whether an interruption is in progress.
    package var isInterrupted: Bool { core.standing == .interrupted }

    /// The handler of the first start of a player or recorder, and of the last stop; must not block.
    package var soundHandler: (@Sendable () -> Void)? {
        get { relay.soundHandler }
        set { relay.soundHandler = newValue }
    }

    /// Prevents the interruption in progress from ending with `shouldResume`, because the user asked the app to pause.
    ///
    /// Any thread; without an interruption it has no effect.
    package func forbidResuming() { core.received(.resumingForbidden) }
}
