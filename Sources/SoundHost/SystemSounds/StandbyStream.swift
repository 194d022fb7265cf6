internal import AudioHost
internal import PulseClient

/// A stream that waits for short sounds: linked to its device, and corked while none plays.
///
/// PipeWire makes a node for each sample that it plays, which the session manager has to link and the graph to take in.
/// A stream that is there already is heard that much sooner.
// SAFETY: only touched with the main loop's lock held.
final class StandbyStream: @unchecked Sendable {
    /// The longest sound, in bytes: it is written at once, whole.
    static let longest = 262_144
    /// How long it runs on over nothing: a resampler still holds the last frames then, and would begin the next sound
    /// with them; and sounds that follow one another, as those of keys, cost no further request.
    private static let linger = Duration.milliseconds(250)
    /// PipeWire leaves what is less than a cycle of its graph lying until more is written; this much silence, in
    /// seconds, is longer than its longest one.
    private static let tail = 0.05

    private enum State { case connecting, corked, playing, silent, closed }

    /// What it takes.
    let spec: SampleSpec
    private(set) var index: UInt32?
    private let map: ChannelMap?
    private let stream: PlaybackStream
    private let silence: [UInt8]
    /// Told when the server has answered what was asked last.
    private let settled: () -> Void
    private var state = State.connecting
    /// Commands that are not answered; while there are any, no further sound is taken.
    private var unanswered = 0
    private var completion: ((Bool) -> Void)?
    private var timer: MainloopTimer?

    /// A stream for sounds like one, on its way.
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
        // PipeWire takes the difference of the one and twice the other for the pace of the node: 5 ms.
        let attributes = BufferAttributes(
            targetLength: UInt32(clamping: spec.bytes(0.025)), prebuffer: UInt32(spec.bytesPerFrame),
            minimumRequest: UInt32(clamping: spec.bytes(0.01)))
        let outcome = stream.sync { stream -> Result<Void, PulseError> in
            stream.setHandlers(request: nil) { [weak self] stream, event in self?.received(event, of: stream) }
            return Result { () throws(PulseError) in try stream.connect(attributes: attributes, flags: .startCorked) }
        }
        try outcome.get()
    }

    /// Whether it could play sounds of this kind.
    func suits(_ clip: SoundClip) -> Bool {
        clip.spec == spec && clip.map == map && clip.frames.count <= Self.longest
    }

    /// Whether it waits for the next sound.
    var isFree: Bool { isSettled && (state == .corked || state == .silent) }
    /// Whether the server has answered all that it was asked.
    var isSettled: Bool { unanswered == 0 }

    /// Begins a sound that suits; the completion is told whether it was heard to its end.
    ///
    /// - Returns: Whether it did. If not, nothing is told.
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

    /// Ends what plays; nothing is told.
    func stop() {
        guard state == .playing else { return }
        completion = nil
        unanswered += 1
        stream.sync { $0.flush { [weak self] _ in self?.answered() } }
        fallSilent()
    }

    /// Ends the stream; nothing is told.
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
        // Of what was thrown away the server tells no end, and the next sound waits until that is done.
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
            // The rest of the silence would come before the next sound.
            stream.flush()
        }
    }

    private func end(wasHeard: Bool) {
        let told = completion
        completion = nil
        told?(wasHeard)
    }
}
