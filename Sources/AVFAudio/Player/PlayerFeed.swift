internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Dispatch
internal import Locks

/// The decoder of a player's file: fills the ring ahead of time, on its own queue.
// SAFETY: `source`, `scratch`, `written`, `base` and `playbackRate` are only used on `queue`; the handlers are set
// before the feed has a sound; the ring synchronises itself.
final class PlayerFeed: SoundSource, @unchecked Sendable {
    struct Shared {
        var timeline: PlayerTimeline
        var numberOfLoops = 0
        var hasEnded = false
        var error: AudioFileError?
        var loss: AudioFileError?
        var isGivenUp = false
        /// The sound that plays the ring.
        var sound: (any HostSound)?
        /// The redecodings to do after a rewind, in order.
        var redecodes: [Redecode] = []
    }

    /// A change for which decoded frames are decoded anew.
    enum Redecode {
        /// Fewer loops are wanted than were decoded.
        case endLoops
        /// Another rate, in seconds of the file for each second of sound.
        case rate(Double)
    }

    /// The amount of sound decoded ahead, in seconds.
    ///
    /// With the history of rendered frames that a rewind may need, it fits into 2^17 frames at usual rates, to which
    /// the ring rounds up.
    private static let ahead = 1.0
    static let chunkFrames = 4096
    /// The amount of sound decoded before a ring is played, in seconds: one chunk at usual rates, more at higher ones.
    ///
    /// A mix writes 50 ms of a ring that joins others before it asks for more; with less than that it would go on
    /// without the ring.
    private static let firstStretch = 0.085
    /// The number of frames after which the mix is notified before the ring is full.
    private static let worthTelling = 1024

    let ring: Voice
    /// The total length, in frames at the ring's rate.
    let length: Int
    /// The sample rate of the ring, in Hz.
    let sampleRate: Int
    private let historySeconds: Double
    let source: PlayerSource
    let queue = DispatchQueue(label: "AVAudioPlayer.decode", qos: .userInitiated)
    let scratch: UnsafeMutablePointer<Float>
    private let shared: Guarded<Shared>
    private let channelMatrix: @Sendable ([Channel]) -> ChannelMatrix
    /// The number of frames written to the ring since it was last emptied.
    var written = 0
    /// The ring's frame of the first frame that the source gave after its last seek.
    var base = 0
    /// Seconds of the file for each second of sound.
    var playbackRate: Double
    /// Called with the host's lock held when the last frame was heard.
    var onHeard: @Sendable () -> Void = {}
    /// Called with the host's lock held when the session stopped the sound.
    var onInterrupted: @Sendable () -> Void = {}
    /// Called on the decoder's queue when the file could not be read on.
    var onError: @Sendable (AudioFileError) -> Void = { _ in }

    /// A feed with an empty ring, to be filled by ``restart(at:keepsRamps:)``.
    ///
    /// - Parameters:
    ///   - file: The file; it has as many channels as the matrix has inputs.
    ///   - place: The output to play on.
    ///   - playbackRate: Seconds of the file for each second of sound.
    ///   - matrix: Returns the matrix from the file's channels to those of an output.
    init(
        file: AudioFileReader, for place: OutputPlace, playbackRate: Double,
        matrix: @escaping @Sendable ([Channel]) -> ChannelMatrix
    ) throws {
        source = try PlayerSource(file, sampleRate: place.rate)
        sampleRate = place.rate
        self.playbackRate = playbackRate
        length = source.length
        shared = Guarded(Shared(timeline: PlayerTimeline(length: source.length)))
        channelMatrix = matrix
        let first = matrix(place.channels)
        historySeconds = place.historySeconds
        let history = Int(Double(sampleRate) * historySeconds)
        ring = Voice(
            channels: first.inputs, matrix: first,
            capacity: Int(Double(sampleRate) * Self.ahead), history: history)
        scratch = .allocate(capacity: Self.chunkFrames * first.inputs)
    }

    deinit { scratch.deallocate() }

    /// The file's frame at a time in seconds, at the ring's rate; clamped to the file's end.
    func frame(at seconds: Double) -> Int {
        min(Int(min((seconds * Double(sampleRate)).rounded(), Double(length))), length)
    }

    /// The number of free frames in the ring from which on the decoder is woken.
    var refillThreshold: Int { Int(Double(sampleRate) * Self.ahead / 2) }

    // MARK: Commands, on the player's thread

    /// Sets the sound that plays the ring, and whose source the feed is.
    func attach(_ sound: any HostSound) { share { $0.sound = sound } }

    private var sound: (any HostSound)? { share { $0.sound } }

    /// Empties the ring and decodes the first stretch from a place on; blocks until that is done.
    ///
    /// The sound must not run. With `keepsRamps`, a fade goes on.
    func restart(at place: PlayerTimeline.Place, keepsRamps: Bool = false) {
        queue.sync {
            sound?.empty(keepsRamps: keepsRamps)
            written = 0
            base = 0
            share {
                $0.timeline.restart(at: place, rate: playbackRate)
                $0.hasEnded = false
                $0.error = nil
                $0.loss = nil
            }
            do throws(AudioFileError) {
                try source.seek(toFrame: place.fileFrame, rate: playbackRate)
                let chunks = Int((Double(sampleRate) * Self.firstStretch / Double(Self.chunkFrames)).rounded(.up))
                for _ in 0..<chunks where !fillOnce() { break }
            } catch {
                fail(error)
            }
        }
        wake()
    }

    /// Requests a redecoding, which begins as soon as the queued frames are rewound.
    func request(_ redecode: Redecode) {
        share { $0.redecodes.append(redecode) }
        sound?.requestRedecode()
    }

