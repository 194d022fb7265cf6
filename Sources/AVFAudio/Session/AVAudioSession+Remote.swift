internal import AudioSession
internal import SessionPolicy

// What the module MediaPlayer needs of the session.

extension AVAudioSession {
    /// Whether a player or recorder of the session runs.
    package var isIORunning: Bool { core.isIORunning }

    /// Whether an interruption lasts.
    package var isInterrupted: Bool { core.standing == .interrupted }

    /// Told when the first player or recorder runs, and when none does any more; must not block.
    package var soundHandler: (@Sendable () -> Void)? {
        get { relay.soundHandler }
        set { relay.soundHandler = newValue }
    }

    /// Somebody asked the app to pause: the interruption that lasts now ends without `shouldResume`.
    ///
    /// Without an interruption nothing changes. May be called on any thread.
    package func forbidResuming() { core.received(.resumingForbidden) }
}
