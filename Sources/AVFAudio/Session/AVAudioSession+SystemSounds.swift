package import AudioHost
internal import AudioSession
internal import SessionPolicy

// The session's interface for `AudioToolbox`: system sounds share its connection.

extension AVAudioSession {
    /// The player of short sounds on the session's server; connects, without activating the session.
    ///
    /// Waits for 2 s at most. Throws `mediaServicesFailed` without a server.
    package func systemSounds() throws -> any ShortSounds {
        guard core.standing != .lost else {
            throw NSError(SessionError(.mediaServicesFailed, "The sound server is gone."))
        }
        do throws(SessionError) { return try core.connected().shortSoundPlayer } catch { throw NSError(error) }
    }

    /// Whether system sounds may be heard: not during an interruption, and during a recording only if the app allowed
    /// it.
    package var permitsSystemSounds: Bool {
        switch core.standing {
        case .interrupted, .lost: return false
        case .active where core.settings.category == .record: return allowHapticsAndSystemSoundsDuringRecording
        case .active, .inactive: return allowHapticsAndSystemSoundsDuringRecording || !core.isCapturing
        }
    }
}
