internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// The echo of what the app plays, in what its microphone hears. Modes voiceChat and videoChat ask for its removal by
// themselves.

extension AVAudioSession {
    /// Asks for recordings without the echo of what is played, in category playAndRecord with mode default.
    ///
    /// It counts from the next recording on, where ``isEchoCancelledInputAvailable``. Throws `mediaServicesFailed` while the sound
    /// server is lost.
    ///
    /// Apple: `AVAudioSession.setPrefersEchoCancelledInput(_:)`.
    public func setPrefersEchoCancelledInput(_ value: Bool) throws {
        try prefer { $0.echoCancelledInput = value }
    }

    /// What was asked for with ``setPrefersEchoCancelledInput(_:)``; at first false.
    ///
    /// Apple: `AVAudioSession.prefersEchoCancelledInput`.
    public var prefersEchoCancelledInput: Bool { core.preferences.echoCancelledInput }

    /// Whether what is recorded at the moment really comes from a source without echo; false while nothing is prepared
    /// or recorded.
    ///
    /// Asks the sound server, for at most two seconds; false without one.
    ///
    /// Apple: `AVAudioSession.isEchoCancelledInputEnabled`.
    public var isEchoCancelledInputEnabled: Bool {
        guard core.standing != .lost, let host = try? core.connected() else { return false }
        return (try? host.echoCancellation().isActive) ?? false
    }

    /// Whether the sound server can remove echo, and the category and the mode are those that may ask for it:
    /// playAndRecord with mode default, voiceChat or videoChat.
    ///
    /// Asks the sound server, for at most two seconds; false without one.
    ///
    /// Apple: `AVAudioSession.isEchoCancelledInputAvailable`.
    public var isEchoCancelledInputAvailable: Bool {
        guard core.settings.processing(prefersEchoCancelled: true) == .voice, core.standing != .lost,
            let host = try? core.connected()
        else { return false }
        return (try? host.echoCancellation().isAvailable) ?? false
    }
}

extension SessionSettings {
    /// What may be done to the sound of a microphone.
    func processing(prefersEchoCancelled: Bool) -> CaptureRequest.Processing {
        switch mode {
        case .measurement: .none
        case .voiceChat, .videoChat: .voice
        case .default where category == .playAndRecord && prefersEchoCancelled: .voice
        default: .usual
        }
    }
}
