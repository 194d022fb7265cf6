/// The effect of an app's muting its own output.
///
/// | session | muting its output |
/// |---|---|
/// | `playAndRecord` in a mode other than `default` | not possible; a change to such a mode unmutes |
/// | mode `shortFormVideo` | possible; while muted, the session mixes with others, so that no music stops for a silent video |
/// | any other | possible; it interrupts others as before |
///
/// Apple: `AVAudioSession.setOutputMuted(_:)`, `AVAudioSession.Mode.shortFormVideo`.
extension SessionSettings {
    /// Whether the session's output may be muted.
    package var allowsMutedOutput: Bool { category != .playAndRecord || mode == .default }

    /// The settings of the session's claim.
    package func claimed(isOutputMuted: Bool) -> SessionSettings {
        guard isOutputMuted, mode == .shortFormVideo, !isMixable else { return self }
        let mixing = try? SessionSettings.validated(
            category: category, mode: mode, options: options.union(.mixWithOthers), policy: policy)
        return mixing ?? self
    }
}
