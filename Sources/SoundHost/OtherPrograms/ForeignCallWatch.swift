internal import AudioHost
internal import PulseClient
package import SessionPolicy

/// Notices calls and alarms of programs outside the library, and interrupts the session for as long as they last.
///
/// What counts as one is the word of ``ForeignCallRules``; this only looks, whenever something changed on the server.
/// The directory is to be kept running for as long as an interruption lasts: a stopped one tells of no end.
// SAFETY: only touched with the main loop's lock held.
package final class ForeignCallWatch: @unchecked Sendable {
    private let directory: StreamDirectory
    private var rules: ForeignCallRules
    private let participants: () -> [Participant]
    private let report: (HostEvent) -> Void
    /// Told after each look.
    var onLook: () -> Void = {}
    private var history = ForeignCallHistory()
    private var observation: StreamDirectory.Observation?
    private lazy var timer = MainloopTimer(mainloop: directory.mainloop) { [weak self] in self?.look() }

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - directory: The streams; what runs when it becomes current does not interrupt.
    ///   - policy: The user's wishes.
    ///   - participants: All who take part, this process included.
    ///   - report: Told of interruptions with the cause ``InterruptionCause/foreignCall``, with the loop's lock held; a
    ///     second call is another began.
    package init(
        directory: StreamDirectory, policy: UserPolicy, participants: @escaping () -> [Participant],
        report: @escaping (HostEvent) -> Void
    ) {
        self.directory = directory
        self.rules = ForeignCallRules(policy: policy)
        self.participants = participants
        self.report = report
        observation = directory.onChange { [weak self] in self?.look() }
        look()
    }

    /// Ends the watch, silently.
    package func stop() {
        timer.cancel()
        if let observation { directory.remove(observation) }
        observation = nil
    }

    /// Who keeps record, playAndRecord and multiRoute from being activated; `nil` if nobody does.
    package var blocksInput: InterruptionOrigin? { history.current?.origin }

    /// Whether a call that began under the session lasts.
    var isInterrupting: Bool { history.isInterrupting }

    /// Whether calls that only ring do not count yet.
    package var ignoresRinging: Bool {
        get { rules.ignoresRinging }
        set {
            rules.ignoresRinging = newValue
            look()
        }
    }

    /// Looks again, because somebody takes part now, or does not any more.
    package func participantsChanged() { look() }

    /// The session was activated: the calls that run now, and it knew of, do not interrupt it any more.
    package func sessionActivated() { history.sessionActivated() }

    private func look() {
        guard observation != nil, directory.state == .current else {
            timer.cancel()
            history = ForeignCallHistory()
            return
        }
        let now = MonotonicClock.seconds
        let calls = rules.calls(among: directory.streams, participants: participants())
        let events = history.observe(calls, at: now)
        timer.cancel()
        if let next = history.nextLook { timer.start(after: .seconds(next - now)) }
        for event in events { report(event) }
        onLook()
    }
}
