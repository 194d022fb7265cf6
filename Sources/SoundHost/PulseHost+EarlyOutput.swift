internal import PulseClient
internal import SessionPolicy

// The output of what plays as soon as its program has begun: its stream is asked for before anything is known of the
// sink, whose rate and channels the server gives it.
extension PulseHost {
    /// A stream that is on its way, and becomes an output when it stands.
    struct EarlyOutput {
        let stream: PlaybackStream
        let role: StreamRole?
        /// The buffer that was asked for.
        let attributes: BufferAttributes
    }

    /// What most sinks have, by which the buffer's sizes are reckoned, which are bytes.
    private static let likelyFormat = OutputMix.Format(rate: 48_000, positions: [.frontLeft, .frontRight])

    /// Asks for the default sink's stream, if nothing is to be chosen; on the loop's thread, which cannot wait.
    func beginEarlyOutput(role: StreamRole?, on connection: isolated PulseConnection) {
        guard output == nil, earlyOutput == nil, !isOpeningOutput, !mayChooseSink, hasNoWishForFormat else { return }
        let format = Self.likelyFormat
        let stream = makeStream(on: connection, role: role, format: format)
        let attributes = outputBuffer.attributes(for: format.spec)
        earlyOutput = EarlyOutput(stream: stream, role: role, attributes: attributes)
        stream.sync { stream in
            stream.setHandlers(request: nil) { [weak self] stream, event in
                switch event {
                case .stateChanged(.ready): self?.earlyStreamStands(stream)
                // Who needs an output asks again, and tells errors.
                case .stateChanged(.failed), .stateChanged(.closed): self?.forgetEarlyOutput(of: stream)
                default: break
                }
            }
            let flags: StreamFlags = [.startCorked, .autoTimingUpdate, .interpolateTiming, .fixRate, .fixChannels]
            do { try stream.connect(attributes: attributes, flags: flags) } catch { earlyOutput = nil }
        }
    }

    /// Waits for one that is on its way, as long as for any other; with the lock held, and not on the loop's thread.
    func awaitEarlyOutput() throws(PulseError) {
        guard let early = earlyOutput else { return }
        _ = mainloop.wait(timeout: .milliseconds(1500)) { earlyOutput?.stream !== early.stream }
        guard earlyOutput?.stream === early.stream else { return }
        closeEarlyOutput()
        throw PulseError(.timeout, in: "pa_stream_connect_playback")
    }

    /// Nobody needs it any more.
    func closeEarlyOutput() {
        guard let early = earlyOutput else { return }
        earlyOutput = nil
        early.stream.sync { $0.close() }
        mainloop.signal()
    }

    private func forgetEarlyOutput(of stream: PlaybackStream) {
        guard earlyOutput?.stream === stream else { return }
        earlyOutput = nil
        mainloop.signal()
    }

    private var hasNoWishForFormat: Bool { devicePreferences.sampleRate == 0 && devicePreferences.outputChannels == 0 }

    private func earlyStreamStands(_ stream: isolated PlaybackStream) {
        guard let early = earlyOutput, early.stream === stream else { return }
        defer { mainloop.signal() }
        let rate = Int(stream.spec.rate)
        // An app may have wished for something meanwhile, and a sink may have a rate that no output has.
        guard output == nil, connection === stream.connection, !mayChooseSink, hasNoWishForFormat,
            rate == devicePreferences.streamRate(on: rate), let positions = stream.map?.positions
        else { return closeEarlyOutput() }
        earlyOutput = nil
        let format = OutputMix.Format(rate: rate, positions: positions)
        // PulseAudio 16.1 makes little of a buffer that becomes greater later on.
        guard format == Self.likelyFormat || isPipeWire else {
            return replaceEarly(stream, role: early.role, format: format)
        }
        let mix = makeMix(early.stream, format: format)
        mix.isBufferOutdated = mix.buffer.attributes(for: format.spec) != early.attributes
        take(mix, role: early.role)
        mix.listen(to: stream)
        outputEvent(.stateChanged(.ready), of: mix)
    }

    /// Asks for another stream, of the format that the first one has shown to be the sink's.
    private func replaceEarly(_ stream: isolated PlaybackStream, role: StreamRole?, format: OutputMix.Format) {
        let mix = makeMix(makeStream(on: stream.connection, role: role, format: format), format: format)
        take(mix, role: role)
        do { try mix.open(sink: nil) } catch { output = nil }
        stream.close()
    }
}
