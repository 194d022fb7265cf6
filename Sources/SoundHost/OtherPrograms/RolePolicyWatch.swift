internal import PulseClient
internal import SessionPolicy

/// A watch for a session manager's policy for roles that cuts off the session's output: WirePlumber 0.5, during a call.
///
/// The server takes the stream's link away and says nothing to its client: sound that is started stands still. The session is
/// interrupted then, and the interruption ends when the policy lets the stream play.
///
/// A stream has no device for some milliseconds after its start, so it counts as cut off after ``patience``.
///
/// Use it with the main loop's lock held.
final class RolePolicyWatch {
    private let directory: StreamDirectory
    private let output: () -> UInt32?
    private let report: (HostEvent) -> Void
    /// Whether the session was told that it is cut off.
    private var isTold = false
    private lazy var timer = MainloopTimer(mainloop: directory.mainloop) { [weak self] in self?.tell() }
    /// The time without a device after which a stream is cut off.
    private static let patience = Duration.milliseconds(200)

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - directory: The streams.
    ///   - output: The server's index of the session's output.
    ///   - report: Called with interruptions of the cause ``InterruptionCause/serverPolicy``.
    init(directory: StreamDirectory, output: @escaping () -> UInt32?, report: @escaping (HostEvent) -> Void) {
        self.directory = directory
        self.output = output
        self.report = report
    }

    /// Evaluates the streams after a change of the directory.
    func look() {
        guard directory.state == .current else { return timer.cancel() }
        let (stream, rule) = standing
        guard rule?.action == .cork else {
            timer.cancel()
            if isTold {
                isTold = false
                report(.interruptionEnded(.serverPolicy, shouldResume: true))
            }
            return
        }
        // A paused stream misses nothing.
        guard stream?.isCorked == false else { return timer.cancel() }
        if !timer.isRunning { timer.start(after: Self.patience) }
    }

    private func tell() {
        let (stream, rule) = standing
        guard let rule, rule.action == .cork, stream?.isCorked == false else { return }
        isTold = true
        report(.interruptionBegan(.serverPolicy, by: InterruptionOrigin(rule.ruler)))
    }

    /// The session's output, and what rules over it.
    private var standing: (stream: ServerStream?, rule: RolePolicy.Rule?) {
        let policy = directory.roleSinks.policy
        guard !policy.targets.isEmpty, let index = output(), let stream = directory.playbackStream(at: index) else {
            return (nil, nil)
        }
        return (stream, policy.rule(over: stream, among: directory.streams))
    }
}
