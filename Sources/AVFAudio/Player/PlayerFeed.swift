internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Dispatch
internal import Locks

/// Decodes a player's file ahead of time into its ring, on a queue of its own.
// SAFETY: `source`, `scratch`, `written`, `base` and `playbackRate` are only used on `queue`; the handlers are set before
// the feed has a sound; the ring takes care of itself.
final class PlayerFeed: SoundSource, @unchecked Sendable {
    struct Shared {
        var timeline: PlayerTimeline
        var numberOfLoops = 0
        var hasEnded = false
        var error: AudioFileError?
        var loss: AudioFileError?
        var isGivenUp = false
        /// The sound that the ring is heard through.
        var sound: (any HostSound)?
        /// What the decoder does when the server's queue has been taken back, in order.
        var redecodes: [Redecode] = []
    }

    /// A change for which frames that were decoded already are decoded anew.
    enum Redecode {
        /// Fewer loops are wanted than were decoded.
        case endLoops
        /// Another rate: seconds of the file for each second of sound.
        case rate(Double)
    }

    /// How much is decoded ahead, and how much of what was rendered can be rendered again, in seconds.
    ///
    /// The latter covers what the server may have queued when the sound stops. At usual rates both fit into 2^17
    /// frames, which is what the ring rounds up to.
    private static let ahead = 1.0
    static let chunkFrames = 4096
    /// How much is decoded before a ring is played, in seconds: one chunk at the usual rates, more at higher ones.
    ///
    /// A mix writes 50 ms in the first turn of a ring that joins others, and only then asks for more; with less than
    /// that it would go on without the ring.
    private static let firstStretch = 0.085
    /// Frames that a mix is told of before the ring is full.
    private static let worthTelling = 1024

    let ring: Voice
    /// The total length, in frames at the ring's rate.
    let length: Int
    /// Frames a second of the ring, in Hz.
    let sampleRate: Int
    private let historySeconds: Double
    let source: PlayerSource
    let queue = DispatchQueue(label: "AVAudioPlayer.decode", qos: .userInitiated)
    let scratch: UnsafeMutablePointer<Float>
    private let shared: Guarded<Shared>
    private let channelMatrix: @Sendable ([Channel]) -> ChannelMatrix
    /// Frames written to the ring since it was last emptied.
    var written = 0
    /// The ring's frame that holds the first one that the source gave since its last seek.
    var base = 0
    /// Seconds of the file for each second of sound.
    var playbackRate: Double
    /// Called with the host's lock held when the last frame was heard.
    var onHeard: @Sendable () -> Void = {}
    /// Called with the host's lock held when the session stopped the sound.
    var onInterrupted: @Sendable () -> Void = {}
    /// Called on the decoder's queue when the file could not be read on.
    var onError: @Sendable (AudioFileError) -> Void = { _ in }

    /// A feed whose ring is empty until the first ``restart(at:keepsRamps:)``.
    ///
    /// - Parameters:
    ///   - file: What is played; it has as many channels as the matrix has inputs.
    ///   - place: The output that it is heard on.
    ///   - playbackRate: Seconds of the file for each second of sound.
    ///   - matrix: From the file's channels to an output's.
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

    /// The file's frame at a time in seconds, at the ring's rate; times beyond the end are the end.
    func frame(at seconds: Double) -> Int {
        min(Int(min((seconds * Double(sampleRate)).rounded(), Double(length))), length)
    }

    /// Frames of free room in the ring from which on it is worth to wake the decoder.
    var refillThreshold: Int { Int(Double(sampleRate) * Self.ahead / 2) }

    // MARK: Commands, from the player's thread

    /// Lets the ring be heard through a sound, whose source the feed is.
    func attach(_ sound: any HostSound) { share { $0.sound = sound } }

    private var sound: (any HostSound)? { share { $0.sound } }

    /// Empties the ring, whose sound must not run, and decodes from the given place on until a first stretch is there;
    /// blocks for that long.
    ///
    /// `keepsRamps` lets a fade go on.
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

    /// Has frames that were decoded already decoded anew, as soon as what the server has not played is taken back.
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

    /// Goes on decoding after the end was reached, if more loops are wanted by now.
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
            // The host waits to be told, whatever came of it.
            defer { sound?.didRedecode() }
            switch next {
            case .endLoops: endLoops()
            case .rate(let rate): changePlaybackRate(to: rate)
            }
        }
    }

    /// Lets the sound end with the loop that is heard, or a later one, if fewer are wanted than were decoded.
    private func endLoops() {
        if remakesEnd() { return }
        guard let end = unwantedFrame, let total = splice(at: end, [], isEnd: true) else { return }
        // The end may lie beyond what there was room for.
        written = total
        share {
            $0.hasEnded = true
            $0.timeline.cut(at: end)
        }
    }

    /// Replaces frames of the ring from `frame` on; the frames that it was ever given, or nil if that came too late.
    func splice(at frame: Int, _ pieces: [UnsafeBufferPointer<Float>], isEnd: Bool) -> Int? {
        sound?.splice(at: frame, pieces, isEnd: isEnd)
    }

    // MARK: Positions

    /// The place in the file that a frame of the ring holds.
    func place(atVoiceFrame frame: Int) -> PlayerTimeline.Place {
        share { $0.timeline.place(atVoiceFrame: frame) }
    }

    /// How many loops the decoder has completed, ahead of the listener.
    var loopsDecoded: Int { share { $0.timeline.lastLoop } }

    /// Whether all of the file could be decoded so far.
    var isWhole: Bool { share { $0.error == nil && $0.loss == nil } }

    /// Whether the file could not be read on, so far.
    var hasBrokenOff: Bool { share { $0.error != nil } }

    /// Whether the app has stopped the player since: it expects to hear no more of this sound.
    var isGivenUp: Bool { share { $0.isGivenUp } }

    /// The app has stopped the player.
    func giveUp() { share { $0.isGivenUp = true } }

    /// Reads or changes what several threads look at.
    func share<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result { shared.withLock { body(&$0) } }

    // MARK: Decoding, on the queue

    func fill() {
        let hadEnded = share { $0.hasEnded }
        var told = written
        while fillOnce() {
            // A mix that has rendered what it knew of waits, and the server may run short before the ring is full.
            guard written - told >= Self.worthTelling, ring.framesRendered >= told else { continue }
            told = written
            sound?.didWrite()
        }
        // An end that comes without frames is told once: the mix may have rendered all there is and wait for more.
        // After that there is nothing to tell, and the mix would only ask again.
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
            // A loop that was wanted only after the last frames had been asked for: a round behind them.
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

    /// What was skipped does not end the sound, nor its loops; it is told once.
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
