internal import PulseClient
internal import SessionPolicy

/// The outputs on further sinks at the same time, for multiRoute: each has a mix and a stream of its own, and follows the
/// main output's clock.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class SideOutputs: @unchecked Sendable {
    /// How long a stream may take to come back to its sink, in seconds.
    private static let returning = 2.0

    private let link: ServerLink
    private let makeMix: (PulseConnection, Sink, StreamRole?) -> OutputMix?
    private let makeStream: (PulseConnection, OutputMix.Format) -> PlaybackStream?
    private let mainTime: () -> Double?
    private let report: (HostEvent) -> Void
    private let onRunning: () -> Void
    private var monitor: OtherProgramsMonitor?
    /// The outputs by the names of their sinks.
    private var outputs: [String: OutputMix] = [:]
    /// Whether the category plays on several sinks.
    private(set) var isUsed = false

    /// - Parameters:
    ///   - link: The session's connection.
    ///   - makeMix: Makes a mix for a sink, whose stream is still to be opened.
    ///   - makeStream: Makes another stream of a mix, with the main output's role.
    ///   - mainTime: The main output's time; nil while there is none.
    ///   - report: Reports streams that were killed.
    ///   - onRunning: Called when a voice begins, and when the last one ends.
    init(
        link: ServerLink, makeMix: @escaping (PulseConnection, Sink, StreamRole?) -> OutputMix?,
        makeStream: @escaping (PulseConnection, OutputMix.Format) -> PlaybackStream?,
        mainTime: @escaping () -> Double?, report: @escaping (HostEvent) -> Void, onRunning: @escaping () -> Void
    ) {
        self.link = link
        self.makeMix = makeMix
        self.makeStream = makeStream
        self.mainTime = mainTime
        self.report = report
        self.onRunning = onRunning
    }

    /// Takes over what watches the devices.
    func attach(_ monitor: OtherProgramsMonitor) { self.monitor = monitor }

    /// Forgets the outputs: their server is gone.
    func connectionLost() {
        monitor = nil
        outputs = [:]
    }

    /// The outputs, in no order.
    var all: [OutputMix] { Array(outputs.values) }

    /// Opens an output on a sink beside the main one, which may be on the same sink for now.
    func open(role: StreamRole?, on sink: String) throws(PulseError) -> OutputMix {
        if let side = outputs[sink], side.phase != .dead { return side }
        let connection = try link.readyConnection()
        guard let mix = makeMix(connection, try connection.sinkInfo(sink), role) else {
            throw PulseError(.badState, in: "pa_stream_new")
        }
        mix.handlers.mainTime = mainTime
        mix.handlers.onEvent = { [weak self, weak mix] event in
            guard let mix else { return }
            self?.received(event, of: mix)
        }
        mix.handlers.onRunning = { [weak self] _ in
            self?.onRunning()
            self?.closeUnused()
        }
        mix.handlers.onSettled = { [weak self] in self?.closeUnused() }
        try mix.open(sink: sink)
        try mix.awaitStream()
        mix.placedAt = monitor?.directory.defaultSinkChanges ?? 0
        outputs[sink] = mix
        return mix
    }

    /// Says whether the category plays on several sinks; when it does not, each stream is closed as soon as nothing is
    /// heard there.
    func setIsUsed(_ used: Bool) {
        isUsed = used
        closeUnused()
    }

    /// Ends the outputs on sinks whose connectors are gone; these sinks belong to the route no more.
    func close(on sinks: Set<String>) {
        for (sink, mix) in outputs where sinks.contains(sink) { give(up: mix) }
    }

    /// Forgets all outputs; the caller closes them.
    func forgetAll() { outputs = [:] }

    private func closeUnused() {
        guard !isUsed else { return }
        // An output that is being emptied does not know the positions of its voices yet.
        for mix in outputs.values where mix.phase == .corked && !mix.isInUse {
            forget(mix)
            mix.close()
        }
    }

    private func received(_ event: StreamEvent, of mix: OutputMix) {
        switch event {
        case .stateChanged(.ready):
            mix.becameReady(mix.stream)
            returned(mix)
        case .stateChanged(.failed(let error)):
            forget(mix)
            link.mainloop.signal()
            if error.code == .killed {
                link.findEnd(ofStreamOn: monitor?.directory.sink(named: mix.requestedSink)?.index) { [weak self] in
                    self?.report(.interruptionBegan($0))
                }
            }
        case .moved: moved(mix)
        default: break
        }
    }

    /// Handles a silent stream that is on another sink than its own.
    ///
    /// When the default sink changes, PulseAudio moves all streams of the old default, also those that named it: such a
    /// stream is brought back. Otherwise the sink is gone, or the user chose another one in a mixer: players start there
    /// when the app plays them.
    private func moved(_ mix: OutputMix) {
        guard isUsed, mix.isInUse, let sink = mix.requestedSink, let connection = try? link.readyConnection()
        else { return give(up: mix) }
        guard mix.deviceName != sink else { return returned(mix) }
        connection.sync { asking in
            var usual: String?
            asking.serverInfo { usual = (try? $0.get())?.defaultSink }
            asking.sink(named: sink) { [weak self, weak mix] answer in
                // It may have come back meanwhile.
                guard let self, let mix, outputs[sink] === mix, mix.deviceName != sink else { return }
                // The directory may learn of the new default sink a moment later.
                let directory = monitor?.directory
                let isNews = directory?.defaultSink != usual || directory?.defaultSinkChanges != mix.placedAt
                guard case .success(let info) = answer, info.isPluggedIn, isNews, mix.deviceName == usual else {
                    return give(up: mix)
                }
                bringBack(mix, to: sink, on: connection)
            }
        }
    }

    /// Continues a silent output with another stream on its sink; ends the output if that stream fails or is late.
    private func bringBack(_ mix: OutputMix, to sink: String, on connection: PulseConnection) {
        guard let stream = makeStream(connection, mix.format) else { return give(up: mix) }
        let timer = MainloopTimer(mainloop: link.mainloop) { [weak self, weak mix] in
            guard let self, let mix, outputs[sink] === mix else { return }
            give(up: mix)
        }
        timer.start(after: .seconds(Self.returning))
        mix.returnTimer = timer
        mix.relocate(to: sink, with: stream)
    }

    /// Handles a stream that is on its sink: it continues if it was silent.
    private func returned(_ mix: OutputMix) {
        mix.returnTimer = nil
        mix.placedAt = monitor?.directory.defaultSinkChanges ?? 0
        mix.forgetSuccessor()
        mix.resumeAfterRouteChange()
    }

    /// Silences an output, whose players stop at their frames, and closes it.
    private func give(up mix: OutputMix) {
        mix.returnTimer = nil
        forget(mix)
        mix.silence()
        mix.close()
        onRunning()
    }

    private func forget(_ mix: OutputMix) { outputs = outputs.filter { $0.value !== mix } }
}
