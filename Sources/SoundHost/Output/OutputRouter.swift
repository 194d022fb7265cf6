internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The session's outputs: creates their streams, keeps each on its sink, and keeps them silent from the loss of a sink
/// until the app has been notified.
///
/// Functions that throw block the caller until the server has answered, for 2 s at most unless they say otherwise.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class OutputRouter: @unchecked Sendable {
    /// The time in which a session manager links the streams that it finds.
    private static let linking = Duration.milliseconds(500)
    /// The silence behind a sound, in seconds: PipeWire plays whole blocks only, and this is more than its longest one.
    private static let tail = 0.5

    private let link: ServerLink
    private let board: ClaimBoard
    private let placement: DevicePlacement
    private let policy: UserPolicy
    private let report: (HostEvent) -> Void
    private let onRunning: () -> Void
    /// The amount of sound ahead of the listener, where the app has no preference.
    private let depth: OutputBuffer
    /// The numbers of the host's outputs.
    private let numbers: OutputNumbers
    private lazy var sides = SideOutputs(
        link: link, makeMix: { [weak self] in self?.makeMix(on: $0, for: $1, role: $2) },
        makeStream: { [weak self] connection, format in
            guard let self else { return nil }
            return makeStream(on: connection, role: role, format: format)
        },
        mainTime: { [weak self] in self?.output?.deviceTime }, report: report, onRunning: onRunning)
    private var monitor: OtherProgramsMonitor?
    private var watch: ServerPolicyWatch?
    /// The main output; nil before the first sound, and after it was closed.
    private var output: OutputMix? { didSet { restingClock = oldValue?.clock ?? restingClock } }
    /// The device time of the last output, which the next one continues.
    private var restingClock: OutputClock?
    /// The role of the output's stream.
    private var role: StreamRole?
    /// Whether a thread waits for the output's stream to be made; the lock is not held meanwhile.
    private var isOpening = false
    /// Runs after a session manager has returned, until the output is linked.
    private var linkTimer: MainloopTimer?
    /// Reports in a moment that the output has ended.
    private var endingTimer: MainloopTimer?
    /// The index of the output's stream.
    private var streamIndex: UInt32?
    /// The output's sink, as the server last reported it.
    private var sinkIndex: UInt32? { didSet { placedAt = monitor?.directory.defaultSinkChanges ?? 0 } }
    /// The number of changes of the default sink at that report.
    private var placedAt = 0
    private var devicePreferences = DevicePreferences()
    private var gain: Float = 1
    /// Whether players must stay silent until the session is active again.
    private var isInterrupted = false
    private var silence = RouteSilence()
    private var mainloop: Mainloop { link.mainloop }

    /// - Parameters:
    ///   - link: The session's connection.
    ///   - board: The session's claim.
    ///   - placement: Decides on sinks.
    ///   - policy: Says whether streams have roles.
    ///   - report: Reports streams that were killed.
    ///   - depth: The amount of sound ahead of the listener, where the app has no preference.
    ///   - numbers: The numbers of the host's outputs.
    ///   - onRunning: Called when the first voice begins, and when the last one ends.
    init(
        link: ServerLink, board: ClaimBoard, placement: DevicePlacement, policy: UserPolicy, depth: OutputBuffer,
        numbers: OutputNumbers, report: @escaping (HostEvent) -> Void, onRunning: @escaping () -> Void
    ) {
        self.link = link
        self.board = board
        self.placement = placement
        self.policy = policy
        self.depth = depth
        self.numbers = numbers
        self.report = report
        self.onRunning = onRunning
    }

    /// Takes over what watches a new connection; the policy watch is nil on PipeWire.
    func attach(_ monitor: OtherProgramsMonitor, _ watch: ServerPolicyWatch?) {
        self.monitor = monitor
        self.watch = watch
        sides.attach(monitor)
    }

    /// Forgets the streams: their server is gone.
    func connectionLost() {
        (monitor, watch) = (nil, nil)
        output = nil
        (streamIndex, sinkIndex) = (nil, nil)
        sides.connectionLost()
        linkTimer = nil
        isInterrupted = false
    }

    // MARK: State

    private var all: [OutputMix] { [output].compactMap { $0 } + sides.all }

    /// The output with the given number; nil where it has gone.
    func output(number: Int) -> OutputMix? { all.first { $0.number == number } }

    /// Whether any voice plays or is suspended.
    var isRunning: Bool { all.contains { $0.isInUse } }

    /// The main output, if there is one; its stream may still be connecting.
    var current: OutputMix? { output.flatMap { $0.phase == .dead ? nil : $0 } }

    /// The output for measurements, a dead one too.
    var measured: OutputMix? { output }

    /// The time of the output in seconds, see ``OutputMix/deviceTime``; it goes on while there is none, and is 0 before
    /// the first.
    var deviceTime: Double { output?.deviceTime ?? restingClock?.now(heard: 0) ?? 0 }

    /// The output's stream, and the sink that it is on, or is to play on; nil for what is not known.
    ///
    /// PipeWire does not report the sink of a corked stream. It counts as where it was, or as on the default sink if that
    /// has changed since: a corked stream goes there when it plays.
    var streamInUse: (stream: UInt32?, sink: UInt32?) {
        let isDefault = placement.decidedSink == nil && monitor?.directory.defaultSinkChanges != placedAt
        return (streamIndex, isDefault ? nil : sinkIndex)
    }

    // MARK: Opening

    /// Creates the output stream with the given role if there is none, and replaces a stream of another role.
    ///
    /// The stream may still be connecting: voices can be created for it, and play after ``OutputMix/awaitStream()``.
    ///
    /// It runs at the sink's rate and with its channels, unless the app preferred others.
    ///
    /// - Parameters:
    ///   - role: The role that servers are told.
    ///   - sink: One of several that are played on at once, on which a stream of its own follows the main one; nil for
    ///     the main one.
    ///   - isAssigned: Whether channels of the sink are meant one by one: an output that was moved there, with the
    ///     channels of another one, gets a stream with those of this one.
    func begin(role: StreamRole?, on sink: String?, isAssigned: Bool) throws(PulseError) -> OutputMix {
        // The lock is released while the server is asked: one thread at a time.
        _ = mainloop.wait(timeout: .seconds(2)) { !isOpening }
        isOpening = true
        defer {
            isOpening = false
            mainloop.signal()
        }
        let main = try beginMain(role: role, isAssigned: isAssigned && sink == nil)
        guard let sink else { return main }
        try main.awaitStream()
        // Also if the main output is on that sink: that one follows the user's default, and this one stays.
        let side = try sides.open(role: role, on: sink)
        // The role may have changed while the stream was created.
        side.setGain(gain, seconds: 0)
        return side
    }

    private func beginMain(role: StreamRole?, isAssigned: Bool) throws(PulseError) -> OutputMix {
        guard let output, output.phase != .dead else { return try makeOutput(role: role) }
        if try isOutgrown(output) {
            output.close()
            return try makeOutput(role: role)
        }
        let isRight = try role == self.role ? isPlaced(output) : false
        let other = isAssigned ? try otherPlace(of: output) : nil
        if !isRight || other != nil {
            try output.awaitStream()
            try replaceStream(of: output, role: role, on: other)
        }
        return output
    }

    /// The sink for an output, and the format of its stream there, if the sink has other channels.
    private func otherPlace(of output: OutputMix) throws(PulseError) -> (sink: String?, format: OutputMix.Format)? {
        let (sink, info) = try place(of: output)
        let format = OutputMix.Format(rate: output.format.rate, positions: channels(on: info.map.positions))
        return format == output.format ? nil : (sink, format)
    }

    /// The sink for an output, by its name, nil for the default one, and by what the server says of it.
    private func place(of output: OutputMix) throws(PulseError) -> (name: String?, sink: Sink) {
        try output.awaitStream()
        let connection = try link.readyConnection()
        let sink = try sinkToOpen(on: connection)
        let info = try connection.sinkInfo(sink)
        guard sink == nil, let device = output.deviceName, device != info.name else { return (sink, info) }
        // The user has moved the stream in a mixer.
        return (device, try connection.sinkInfo(device))
    }

    /// Whether a silent output of sounds that are made anew has another rate or other channels than its sink.
    private func isOutgrown(_ output: OutputMix) throws(PulseError) -> Bool {
        guard depth == .live, !output.isInUse else { return false }
        return try format(on: place(of: output).sink) != output.format
    }

    /// Whether an output is on its sink.
    ///
    /// An output that was created before the devices were watched is not moved. After the first look at them a silent
    /// output may be changing its sink with a stream that is not ready yet: the old one stays silent until then.
    private func isPlaced(_ output: OutputMix) throws(PulseError) -> Bool {
        let sink: String?
        if placement.isWatched {
            sink = output.isInUse ? nil : placement.decidedSink
        } else {
            sink = placement.mayChooseSink ? try sinkToOpen(on: link.readyConnection()) : nil
        }
        return sink == nil || (output.requestedSink ?? output.deviceName) == sink
    }

    private func sinkToOpen(on connection: PulseConnection) throws(PulseError) -> String? {
        try placement.sinkToOpen(on: connection, sinkInUse: output?.deviceName)
    }

    /// Creates an output whose stream is connecting.
    private func makeOutput(role: StreamRole?) throws(PulseError) -> OutputMix {
        let connection = try link.readyConnection()
        let sink = try sinkToOpen(on: connection)
        let mix = makeMix(on: connection, for: try connection.sinkInfo(sink), role: role)
        mix.handlers.onEvent = { [weak self, weak mix] event in
            guard let mix else { return }
            self?.received(event, of: mix)
        }
        if let clock = output?.clock ?? restingClock { mix.clock = OutputClock(rate: mix.format.rate, after: clock) }
        try mix.open(sink: sink)
        (output, self.role) = (mix, role)
        return mix
    }

    /// Creates a mix for a sink; its stream is not connected yet.
    private func makeMix(on connection: PulseConnection, for sink: Sink, role: StreamRole?) -> OutputMix {
        let format = format(on: sink)
        let stream = makeStream(on: connection, role: role, format: format)
        let mix = OutputMix(
            stream: stream, format: format, buffer: buffer, tail: link.isPipeWire ? Self.tail : 0)
        mix.number = numbers.next()
        mix.handlers.isSessionInterrupted = { [weak self] in self?.isInterrupted == true }
        mix.handlers.mayStart = { [weak self] in self?.watch?.silencesStart() != true }
        mix.handlers.onRunning = { [weak self] _ in self?.onRunning() }
        mix.setGain(gain, seconds: 0)
        return mix
    }

    /// The format of a stream for a sink: the sink's, unless the app preferred another one.
    private func format(on sink: Sink) -> OutputMix.Format {
        OutputMix.Format(
            rate: devicePreferences.streamRate(on: sink.spec.map { Int($0.rate) } ?? 48000),
            positions: channels(on: sink.map.positions))
    }

    /// Creates a stream that is not connected yet.
    func makeStream(on connection: PulseConnection, role: StreamRole?, format: OutputMix.Format) -> PlaybackStream {
        let identity = AppIdentity.current
        var properties = identity.streamProperties(role: policy.setsRoles ? role : nil, name: identity.name)
        // PipeWire's graph may follow one stream's preference, and forgets it with the stream.
        if devicePreferences.sampleRate > 0 { properties["node.rate"] = "1/\(format.rate)" }
        return PlaybackStream(
            connection: connection, name: identity.name, spec: format.spec,
            map: ChannelMap(format.positions), properties: properties)
    }

    // MARK: Changing

    /// Replaces the output stream, if there is one, by one with another role; playback continues at the same frame.
    ///
    /// If the new stream cannot be created, its voices end as if the stream had been killed, and that is reported.
    func change(role: StreamRole?) throws(SessionError) {
        guard let mix = mainloop.withLock({ output }) else { return }
        do {
            try link.request { () throws(PulseError) in
                try begin(role: role, on: nil, isAssigned: false).awaitStream()
            }
        } catch {
            mainloop.withLock { if mix.phase == .dead { ended(mix.voicesLostWithStream) } }
            throw error
        }
    }

    /// Replaces the stream: servers read a role when a stream is created.
    private func replaceStream(
        of output: OutputMix, role: StreamRole?, on other: (sink: String?, format: OutputMix.Format)? = nil
    ) throws(PulseError) {
        output.awaitReplacement()
        // Without this, threads would wait for a stream that could not be created.
        defer { output.keepStream() }
        _ = mainloop.wait(timeout: .milliseconds(500)) { output.isSettled }
        watch?.streamDisappeared(streamIndex)
        let connection = try link.readyConnection()
        let sink = if let other { other.sink } else { try sinkToOpen(on: connection) }
        let format = other?.format ?? output.format
        output.replaceStream(makeStream(on: connection, role: role, format: format), format: format)
        try output.open(sink: sink)
        try output.awaitStream()
        self.role = role
    }

    /// Interrupts voices that have lost their stream without having been paused.
    private func ended(_ voices: [OutputVoice]) {
        // A lost connection is reported by itself.
        guard !voices.isEmpty, (try? link.readyConnection()) != nil else { return }
        for voice in voices { voice.onInterrupted() }
        // Later: the caller is changing the session.
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            self?.endingTimer = nil
            self?.report(.interruptionBegan(.streamKilled))
        }
        timer.start(after: .zero)
        endingTimer = timer
    }

    /// Moves the output to another sink; nil for the server's default.
    ///
    /// - Parameter facts: The server's devices.
    func move(to sink: String?, _ facts: RouteFacts) {
        guard let output, let connection = try? link.readyConnection() else { return }
        let isThere =
            if let sink {
                (output.deviceName ?? output.requestedSink) == sink
            } else {
                // A stream that has lost its sink is where the server put it.
                !facts.sinks.contains { $0.device == output.requestedSink }
            }
        guard !isThere else { return output.forgetSuccessor() }
        output.relocate(to: sink, with: makeStream(on: connection, role: role, format: output.format))
    }

    /// Ramps the gain of all outputs.
    func apply(_ fade: SessionVolume.Fade) {
        gain = fade.gain
        for output in all { output.setGain(fade.gain, seconds: fade.seconds) }
    }

    /// Takes over the app's device preferences: the buffer changes at once, rate and channels with the next output.
    func setDevicePreferences(_ preferences: DevicePreferences) {
        devicePreferences = preferences
        applyBuffer()
    }

    /// Requests the buffer that results from the app's preference and those of other sessions.
    func applyBuffer() {
        let buffer = buffer
        for output in all where output.buffer != buffer { output.setBuffer(buffer) }
    }

    /// The buffer of an output.
    var buffer: OutputBuffer {
        let yields = board.id.map { board.arbitration.yieldsDevices($0) } ?? false
        return depth.with(device: devicePreferences.deviceBuffer(otherwise: depth.device, yielding: yields))
    }

    /// The channels to ask for on a device, which are its first ones; one alone is for both ears.
    private func channels(on device: [ChannelMap.Position]) -> [ChannelMap.Position] {
        switch devicePreferences.outputChannels {
        case 0: device
        case 1: [.mono]
        case let count: Array(device.prefix(count))
        }
    }

    /// Says whether the category plays on several sinks.
    func setUsesSides(_ uses: Bool) { sides.setIsUsed(uses) }

    // MARK: Stopping

    /// Pauses all voices at once; `interrupting` notifies their owners of an interruption, and keeps new ones silent until
    /// ``sessionActivated()``.
    func stop(interrupting: Bool) {
        if interrupting { isInterrupted = true }
        for output in all { output.silence(interrupting: interrupting) }
    }

    /// Lets voices play again after an interruption.
    func sessionActivated() { isInterrupted = false }

    /// Closes the streams, after 0.25 s at most.
    func close() {
        let old = all
        for output in old { output.silence() }
        output = nil
        // Kept for the time after the close.
        placement.forgetSink()
        sides.forgetAll()
        // Positions must be exact before the stream that knows them goes away.
        if !mainloop.isOnLoop { _ = mainloop.wait(timeout: .milliseconds(250)) { old.allSatisfy(\.isSettled) } }
        for output in old { output.close() }
    }

    // MARK: Losing a sink

    /// The number of the silence to which a route change that is reported now belongs.
    var silenceNumber: Int { silence.number }

    /// Ends the silence for a loss, after the app's observers have returned.
    ///
    /// - Parameter number: The number of that silence; a later one belongs to another loss, and stays.
    func release(silence number: Int) { if number == silence.number { release() } }

    /// Ends the silence for a loss after which the route is the same.
    func release() {
        silence.timer = nil
        output?.resumeAfterRouteChange()
    }

    /// Handles a change or the end of a sink; if it was the output's, the output is silent for now.
    func sinkChanged(_ event: SubscriptionEvent) {
        if event.change == .remove, event.index == sinkIndex { hold() }
    }

    /// Silences what is heard on sinks that have lost their connectors.
    func connectorsLost(of sinks: Set<String>) {
        sides.close(on: sinks)
        // With several outputs the others have lost nothing.
        if !sides.isUsed || output?.deviceName.map(sinks.contains) != false { hold() }
    }

    /// Silences the output until the app has been notified, for 1 s at most.
    ///
    /// The server has already switched to another sink when the event comes. The move that a loss causes may be reported
    /// after the loss.
    func hold(isLoss: Bool = true) {
        output?.silenceForRouteChange()
        silence.begin(isLoss: isLoss, on: mainloop) { [weak self] in self?.release() }
    }

    /// Handles the return of PipeWire's session manager: an output that it does not link soon gets another stream.
    ///
    /// WirePlumber 0.4.13 does not link streams that are older than itself.
    func managerReturned() { awaitLink(attempts: 3) }

    private func awaitLink(attempts: Int) {
        linkTimer = nil
        guard attempts > 0 else { return }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.renewUnlinked(attempts: attempts) }
        timer.start(after: Self.linking)
        linkTimer = timer
    }

    private func renewUnlinked(attempts: Int) {
        linkTimer = nil
        guard let output, let connection = try? link.readyConnection(),
            let stream = streamIndex.flatMap({ monitor?.directory.sinkInputs[$0] }), stream.sink == nil
        else { return }
        let sink = placement.decidedSink ?? AppIdentity.environment("PULSE_SINK")
        output.relocate(to: sink, with: makeStream(on: connection, role: role, format: output.format))
        // The server names no sink of a corked stream.
        if output.isInUse { awaitLink(attempts: attempts - 1) }
    }

    private func moved(_ mix: OutputMix) {
        let old = sinkIndex
        sinkIndex = mix.stream.sync { $0.device?.index }
        monitor?.routes.streamMoved()
        guard mix.isSilencedForRoute else { return }
        hold(isLoss: false)
        guard let old, old != sinkIndex, let connection = try? link.readyConnection() else { return release() }
        connection.sync { asking in
            asking.sink(at: old) { [weak self] answer in
                // The user chose another sink: the old one is still there, with its connector.
                if case .success(let sink) = answer, sink.isPluggedIn { self?.release() }
            }
        }
    }

    // MARK: Events

    private func received(_ event: StreamEvent, of mix: OutputMix) {
        switch event {
        case .stateChanged(.ready): becameReady(mix)
        case .stateChanged(.failed(let error)):
            if output === mix { output = nil }
            watch?.streamDisappeared(streamIndex)
            mainloop.signal()
            // A lost connection is reported by the connection.
            if error.code == .killed {
                link.findEnd(ofStreamOn: sinkIndex) { [weak self] in self?.report(.interruptionBegan($0)) }
            }
        case .stateChanged(.closed): watch?.streamDisappeared(streamIndex)
        case .moved:
            watch?.streamMoved(streamIndex)
            moved(mix)
        case .server(let name): watch?.streamAsked(name)
        default: break
        }
    }

    private func becameReady(_ mix: OutputMix) {
        // The stream may have replaced another one, on another sink.
        watch?.streamDisappeared(streamIndex)
        (streamIndex, sinkIndex) = mix.stream.sync { ($0.index, $0.device?.index) }
        monitor?.routes.streamAppeared()
        let stream = mix.stream
        guard let watch else { return mix.becameReady(stream) }
        watch.streamAppeared(stream.sync { $0.index }) { [weak mix, weak stream] in
            if let stream { mix?.becameReady(stream) }
        }
    }
}

