internal import PulseClient

// Where the stream is, and what the server granted it; with the main loop's lock held.
extension OutputMix {
    func listen(to stream: isolated PlaybackStream) {
        stream.setHandlers(
            request: { [weak self] _, _ in self?.pump() },
            event: { [weak self] stream, event in
                guard self?.stream === stream else { return }
                self?.received(event)
            })
    }

    func connect(_ stream: isolated PlaybackStream, to sink: String?) throws(PulseError) {
        isBufferOutdated = false
        try stream.connect(
            to: sink, attributes: buffer.attributes(for: format.spec),
            flags: [.startCorked, .autoTimingUpdate, .interpolateTiming])
    }

    /// The stream stands, and it is known whether the server silences it.
    ///
    /// - Parameter stream: The one of which this is said: another may have taken its place meanwhile.
    func becameReady(_ stream: PlaybackStream) {
        guard phase == .opening, self.stream === stream else { return }
        phase = .corked
        if isBufferOutdated { setBuffer(buffer) }
        start()
        stream.mainloop.signal()
    }

    /// Whether the server answers; once it does not, what it was asked fails, and then the mix is told that its stream
    /// is gone.
    var isAnswered: Bool { stream.sync { $0.state == .ready } }

    /// The name of the sink that the stream is on; nil without a stream.
    package var deviceName: String? { stream.sync { $0.device?.name } }

    /// How far ahead of the listener the device takes our sound, in seconds; nil before the server has said.
    var grantedBuffer: Double? {
        stream.sync { stream in
            stream.bufferAttributes.flatMap { attributes -> Double? in
                guard let target = attributes.targetLength, let request = attributes.minimumRequest else { return nil }
                let bytes = Double(target) - 2 * Double(request)
                return max(0, bytes) / Double(format.spec.bytesPerFrame) / Double(format.rate)
            }
        }
    }

    /// How much PipeWire's graph takes at a time now, in seconds; nil while nobody knows.
    ///
    /// May wait some cycles, see ``CycleMeter/seconds``.
    var cycle: Double? { cycles.seconds }

    func makeCycleMeter() -> CycleMeter {
        CycleMeter(mainloop: stream.mainloop, rate: Double(format.rate)) { [weak self] answered in
            guard let self else { return answered() }
            self.stream.sync { $0.updateTiming { _ in answered() } }
        } place: { [weak self] in
            guard let self else { return nil }
            let isRunning = self.phase == .running
            return self.stream.sync { stream in
                guard let device = stream.device?.index else { return nil }
                let frame = stream.timing.map { Int($0.readIndex) / format.spec.bytesPerFrame }
                return CycleMeter.Place(device: device, isMoving: isRunning, frame: frame)
            }
        }
    }

    /// The time from the server to the listener, in seconds, while the stream runs.
    var sinkLatency: Double? { phase == .running ? stream.sync { $0.timing?.sinkLatency } : nil }

    /// Takes another amount ahead of the listener, at once.
    func setBuffer(_ new: OutputBuffer) {
        buffer = new
        // Who is not there yet cannot be told.
        isBufferOutdated = phase == .opening || successor != nil
        cycles.forget()
        stream.sync { $0.setBufferAttributes(new.attributes(for: format.spec)) }
    }
}
