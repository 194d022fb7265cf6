package import AudioHost
internal import AudioSession
internal import SessionPolicy

// What `AudioToolbox` needs of the session for system sounds, which share its connection.

extension AVAudioSession {
    /// What plays short sounds on the session's server; connects, without activating the session.
    ///
    /// Blocks for at most two seconds; throws what ``setActive(_:options:)`` throws without a server.
    package func systemSounds() throws -> any ShortSounds {
        guard core.standing != .lost else {
            throw NSError(SessionError(.mediaServicesFailed, "The sound server is gone."))
        }
        do throws(SessionError) { return try core.connected().shortSoundPlayer } catch { throw NSError(error) }
    }

    /// Whether system sounds may be heard now: not while the session is interrupted, and while it records only if
    /// allowed.
    package var permitsSystemSounds: Bool {
        switch core.standing {
        case .interrupted, .lost: return false
        case .active where core.settings.category == .record: return allowHapticsAndSystemSoundsDuringRecording
        case .active, .inactive: return allowHapticsAndSystemSoundsDuringRecording || !core.isCapturing
        }
    }
}
