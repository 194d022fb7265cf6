import AVFAudio

/// The session in a program's life, common to all programs.
extension Program {
    /// Sets the session's category and activates it, which may interrupt others.
    ///
    /// The category is set each time because a restart of the server resets it to the default.
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

    /// Deactivates the session and notifies the interrupted sessions that they can resume.
    package func deactivate() {
        try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        events.emit("inactive")
    }
}
