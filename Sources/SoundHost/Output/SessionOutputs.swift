internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The session's two outputs: a deep one, for sounds that can be decoded again, and a short one, for sounds that are made
/// as they are heard.
///
/// Each has a stream of its own, with the same role, gain, silences and sink. The deep one, as the usual one, answers what
/// is asked about the output; the short one does so while only that is heard.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class SessionOutputs: @unchecked Sendable {
    /// The deep output: that of players.
    let players: OutputRouter
    /// The short output: that of engines.
    let engines: OutputRouter

    private var all: [OutputRouter] { [players, engines] }

    /// - Parameter make: Makes an output with an amount of sound ahead of the listener, whose numbers are those of both.
    init(_ make: (OutputBuffer, OutputNumbers) -> OutputRouter) {
        let numbers = OutputNumbers()
        players = make(OutputBuffer(), numbers)
        engines = make(.live, numbers)
    }

    // MARK: Connection

    /// Takes over what watches a new connection; the policy watch is nil on PipeWire.
    func attach(_ monitor: OtherProgramsMonitor, _ watch: ServerPolicyWatch?) {
        for output in all { output.attach(monitor, watch) }
    }

    /// Forgets the streams: their server is gone.
    func connectionLost() { for output in all { output.connectionLost() } }

    // MARK: State

    /// The output whose facts are those of the session.
    private var main: OutputRouter { engines.isRunning && !players.isRunning ? engines : players }

    /// Whether any voice plays or is suspended.
    var isRunning: Bool { all.contains { $0.isRunning } }

    /// The output with the given number; nil where it has gone.
    func output(number: Int) -> OutputMix? { players.output(number: number) ?? engines.output(number: number) }

    /// The stream in use, and the sink that it is on, or is to play on; nil for what is not known.
    var streamInUse: (stream: UInt32?, sink: UInt32?) {
        let use = main.streamInUse
        return use.stream == nil ? engines.streamInUse : use
    }

    /// The output for measurements, a dead one too.
    var measured: OutputMix? { main.measured ?? engines.measured }

    /// The buffer of the output for measurements.
    var buffer: OutputBuffer { players.buffer }

    /// The clock that players share, in seconds.
    var deviceTime: Double { players.deviceTime }

    /// The number of underruns of both outputs.
    var underruns: Int { all.reduce(0) { $0 + ($1.measured?.underruns ?? 0) } }

    /// The number of the silences of both outputs.
    var silenceNumber: Int { all.reduce(0) { $0 + $1.silenceNumber } }

    // MARK: Opening and changing

    /// Opens an output as ``OutputRouter/begin(role:on:isAssigned:)`` does.
    func begin(_ request: OutputRequest) throws(PulseError) -> OutputMix {
        guard request.isLive else {
            return try players.begin(role: request.role, on: request.sink, isAssigned: request.isAssigned)
        }
        return try engines.begin(role: request.role, on: nil, isAssigned: false)
    }

    /// Replaces the streams by ones with another role; throws the first error.
    func change(role: StreamRole?) throws(SessionError) {
        var failure: SessionError?
        for output in all {
            do throws(SessionError) { try output.change(role: role) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Moves the streams to another sink; nil for the server's default.
    func move(to sink: String?, _ facts: RouteFacts) { for output in all { output.move(to: sink, facts) } }

    /// Ramps the gain.
    func apply(_ fade: SessionVolume.Fade) { for output in all { output.apply(fade) } }

    /// Takes over the app's device preferences.
    func setDevicePreferences(_ preferences: DevicePreferences) {
        for output in all { output.setDevicePreferences(preferences) }
    }

    /// Requests the buffers that result from the app's preference and those of other sessions.
    func applyBuffer() { for output in all { output.applyBuffer() } }

    /// Says whether the category plays on several sinks, which only players can.
    func setUsesSides(_ uses: Bool) { players.setUsesSides(uses) }

    // MARK: Stopping

    /// Pauses all voices at once, as ``OutputRouter/stop(interrupting:)`` does.
    func stop(interrupting: Bool) { for output in all { output.stop(interrupting: interrupting) } }

    /// Lets voices play again after an interruption.
    func sessionActivated() { for output in all { output.sessionActivated() } }

    /// Closes the streams, after 0.25 s at most for each output that plays.
    func close() { for output in all { output.close() } }

    // MARK: Losing a sink

    /// Silences the outputs until the app has been notified, for 1 s at most.
    func hold() { for output in all { output.hold() } }

    /// Ends the silences for a loss, after the app's observers have returned.
    ///
    /// - Parameter number: The value of ``silenceNumber`` at that loss; each later loss has another one.
    func release(silence number: Int) { if number == silenceNumber { release() } }

    /// Ends the silences for a loss after which the route is the same.
    func release() { for output in all { output.release() } }

    /// Handles a change or the end of a sink.
    func sinkChanged(_ event: SubscriptionEvent) { for output in all { output.sinkChanged(event) } }

    /// Silences what is heard on sinks that have lost their connectors.
    func connectorsLost(of sinks: Set<String>) { for output in all { output.connectorsLost(of: sinks) } }

    /// Handles the return of PipeWire's session manager.
    func managerReturned() { for output in all { output.managerReturned() } }
}
