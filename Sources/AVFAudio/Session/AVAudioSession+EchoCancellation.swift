internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// Echo cancellation for recordings. The modes voiceChat and videoChat request it by themselves.

extension AVAudioSession {
    /// Requests recordings without the echo of played sound, for category playAndRecord with mode default.
    ///
    /// Any thread; returns at once. The request takes effect from the next recording on, where
    /// ``isEchoCancelledInputAvailable``. Throws `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPrefersEchoCancelledInput(_:)`.
    public func setPrefersEchoCancelledInput(_ value: Bool) throws {
        try prefer { $0.echoCancelledInput = value }
    }

    /// The value of ``setPrefersEchoCancelledInput(_:)``; initially false.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.prefersEchoCancelledInput`.
    public var prefersEchoCancelledInput: Bool { core.preferences.echoCancelledInput }

    /// Whether a recording of the session has an echo-cancelled source; false while nothing is prepared or recorded.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; false without one.
    ///
    /// Apple: `AVAudioSession.isEchoCancelledInputEnabled`.
    public var isEchoCancelledInputEnabled: Bool {
        guard core.standing != .lost else { return false }
        return (try? core.ask { host throws(SessionError) in try host.echoCancellation().isActive }) ?? false
    }

    /// Whether the sound server can remove echo and the category and mode may request it: playAndRecord with mode
    /// default, voiceChat or videoChat.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; false without one.
    ///
    /// Apple: `AVAudioSession.isEchoCancelledInputAvailable`.
    public var isEchoCancelledInputAvailable: Bool {
        guard core.settings.processing(prefersEchoCancelled: true) == .voice, core.standing != .lost else {
            return false
        }
        return (try? core.ask { host throws(SessionError) in try host.echoCancellation().isAvailable }) ?? false
    }
}

extension SessionSettings {
    /// The processing of a microphone's sound that mode and preference request.
    func processing(prefersEchoCancelled: Bool) -> CaptureRequest.Processing {
        switch mode {
        case .measurement: .none
        case .voiceChat, .videoChat: .voice
        case .default where category == .playAndRecord && prefersEchoCancelled: .voice
        default: .usual
        }
    }
}
