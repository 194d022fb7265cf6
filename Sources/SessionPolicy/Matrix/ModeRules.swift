extension Category {
    /// The modes that this category allows.
    ///
    /// | mode | allowed with |
    /// |---|---|
    /// | default | every category |
    /// | voiceChat, videoChat, gameChat | playAndRecord |
    /// | videoRecording | record, playAndRecord |
    /// | measurement | playback, record, playAndRecord |
    /// | moviePlayback, shortFormVideo | playback |
    /// | spokenAudio | playback, playAndRecord |
    /// | voicePrompt | every category that is heard |
    /// | dualRoute | multiRoute |
    ///
    /// Apple: `AVAudioSession.availableModes`.
    package var allowedModes: [Mode] { Mode.allCases.filter { $0.isAllowed(in: self) } }
}

extension Mode {
    /// Whether a category allows this mode; the table is at `Category.allowedModes`.
    func isAllowed(in category: Category) -> Bool {
        switch self {
        case .default: true
        case .voiceChat, .videoChat, .gameChat: category == .playAndRecord
        case .videoRecording: category == .record || category == .playAndRecord
        case .measurement: category == .playback || category == .record || category == .playAndRecord
        case .moviePlayback, .shortFormVideo: category == .playback
        case .spokenAudio: category == .playback || category == .playAndRecord
        case .voicePrompt: category.allowsOutput
        case .dualRoute: category == .multiRoute
        }
    }
}
