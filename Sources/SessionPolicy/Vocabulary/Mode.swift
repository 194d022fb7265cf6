/// The mode of a session, a variant of its category.
///
/// Which category allows which mode is `Category.allowedModes`.
///
/// Apple: `AVAudioSession.Mode`, with the same raw strings.
package enum Mode: String, CaseIterable, Sendable {
    /// No variant; the default.
    case `default` = "AVAudioSessionModeDefault"
    /// Two-way voice: echo cancellation, routes fit for voice.
    case voiceChat = "AVAudioSessionModeVoiceChat"
    /// Voice chat that a game framework keeps.
    case gameChat = "AVAudioSessionModeGameChat"
    /// Sound of a film being shot.
    case videoRecording = "AVAudioSessionModeVideoRecording"
    /// Measuring: as little processing as possible.
    case measurement = "AVAudioSessionModeMeasurement"
    /// Sound of a film being watched.
    case moviePlayback = "AVAudioSessionModeMoviePlayback"
    /// Two-way video: as voice chat, and through the speaker.
    case videoChat = "AVAudioSessionModeVideoChat"
    /// Continuous speech, which pauses for prompts instead of being ducked.
    case spokenAudio = "AVAudioSessionModeSpokenAudio"
    /// Short spoken prompts over other sound.
    case voicePrompt = "AVAudioSessionModeVoicePrompt"
    /// Short videos in a feed.
    case shortFormVideo = "AVAudioSessionModeShortFormVideo"
    /// Two routes at once, one built in and one accessory.
    case dualRoute = "AVAudioSessionModeDualRoute"

    /// Whether the mode is a two-way conversation, with voice processing.
    package var isConversation: Bool { self == .voiceChat || self == .videoChat }

    /// The options that the mode implies, whatever the app asked for.
    ///
    /// | mode | brings |
    /// |---|---|
    /// | voiceChat | allowBluetoothHFP |
    /// | videoChat | allowBluetoothHFP, defaultToSpeaker |
    package var impliedOptions: CategoryOptions {
        switch self {
        case .voiceChat: .allowBluetoothHFP
        case .videoChat: [.allowBluetoothHFP, .defaultToSpeaker]
        default: []
        }
    }

    /// The case's name as it is spelled in Swift and on the command line.
    package var name: String { swiftName(of: rawValue, after: "AVAudioSessionMode") }
}
