internal import AudioHost
internal import PulseClient
package import SessionPolicy

/// A watch for calls and alarms of other programs, which interrupt the session for as long as they last.
///
/// ``ForeignCallRules`` defines what counts as a call; the watch evaluates it after each change on the server. The directory
/// must run for as long as an interruption lasts, because a stopped one reports no end.
///
/// Use it with the main loop's lock held.
package final class ForeignCallWatch {
    private let directory: StreamDirectory
    private var rules: ForeignCallRules
    private let participants: () -> [Participant]
    private let newcomers: () -> Set<UInt32>
    private let report: (HostEvent) -> Void
    /// Called after each evaluation.
    var onLook: () -> Void = {}
    private var history = ForeignCallHistory()
    private var observation: StreamDirectory.Observation?
    private lazy var timer = MainloopTimer(mainloop: directory.mainloop) { [weak self] in self?.look() }

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - directory: The streams. Calls that run when it becomes current do not interrupt, except newcomers.
    ///   - policy: The user's settings.
    ///   - participants: All participants, this process included.
    ///   - newcomers: The playback streams that are known to have started before the directory became current.
    ///   - report: Called with interruptions of the cause ``InterruptionCause/foreignCall``, with the loop's lock held; a
    ///     second call begins another one.
    package init(
        directory: StreamDirectory, policy: UserPolicy, participants: @escaping () -> [Participant],
        newcomers: @escaping () -> Set<UInt32> = { [] }, report: @escaping (HostEvent) -> Void
    ) {
        self.directory = directory
        self.rules = ForeignCallRules(policy: policy)
        self.participants = participants
        self.newcomers = newcomers
        self.report = report
        observation = directory.onChange { [weak self] in self?.look() }
        look()
    }

    /// Stops the watch without a report.
    package func stop() {
        timer.cancel()
        if let observation { directory.remove(observation) }
        observation = nil
    }

    /// The call that refuses the activation of record, playAndRecord and multiRoute; nil if there is none.
    package var blocksInput: InterruptionOrigin? { history.current?.origin }

    /// Whether a call that began while the session was active is in progress.
    var isInterrupting: Bool { history.isInterrupting }

    /// Whether calls that only ring are ignored.
    package var ignoresRinging: Bool {
        get { rules.ignoresRinging }
        set {
            rules.ignoresRinging = newValue
            look()
        }
    }

    /// Evaluates the streams after a change of the participants.
    package func participantsChanged() { look() }

    /// Notes an activation of the session: the calls that are in progress now do not interrupt it any more.
    package func sessionActivated() { history.sessionActivated() }

    private func look() {
        guard observation != nil, directory.state == .current else {
            timer.cancel()
            history = ForeignCallHistory()
            return
        }
        let now = MonotonicClock.seconds
        let calls = rules.calls(among: directory.streams, participants: participants())
        let events = history.observe(calls, newcomers: newcomers(), at: now)
        timer.cancel()
        if let next = history.nextLook { timer.start(after: .seconds(next - now)) }
        for event in events { report(event) }
        onLook()
    }
}
