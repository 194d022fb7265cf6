internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The devices' volumes, rates, buffers and latencies, asked of the server whenever the app asks.
///
/// Functions block the caller until the server has answered, for 2 s at most.
struct DeviceInquiry {
    private let link: ServerLink
    private let placement: DevicePlacement
    private let outputs: OutputRouter
    private let captures: CaptureRouter
    private var output: OutputMix? { outputs.measured }

    init(link: ServerLink, placement: DevicePlacement, outputs: OutputRouter, captures: CaptureRouter) {
        self.link = link
        self.placement = placement
        self.outputs = outputs
        self.captures = captures
    }

    /// What the devices are that the session uses, or would use under these settings.
    ///
    /// - Parameter measuring: Whether buffers and latencies are wanted, for which PipeWire's streams are watched, and may
    ///   be waited for.
    func hardware(
        under settings: SessionSettings, measuring: Bool
    ) throws(SessionError) -> HardwareFacts {
        let deadline = AnswerDeadline()
        return try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let (sinkName, sourceName) = try devices(under: settings, on: connection, until: deadline)
            let sink: Sink? = try connection.sync { connection throws(PulseError) in
                try Self.ifPresent { () throws(PulseError) in
                    try connection.answerAndWait("pa_context_get_sink_info_by_name", timeout: deadline.remaining) {
                        connection.sink(named: sinkName, completion: $0)
                    }
                }
            }
            let source: Source? = try connection.sync { connection throws(PulseError) in
                try Self.ifPresent { () throws(PulseError) in
                    try connection.answerAndWait("pa_context_get_source_info_by_name", timeout: deadline.remaining) {
                        connection.source(named: sourceName, completion: $0)
                    }
                }
            }
            return HardwareFacts(
                output: sink.map { facts($0, measuring: measuring) },
                input: source.map { facts($0, measuring: measuring) })
        }
    }

    /// Sets the volume of the session's sink for everybody, as a share of what mixers call 100 %.
    ///
    /// The loudest channel gets it; the others follow, so that the balance stays. A muted sink stays muted.
    func setOutputVolume(_ fraction: Double, under settings: SessionSettings) throws(SessionError) {
        let deadline = AnswerDeadline()
        try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let name = try devices(under: settings, on: connection, until: deadline).sink
            try connection.sync { connection throws(PulseError) in
                let sink = try connection.answerAndWait(
                    "pa_context_get_sink_info_by_name", timeout: deadline.remaining
                ) {
                    connection.sink(named: name, completion: $0)
                }
                try connection.answerAndWait("pa_context_set_sink_volume_by_name", timeout: deadline.remaining) {
                    connection.setSinkVolume(sink.volume.scaled(to: fraction), of: sink.name, completion: $0)
                }
            }
        }
    }

    /// Has a source take its sound from one of its ports, for everybody; nil for the one that the server likes best.
    func setDataSource(_ port: String?, of source: String) throws(SessionError) {
        let deadline = AnswerDeadline()
        try link.request { () throws(PulseError) in
            try link.readyConnection().sync { connection throws(PulseError) in
                let info = try connection.answerAndWait(
                    "pa_context_get_source_info_by_name", timeout: deadline.remaining
                ) {
                    connection.source(named: source, completion: $0)
                }
                let best = info.ports.filter { $0.availability != .no }.max { $0.priority < $1.priority }
                // Whether it is the one in use already is the server's business: PipeWire says so too late.
                guard let port = port ?? best?.name else { return }
                try connection.answerAndWait("pa_context_set_source_port_by_name", timeout: deadline.remaining) {
                    connection.setSourcePort(port, of: source, completion: $0)
                }
            }
        }
    }

    /// The names of the sink and the source that the session's streams are on, or the next ones are to be on.
    private func devices(
        under settings: SessionSettings, on connection: PulseConnection, until deadline: AnswerDeadline
    ) throws(PulseError) -> (sink: String, source: String) {
        let (sink, source) = (output?.deviceName, captures.source)
        var next: (sink: String?, source: String?) = (nil, nil)
        if sink == nil || source == nil, placement.mayChooseSink(under: settings) {
            let facts = try RouteFacts.asked(of: connection, sinkInUse: sink, until: deadline)
            next = placement.devices(from: facts, under: settings)
        }
        return (
            sink ?? next.sink ?? AppIdentity.environment("PULSE_SINK") ?? "@DEFAULT_SINK@",
            source ?? next.source ?? AppIdentity.environment("PULSE_SOURCE") ?? "@DEFAULT_SOURCE@"
        )
    }

    /// A device that is not there is no failure.
    private static func ifPresent<T>(_ ask: () throws(PulseError) -> T) throws(PulseError) -> T? {
        do throws(PulseError) { return try ask() } catch {
            guard error.code == .noSuchEntity else { throw error }
            return nil
        }
    }

    private func facts(_ sink: Sink, measuring: Bool) -> HardwareFacts.Device {
        let buffer = buffer(of: sink, measuring: measuring)
        // PipeWire tells the latency of a device only to streams.
        let latency = output?.sinkLatency ?? sink.latency
        return HardwareFacts.Device(
            rate: sink.spec.map { Int($0.rate) } ?? 48_000, channels: sink.map.positions.count,
            latency: max(0, latency - max(buffer, sink.configuredLatency)), buffer: buffer,
            volume: sink.isMuted ? 0 : sink.volume.fraction)
    }

    private func facts(_ source: Source, measuring: Bool) -> HardwareFacts.Device {
        let capture = captures.capture(from: source.name)
        let buffer = buffer(of: source, for: capture, measuring: measuring)
        // As above; PulseAudio's word of the device is newer than what it told the stream last.
        let latency = link.isPipeWire ? capture?.sourceLatency ?? 0 : source.latency
        return HardwareFacts.Device(
            rate: source.spec.map { Int($0.rate) } ?? 48_000, channels: source.map.positions.count,
            latency: max(0, latency - buffer), buffer: buffer, volume: source.isMuted ? 0 : source.volume.fraction)
    }

    /// How much the device takes at a time: what it does for all that play, where ours does too; else what it would do
    /// for ours, which is no more than it does for others.
    private func buffer(of sink: Sink, measuring: Bool) -> Double {
        if link.isPipeWire, measuring {
            // What records meanwhile is in the same graph, as a rule.
            let recording = output?.phase == .running ? nil : captures.flowing?.cycle
            if let cycle = recording ?? output?.cycle { return cycle }
        }
        let own = output?.grantedBuffer ?? outputs.buffer.device
        // Without anybody who plays a device is set up for as much as it can.
        guard sink.state == .running, sink.configuredLatency > 0 else { return own }
        return output?.phase == .running ? sink.configuredLatency : min(own, sink.configuredLatency)
    }

    private func buffer(of source: Source, for capture: Capture?, measuring: Bool) -> Double {
        if link.isPipeWire { return (measuring ? capture?.cycle : nil) ?? outputs.buffer.device }
        return source.configuredLatency > 0 ? source.configuredLatency : outputs.buffer.device
    }
}

extension Volume {
    /// The same balance with another value of the loudest channel; silence has no balance.
    ///
    /// PulseAudio: `pa_cvolume_scale`.
    fileprivate func scaled(to fraction: Double) -> Volume {
        let even = Volume(channels: UInt8(clamping: values.count), fraction: fraction)
        guard let loudest = values.max().map(UInt64.init), loudest > 0 else { return even }
        let share = { (old: UInt32, new: UInt32) in UInt32((UInt64(old) * UInt64(new) + loudest / 2) / loudest) }
        return Volume(values: zip(values, even.values).map(share))
    }
}
