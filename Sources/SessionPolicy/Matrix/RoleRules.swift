extension SessionSettings {
    /// The role of the session's playback stream; `nil` where the category has no sound at all.
    ///
    /// | category | mode | role |
    /// |---|---|---|
    /// | ambient, soloAmbient | any | game |
    /// | playback | default, spokenAudio | music |
    /// | playback | moviePlayback, shortFormVideo | video |
    /// | playback | voicePrompt | a11y |
    /// | playback | measurement | production |
    /// | playAndRecord | a call (`isCall`) | phone |
    /// | playAndRecord | gameChat, or mixable | game |
    /// | playAndRecord, record, multiRoute | otherwise | production |
    /// | audioProcessing | – | `nil` |
    ///
    /// PulseAudio: `media.role` of the sink input.
    package var role: StreamRole? {
        switch category {
        case .ambient, .soloAmbient: .game
        case .playback: playbackRole
        case .playAndRecord where isCall: .phone
        case .playAndRecord where mode == .gameChat || isMixable: .game
        case .playAndRecord, .record, .multiRoute: .production
        case .audioProcessing: nil
        }
    }

    /// The role of the session's capture stream; `nil` where the category captures nothing.
    ///
    /// Conversations have the role phone, by which the server may switch a Bluetooth headset to its microphone profile.
    /// All others have production, because that switch would reduce the quality of the user's music.
    ///
    /// PulseAudio: `media.role` of the source output.
    package var captureRole: StreamRole? {
        guard allowsInput else { return nil }
        return mode.isConversation ? .phone : .production
    }

    private var playbackRole: StreamRole {
        switch mode {
        case .moviePlayback, .shortFormVideo: .video
        case .voicePrompt: .a11y
        case .measurement: .production
        default: .music
        }
    }
}
