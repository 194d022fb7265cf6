internal import AudioHost
internal import PulseClient

/// A standby stream for short sounds: linked to its device, and corked while no sound plays.
///
/// PipeWire creates a node for each sample it plays, which the session manager has to link before the graph includes
/// it. An existing stream starts without that delay.
// SAFETY: only touched with the main loop's lock held.
final class StandbyStream: @unchecked Sendable {
    /// The longest sound, in bytes; a sound is written at once.
    static let longest = 262_144
    /// The time of silence after a sound before the stream is corked.
    ///
    /// A resampler holds the last frames for a while, and would play them with the next sound. Sounds in quick
    /// succession, as of keys, need no further request.
    private static let linger = Duration.milliseconds(250)
    /// The silence written after each sound, in seconds.
    ///
    /// PipeWire holds back less than one cycle of its graph until more is written; this is longer than its longest
    /// cycle.
    private static let tail = 0.05

    private enum State { case connecting, corked, playing, silent, closed }

    /// The format of the stream.
    let spec: SampleSpec
    private(set) var index: UInt32?
    private let map: ChannelMap?
    private let stream: PlaybackStream
    private let silence: [UInt8]
    /// Called when the server has answered the last command.
    private let settled: () -> Void
    private var state = State.connecting
    /// The number of unanswered commands; no further sound is accepted meanwhile.
    private var unanswered = 0
    private var completion: ((Bool) -> Void)?
    private var timer: MainloopTimer?

    /// Creates a stream for sounds like the given one, and begins to connect it.
    init(
        for clip: SoundClip, properties: PropertyList, on connection: PulseConnection, settled: @escaping () -> Void
    ) throws(PulseError) {
        (spec, map) = (clip.spec, clip.map)
        silence = [UInt8](repeating: 0, count: spec.bytes(Self.tail))
        self.settled = settled
        stream = PlaybackStream(
            connection: connection, name: "System Sounds", spec: spec, map: map, properties: properties)
        let timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.rest() }
        self.timer = timer
        // PipeWire sets the node's latency to the target length minus twice the minimum request: 5 ms.
        let attributes = BufferAttributes(
            targetLength: UInt32(clamping: spec.bytes(0.025)), prebuffer: UInt32(spec.bytesPerFrame),
            minimumRequest: UInt32(clamping: spec.bytes(0.01)))
        let outcome = stream.sync { stream -> Result<Void, PulseError> in
            stream.setHandlers(request: nil) { [weak self] stream, event in self?.received(event, of: stream) }
            return Result { () throws(PulseError) in try stream.connect(attributes: attributes, flags: .startCorked) }
        }
        try outcome.get()
    }

    /// Whether the stream can play a sound, by its format and length.
    func suits(_ clip: SoundClip) -> Bool {
        clip.spec == spec && clip.map == map && clip.frames.count <= Self.longest
    }

    /// Whether the stream can accept a sound now.
    var isFree: Bool { isSettled && (state == .corked || state == .silent) }
    /// Whether the server has answered all commands.
    var isSettled: Bool { unanswered == 0 }

    /// Starts a sound for which ``suits(_:)`` holds.
    ///
    /// The completion receives whether it was played to its end.
    ///
    /// - Returns: Whether the sound was started. If not, the completion is not called.
    func play(_ clip: SoundClip, completion: @escaping (Bool) -> Void) -> Bool {
        let isCorked = state == .corked
        let isWritten = stream.sync { stream in
            do throws(PulseError) {
                try write(clip.frames, to: stream)
                try write(silence, to: stream)
            } catch {
                return false
            }
            return true
        }
        guard isWritten else { return false }
        timer?.cancel()
        state = .playing
        self.completion = completion
        if isCorked {
            unanswered += 1
            stream.sync { $0.cork(false) { [weak self] _ in self?.answered() } }
        }
        return true
    }

    private func write(_ frames: [UInt8], to stream: isolated PlaybackStream) throws(PulseError) {
        let outcome = frames.withUnsafeBytes { frames in
            Result { () throws(PulseError) in try stream.write(frames) }
        }
        try outcome.get()
    }

    /// Stops the sound; its completion is not called.
    func stop() {
        guard state == .playing else { return }
        completion = nil
        unanswered += 1
        stream.sync { $0.flush { [weak self] _ in self?.answered() } }
        fallSilent()
    }

    /// Closes the stream; no completion is called.
    func close() {
        completion = nil
        state = .closed
        timer = nil
        stream.sync { stream in
            stream.setHandlers(request: nil, event: nil)
            stream.close()
        }
    }

    private func answered() {
        unanswered -= 1
        settled()
    }

    private func received(_ event: StreamEvent, of stream: isolated PlaybackStream) {
        switch event {
        case .stateChanged(.ready):
            index = stream.index
            state = .corked
        case .stateChanged(.failed):
            state = .closed
            end(wasHeard: false)
        // The server reports no underflow for flushed frames; the next sound waits for the answer to the flush.
        case .underflow where state == .playing:
            fallSilent()
            end(wasHeard: true)
        default: break
        }
    }

    private func fallSilent() {
        state = .silent
        timer?.start(after: Self.linger)
    }

    private func rest() {
        guard state == .silent else { return }
        state = .corked
        stream.sync { stream in
            stream.cork(true)
            // The rest of the silence would be played before the next sound.
            stream.flush()
        }
    }

    private func end(wasHeard: Bool) {
        let told = completion
        completion = nil
        told?(wasHeard)
    }
}
