extension RouteSharingPolicy {
    /// Throws `badParam` with the first rule that this policy breaks.
    ///
    /// | policy | category | modes | options |
    /// |---|---|---|---|
    /// | default | any | any | any |
    /// | longFormAudio, longFormVideo | playback | default, moviePlayback, spokenAudio | none |
    /// | independent | only the system may set it | | |
    ///
    /// Apple: the remarks at `AVAudioSession.RouteSharingPolicy`.
    func check(category: Category, mode: Mode, options: CategoryOptions) throws(SessionError) {
        if self == .independent {
            throw SessionError(.badParam, "The route sharing policy independent is set by the system, not by an app.")
        }
        guard isLongForm else { return }
        guard category == .playback else {
            throw SessionError(.badParam, "The route sharing policy \(self) requires the category playback.")
        }
        guard mode == .default || mode == .moviePlayback || mode == .spokenAudio else {
            throw SessionError(.badParam, "The route sharing policy \(self) does not allow the mode \(mode.name).")
        }
        guard options.isEmpty else {
            throw SessionError(.badParam, "The route sharing policy \(self) allows no category options.")
        }
    }
}