/// The numbers of a host's outputs, each of which has its own.
///
/// Used with the main loop's lock held.
final class OutputNumbers {
    private var last = 0

    /// The number of a new output, counted from 1.
    func next() -> Int {
        last += 1
        return last
    }
}

/// The silence of an output from the loss of its sink until the app's observers have returned.
private struct RouteSilence {
    /// The longest silence after a loss, in seconds.
    private static let longest = 1.0

    /// The number of the silence, counted from 1.
    var number = 0
    /// The timer that ends an overdue silence; nil without a silence.
    var timer: MainloopTimer?

    mutating func begin(isLoss: Bool, on mainloop: Mainloop, ended: @escaping @Sendable () -> Void) {
        if isLoss || timer == nil { number += 1 }
        let timer = MainloopTimer(mainloop: mainloop) { ended() }
        timer.start(after: .seconds(Self.longest))
        self.timer = timer
    }
}

extension Sink {
    /// Whether the server has a sink for the stream.
    var isPluggedIn: Bool { ports.first { $0.name == activePort }?.availability != .no }
}

extension OutputMix {
    /// Waits until the stream is ready, for 1.5 s at most; throws if it could not be created.
    func awaitStream() throws(PulseError) {
        _ = stream.mainloop.wait(timeout: .milliseconds(1500)) { phase != .opening }
        switch phase {
        case .opening:
            close()
            throw PulseError(.timeout, in: "pa_stream_connect_playback")
        case .dead:
            if case .failed(let error) = stream.sync({ $0.state }) { throw error }
            throw PulseError(.unknown, in: "pa_stream_connect_playback")
        case .corked, .running, .settling: break
        }
    }
}

extension PulseConnection {
    /// Requests a sink; nil for the default one.
    nonisolated func sinkInfo(_ name: String?) throws(PulseError) -> Sink {
        try sync { connection throws(PulseError) in
            try connection.answerAndWait("pa_context_get_sink_info_by_name") {
                connection.sink(named: name ?? "@DEFAULT_SINK@", completion: $0)
            }
        }
    }
}
