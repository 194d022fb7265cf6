/// What it means that an app muted its own output.
///
/// | session | muting its output |
/// |---|---|
/// | `playAndRecord` in a mode other than `default` | not possible; a change to such a mode unmutes |
/// | mode `shortFormVideo` | possible; while muted, the session mixes with others, so that nobody's music stops for a video that nobody hears |
/// | any other | possible; it interrupts others as before |
///
/// Apple: `AVAudioSession.setOutputMuted(_:)`, `AVAudioSession.Mode.shortFormVideo`.
extension SessionSettings {
    /// Whether the session's output may be muted.
    package var allowsMutedOutput: Bool { category != .playAndRecord || mode == .default }

    /// What others are told of the session.
    package func claimed(isOutputMuted: Bool) -> SessionSettings {
        guard isOutputMuted, mode == .shortFormVideo, !isMixable else { return self }
        let mixing = try? SessionSettings.validated(
            category: category, mode: mode, options: options.union(.mixWithOthers), policy: policy)
        return mixing ?? self
    }
}
