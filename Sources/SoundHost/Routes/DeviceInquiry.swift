internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The current volumes, rates, buffers and latencies of the devices, queried from the server for each request of the
/// app.
///
/// Functions block the caller until the server has answered, for 2 s at most.
struct DeviceInquiry {
    private let link: ServerLink
    private let placement: DevicePlacement
    private let outputs: SessionOutputs
    private let captures: CaptureRouter
    private var output: OutputMix? { outputs.measured }

    init(link: ServerLink, placement: DevicePlacement, outputs: SessionOutputs, captures: CaptureRouter) {
        self.link = link
        self.placement = placement
        self.outputs = outputs
        self.captures = captures
    }

    /// The facts of the devices that the session uses, or would use under these settings.
    ///
    /// - Parameter measuring: Whether buffers and latencies are needed. On PipeWire they are measured on streams, which
    ///   may take time.
    func hardware(
        under settings: SessionSettings, measuring: Bool
    ) throws(SessionError) -> HardwareFacts {
        let deadline = AnswerDeadline()
        return try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let (sinkName, sourceName) = try devices(under: settings, on: connection, until: deadline)
            let sink: Sink? = try connection.sync { connection throws(PulseError) in
                try Self.ifPresent { () throws(PulseError) in
                    try Self.device(named: sinkName, on: connection, until: deadline)
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

    /// Sets the volume of the session's sink for all programs, as a fraction of a mixer's 100 %.
    ///
    /// The loudest channel gets this volume, and the others keep their balance to it. A muted sink stays muted.
    func setOutputVolume(_ fraction: Double, under settings: SessionSettings) throws(SessionError) {
        let deadline = AnswerDeadline()
        try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let name = try devices(under: settings, on: connection, until: deadline).sink
            try connection.sync { connection throws(PulseError) in
                let sink = try Self.device(named: name, on: connection, until: deadline)
                try connection.answerAndWait("pa_context_set_sink_volume_by_name", timeout: deadline.remaining) {
                    connection.setSinkVolume(sink.volume.scaled(to: fraction), of: sink.name, completion: $0)
                }
            }
        }
    }

    /// Sets the active port of a source for all programs; nil selects the available port of the highest priority.
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
                // Set even if it seems active already: PipeWire reports the active port too late.
                guard let port = port ?? best?.name else { return }
                try connection.answerAndWait("pa_context_set_source_port_by_name", timeout: deadline.remaining) {
                    connection.setSourcePort(port, of: source, completion: $0)
                }
            }
        }
    }

    /// The sink and source of the session's streams, or of its next streams.
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

    /// The sink of a name; if that is one for roles, the device behind it.
    private static func device(
        named name: String, on connection: isolated PulseConnection, until deadline: AnswerDeadline
    ) throws(PulseError) -> Sink {
        func ask(_ name: String) throws(PulseError) -> Sink {
            try connection.answerAndWait("pa_context_get_sink_info_by_name", timeout: deadline.remaining) {
                connection.sink(named: name, completion: $0)
            }
        }
        let sink = try ask(name)
        guard sink.isForRoles else { return sink }
        let facts = try RouteFacts.asked(of: connection, sinkInUse: name, until: deadline)
        return try ask(facts.sinkInUse ?? "@DEFAULT_SINK@")
    }

    /// Nil for a missing device, which is not an error.
    private static func ifPresent<T>(_ ask: () throws(PulseError) -> T) throws(PulseError) -> T? {
        do throws(PulseError) { return try ask() } catch {
            guard error.code == .noSuchEntity else { throw error }
            return nil
        }
    }

    private func facts(_ sink: Sink, measuring: Bool) -> HardwareFacts.Device {
        let buffer = buffer(of: sink, measuring: measuring)
        // PipeWire reports the latency of a device to streams only.
        let latency = output?.sinkLatency ?? sink.latency
        return HardwareFacts.Device(
            rate: sink.spec.map { Int($0.rate) } ?? 48_000, channels: sink.map.positions.count,
            latency: max(0, latency - max(buffer, sink.configuredLatency)), buffer: buffer,
            volume: sink.isMuted ? 0 : sink.volume.fraction)
    }

    private func facts(_ source: Source, measuring: Bool) -> HardwareFacts.Device {
        let capture = captures.capture(from: source.name)
        let buffer = buffer(of: source, for: capture, measuring: measuring)
        // As for sinks on PipeWire. PulseAudio's value for the device is newer than the one of the stream.
        let latency = link.isPipeWire ? capture?.sourceLatency ?? 0 : source.latency
        return HardwareFacts.Device(
            rate: source.spec.map { Int($0.rate) } ?? 48_000, channels: source.map.positions.count,
            latency: max(0, latency - buffer), buffer: buffer, volume: source.isMuted ? 0 : source.volume.fraction)
    }

    /// The buffer of the device, in seconds: its current one while the session's stream runs there.
    ///
    /// Else the one it would have for that stream, which is at most the current one.
    private func buffer(of sink: Sink, measuring: Bool) -> Double {
        if link.isPipeWire, measuring {
            // A running recording is usually in the same graph.
            let recording = output?.phase == .running ? nil : captures.flowing?.cycle
            if let cycle = recording ?? output?.cycle { return cycle }
        }
        let own = output?.grantedBuffer ?? outputs.buffer.device
        // A device without running streams reports its largest latency.
        guard sink.state == .running, sink.configuredLatency > 0 else { return own }
        return output?.phase == .running ? sink.configuredLatency : min(own, sink.configuredLatency)
    }

    private func buffer(of source: Source, for capture: Capture?, measuring: Bool) -> Double {
        if link.isPipeWire { return (measuring ? capture?.cycle : nil) ?? outputs.buffer.device }
        return source.configuredLatency > 0 ? source.configuredLatency : outputs.buffer.device
    }
}

extension Volume {
    /// The same balance with another volume of the loudest channel; silence has no balance.
    ///
    /// PulseAudio: `pa_cvolume_scale`.
    fileprivate func scaled(to fraction: Double) -> Volume {
        let even = Volume(channels: UInt8(clamping: values.count), fraction: fraction)
        guard let loudest = values.max().map(UInt64.init), loudest > 0 else { return even }
        let share = { (old: UInt32, new: UInt32) in UInt32((UInt64(old) * UInt64(new) + loudest / 2) / loudest) }
        return Volume(values: zip(values, even.values).map(share))
    }
}
