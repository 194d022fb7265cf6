internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Dispatch
internal import Locks
internal import TimeStretch

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
    private let source: PlayerSource
    let queue = DispatchQueue(label: "AVAudioPlayer.decode", qos: .userInitiated)
    private let scratch: UnsafeMutablePointer<Float>
    private let shared: Guarded<Shared>
    private let channelMatrix: @Sendable ([Channel]) -> ChannelMatrix
    /// The number of frames written to the ring since it was last emptied.
    private var written = 0
    /// The ring's frame of the first frame that the source gave after its last seek.
    private var base = 0
    /// Seconds of the file for each second of sound.
    private var playbackRate: Double
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

/// Changes of the rate while the sound plays.
///
/// The decoder is about a second ahead of the listener, too late for a change. So the frames that have not been
/// rendered are replaced by newly decoded ones. The new frames are faded in over the last old ones at a place where the
/// waveforms match, so that nothing clicks. They are decoded before the old ones are dropped, so that the ring never
/// runs empty.
extension PlayerFeed {
    /// The distances behind the last rendered frame at which the change is tried, in seconds; growing, because the
    /// renderer does not wait for the decoder.
    private static let leads = [0.01, 0.03, 0.1, 0.3]

    /// Changes the rate, in seconds of the file for each second of sound, from about the next rendered frame on.
    func changePlaybackRate(to rate: Double) {
        guard rate != playbackRate else { return }
        playbackRate = rate
        do throws(AudioFileError) {
            for lead in Self.leads {
                let isDone = try splice(Int(lead * Double(sampleRate)))
                if isDone { return fill() }
            }
            try append()
        } catch {
            fail(error)
        }
        fill()
    }

    // MARK: Earlier end

    /// Renders the end of the last wanted loop anew, as for another rate; false if the end must be cut instead.
    ///
    /// At a rate other than 1 a round ends some milliseconds beside its place and blends into the next one, so decoded
    /// frames cannot be cut there. Usually nothing is rendered meanwhile, so the nearest place is tried first.
    func remakesEnd() -> Bool {
        guard playbackRate != 1, unwantedFrame != nil else { return false }
        do throws(AudioFileError) {
            for lead in [0] + Self.leads where unwantedFrame != nil {
                if try splice(Int(lead * Double(sampleRate))) { break }
            }
            guard unwantedFrame == nil else {
                // The decoded frames can only be cut, and the decoder must be where it was.
                try append()
                return false
            }
        } catch {
            fail(error)
            return false
        }
        fill()
        return true
    }

    /// The last loop to be heard: the one that is rendered now, if it should have ended already.
    private var lastWantedLoop: Int {
        let loops = numberOfLoops
        return loops < 0 ? .max : max(loops, place(atVoiceFrame: ring.framesRendered).loop)
    }

    /// The voice's first frame of an unwanted loop; nil if there is none.
    var unwantedFrame: Int? {
        let last = lastWantedLoop
        return share { $0.timeline.firstFrame(beyond: last) }
    }

    // MARK: Seams

    /// Tries one distance; false if the renderer was faster.
    private func splice(_ lead: Int) throws(AudioFileError) -> Bool {
        let cut = ring.framesRendered + lead
        let overlap = source.aligner.overlap
        var tail = [Float](repeating: 0, count: overlap * source.channels)
        while ring.copy(from: cut, frames: overlap, to: &tail) < overlap {
            // The file's last frames stay unchanged.
            if !fillOnce() { return true }
        }
        let seam = try makeSeam(from: tail, at: wantedPlace(atVoiceFrame: cut))
        try source.seek(toFrame: seam.next.fileFrame, rate: playbackRate)
        var following = 0
        while following < Self.chunkFrames {
            let count = try source.read(
                into: scratch + following * source.channels, frames: Self.chunkFrames - following)
            if count == 0 { break }
            following += count
        }
        let total = seam.frames.withUnsafeBufferPointer {
            splice(
                at: cut, [$0, UnsafeBufferPointer(start: scratch, count: following * source.channels)], isEnd: false)
        }
        guard let total else { return false }
        written = total
        base = cut + overlap
        share {
            $0.hasEnded = false
            $0.timeline.jump(atVoiceFrame: cut, to: seam.first, rate: 1)
            $0.timeline.jump(atVoiceFrame: base, to: seam.next, rate: playbackRate)
        }
        return true
    }

    /// The place of a frame of the voice, or the end if the frame belongs to an unwanted loop.
    private func wantedPlace(atVoiceFrame frame: Int) -> PlayerTimeline.Place {
        let place = place(atVoiceFrame: frame)
        let last = lastWantedLoop
        return place.loop > last ? PlayerTimeline.Place(fileFrame: length, loop: last) : place
    }

    /// Applies the rate without a seam, behind all decoded frames.
    private func append() throws(AudioFileError) {
        let place = place(atVoiceFrame: written)
        try source.seek(toFrame: place.fileFrame, rate: playbackRate)
        base = written
        share { $0.timeline.jump(atVoiceFrame: base, to: place, rate: playbackRate) }
    }

    /// Frames that blend one waveform into another, with the place of the first and of the following frame.
    private struct Seam {
        var frames: [Float]
        var first: PlayerTimeline.Place
        var next: PlayerTimeline.Place
    }

    /// Blends `tail` into the file near a place.
    private func makeSeam(
        from tail: [Float], at place: PlayerTimeline.Place
    ) throws(AudioFileError) -> Seam {
        let aligner = source.aligner
        let start = PlayerTimeline.Place(fileFrame: max(0, place.fileFrame - aligner.reach / 2), loop: place.loop)
        let input = try read(from: start, frames: aligner.reach + aligner.overlap)
        var frames = [Float](repeating: 0, count: tail.count)
        let best = input.withUnsafeBufferPointer { input -> Int in
            guard let input = input.baseAddress else { return 0 }
            let best = aligner.bestPlace(of: tail, in: input)
            aligner.crossfade(from: tail, to: input + best * source.channels, into: &frames)
            return best
        }
        return Seam(
            frames: frames, first: moved(start, by: best), next: moved(start, by: best + aligner.overlap))
    }

    /// Reads the file as it is heard, looped if wanted; silence follows its end.
    private func read(from place: PlayerTimeline.Place, frames: Int) throws(AudioFileError) -> [Float] {
        var result = [Float](repeating: 0, count: frames * source.channels)
        try source.seek(toFrame: place.fileFrame, rate: 1)
        var done = 0
        while done < frames {
            let count = try source.read(into: scratch, frames: min(frames - done, Self.chunkFrames))
            for index in 0..<count * source.channels { result[done * source.channels + index] = scratch[index] }
            done += count
            guard count == 0 else { continue }
            guard source.canBeginAgain, moved(place, by: done).loop > place.loop else { break }
            try source.beginAgain()
        }
        return result
    }

    /// The place a number of file frames later, in a later round if there is one.
    private func moved(_ place: PlayerTimeline.Place, by frames: Int) -> PlayerTimeline.Place {
        var moved = PlayerTimeline.Place(fileFrame: place.fileFrame + frames, loop: place.loop)
        let loops = numberOfLoops
        while moved.fileFrame >= length && length > 0 && (loops < 0 || moved.loop < loops) {
            moved.fileFrame -= length
            moved.loop += 1
        }
        moved.fileFrame = min(moved.fileFrame, length)
        return moved
    }
}
