/// The hint that secondary audio should be silenced, as last reported to the session.
///
/// An end is reported after a delay: PipeWire shows a stream as corked for a moment while it relinks it.
struct ReportedHint: Sendable {
    /// Whether the main sound of a program outside the library is heard.
    var isForeignMainSoundHeard = false
    /// The last hint that was reported.
    private var last = false
    /// Whether ``ClaimTimer/silence`` runs.
    private var isSettling = false

    /// Clears the hint after the loss of the server.
    mutating func disconnected() {
        isForeignMainSoundHeard = false
        last = false
    }

    /// Takes a hint without a report.
    mutating func learn(_ hint: Bool) { last = hint }

    /// The report of a hint after new verdicts, if it is new; an end that is being delayed is not reported.
    mutating func report(_ hint: Bool) -> ClaimEffect? { !isSettling || hint ? change(to: hint) : nil }

    /// The report of a hint after the delay, if it is new.
    mutating func settled(_ hint: Bool) -> ClaimEffect? {
        isSettling = false
        return change(to: hint)
    }

    /// The effects of a hint after a program outside the library has begun or ended; reports it only if `isNews`.
    mutating func heard(_ hint: Bool, isNews: Bool) -> [ClaimEffect] {
        if !isNews || hint {
            isSettling = false
            let report = isNews ? change(to: hint) : nil
            last = hint
            return [.cancel(.silence)] + (report.map { [$0] } ?? [])
        }
        guard last, !isSettling else { return [] }
        isSettling = true
        return [.start(.silence, seconds: ForeignCallHistory.settling)]
    }

    private mutating func change(to hint: Bool) -> ClaimEffect? {
        guard hint != last else { return nil }
        last = hint
        return .report(.secondaryAudioHint(hint))
    }
}
