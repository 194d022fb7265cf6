import AVFAudio

/// The session's part of a program's life, the same for all of them.
extension Program {
    /// Gives the session its meaning and activates it, which may interrupt others.
    ///
    /// The category is set each time because a restart of the server puts it back to the default.
    package func activate(_ options: SessionChoice, default fallback: CategoryWord) throws {
        let session = AVAudioSession.sharedInstance()
        try options.configure(session, default: fallback)
        try session.setActive(true)
        events.emit(
            "active",
            [
                "category": .string(options.category(default: fallback).rawValue),
                "mode": .string(options.mode.rawValue),
            ])
    }

    /// Deactivates the session and tells those whom it interrupted that they may go on.
    package func deactivate() {
        try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        events.emit("inactive")
    }
}