    /// Decodes until the ring is full.
    func wake() { queue.async { [weak self] in self?.fill() } }

    var numberOfLoops: Int {
        get { share { $0.numberOfLoops } }
        set { share { $0.numberOfLoops = newValue } }
    }

    /// Goes on decoding after the end if more loops are wanted by now.
    func reconsiderEnd() {
        queue.async { [weak self] in
            guard let self, self.share({ $0.hasEnded && $0.error == nil }), self.beginNextLoop(at: self.written) else {
                return
            }
            self.share { $0.hasEnded = false }
            self.ring.setEnded(false)
            self.base = self.written
            do throws(AudioFileError) {
                try self.source.seek(toFrame: 0, rate: self.playbackRate)
            } catch {
                return self.fail(error)
            }
            self.fill()
        }
    }

    // MARK: The host's requests

    func matrix(to channels: [Channel]) -> ChannelMatrix { channelMatrix(channels) }

    func refill() { wake() }

    func finished() { onHeard() }

    func interrupted() { onInterrupted() }

    func redecode() {
        queue.async { [weak self] in
            guard let self, let next = share({ $0.redecodes.isEmpty ? nil : $0.redecodes.removeFirst() }) else {
                return
            }
            // The host waits for this call, whatever the outcome.
            defer { sound?.didRedecode() }
            switch next {
            case .endLoops: endLoops()
            case .rate(let rate): changePlaybackRate(to: rate)
            }
        }
    }

    /// Ends the sound with the current loop, or a later one, if fewer loops are wanted than were decoded.
    private func endLoops() {
        if remakesEnd() { return }
        guard let end = unwantedFrame, let total = splice(at: end, [], isEnd: true) else { return }
        // The end may lie beyond the frames that fit into the ring.
        written = total
        share {
            $0.hasEnded = true
            $0.timeline.cut(at: end)
        }
    }

    /// Replaces frames of the ring from `frame` on; returns the total number of frames written, or nil if it is too
    /// late.
    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int? {
        sound?.splice(at: frame, pieces, isEnd: isEnd)
    }

    // MARK: Positions

    /// The place in the file of a frame of the ring.
    func place(atVoiceFrame frame: Int) -> PlayerTimeline.Place {
        share { $0.timeline.place(atVoiceFrame: frame) }
    }

    /// The number of loops that the decoder has completed, ahead of the listener.
    var loopsDecoded: Int { share { $0.timeline.lastLoop } }

    /// Whether everything decoded so far is undamaged.
    var isWhole: Bool { share { $0.error == nil && $0.loss == nil } }

    /// Whether decoding stopped at unreadable data.
    var hasBrokenOff: Bool { share { $0.error != nil } }

    /// Whether the app has stopped the player since, so that no end must be delivered.
    var isGivenUp: Bool { share { $0.isGivenUp } }

    /// Notes that the app has stopped the player.
    func giveUp() { share { $0.isGivenUp = true } }

    /// Reads or changes the state that several threads share.
    func share<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result { shared.withLock { body(&$0) } }

    // MARK: Decoding, on the queue

    func fill() {
        let hadEnded = share { $0.hasEnded }
        var told = written
        while fillOnce() {
            // A mix that has rendered all known frames waits, and the server may run short before the ring is full.
            guard written - told >= Self.worthTelling, ring.framesRendered >= told else { continue }
            told = written
            sound?.didWrite()
        }
        // An end without further frames is reported once: the mix may have rendered all frames and wait for more. After
        // that a report would only make the mix ask again.
        if written != told || share({ $0.hasEnded }) != hadEnded { sound?.didWrite() }
    }

    /// Decodes one chunk; false when the ring is full or the file has ended.
    func fillOnce() -> Bool {
        guard !share({ $0.hasEnded }) else { return false }
        let room = min(ring.writableFrames, Self.chunkFrames)
        guard room > 0 else { return false }
        do throws(AudioFileError) {
            let count = try source.read(into: scratch, frames: room)
            if count > 0 {
                written += ring.write(scratch, frames: count)
                return true
            }
            tellLoss()
            if !source.isFinished, source.canBeginAgain, beginNextLoop(at: base + source.outputFrames) {
                try source.beginAgain()
                return true
            }
            let rest = source.finish(into: scratch, frames: room)
            written += ring.write(scratch, frames: rest)
            if rest > 0 { return true }
            // A loop was requested only after the last frames had been asked for: it follows them as a new round.
            if source.canBeginAgain, beginNextLoop(at: written) {
                base = written
                try source.seek(toFrame: 0, rate: playbackRate)
                return true
            }
            end()
            return false
        } catch {
            fail(error)
            return false
        }
    }

    private func beginNextLoop(at frame: Int) -> Bool {
        share {
            let next = $0.timeline.lastLoop + 1
            guard $0.numberOfLoops < 0 || next <= $0.numberOfLoops else { return false }
            $0.timeline.jump(
                atVoiceFrame: frame, to: PlayerTimeline.Place(fileFrame: 0, loop: next), rate: playbackRate)
            $0.timeline.forget(before: ring.framesRendered - Int(Double(sampleRate) * historySeconds))
            return true
        }
    }

    /// Reports skipped damage to the app, once; it ends neither the sound nor its loops.
    private func tellLoss() {
        guard let loss = source.loss, share({ $0.loss == nil }) else { return }
        share { $0.loss = loss }
        onError(loss)
    }

    private func end() {
        share { $0.hasEnded = true }
        ring.setEnded(true)
    }

    func fail(_ error: AudioFileError) {
        share { $0.error = error }
        end()
        onError(error)
    }
}
