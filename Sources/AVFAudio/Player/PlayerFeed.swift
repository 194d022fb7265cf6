internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SoundHost

/// Decodes a player's file ahead of time into its voice, on a queue of its own.
// SAFETY: `source`, `scratch`, `written`, `base` and `playbackRate` are only used on `queue`; `shared` is guarded by
// `lock`; the voice takes care of itself.
final class PlayerFeed: @unchecked Sendable {
    struct Shared {
        var timeline: PlayerTimeline
        var numberOfLoops = 0
        var hasEnded = false
        var error: AudioFileError?
        var loss: AudioFileError?
        var isGivenUp = false
    }

    /// How much is decoded ahead, and how much of what was rendered can be rendered again, in seconds.
    ///
    /// The latter covers what the server may have queued when the sound stops. At usual rates both fit into 2^17
    /// frames, which is what the ring rounds up to.
    private static let ahead = 1.0
    private static let history = OutputMix.historySeconds
    static let chunkFrames = 4096
    /// How much is decoded before a voice is played, in seconds: one chunk at the usual rates, more at higher ones.
    ///
    /// A mix writes 50 ms in the first turn of a voice that joins others, and only then asks for more; with less than
    /// that it would go on without the voice.
    private static let firstStretch = 0.085
    /// Frames that a mix is told of before the voice is full.
    private static let worthTelling = 1024

    let voice: Voice
    /// The total length, in frames at the voice's rate.
    let length: Int
    /// Frames a second of the voice, in Hz.
    let sampleRate: Int
    let source: PlayerSource
    let queue = DispatchQueue(label: "AVAudioPlayer.decode", qos: .userInitiated)
    let scratch: UnsafeMutablePointer<Float>
    private let lock = NSLock()
    private var shared: Shared
    /// Frames written to the voice since it was last emptied.
    var written = 0
    /// The voice's frame that holds the first one that the source gave since its last seek.
    var base = 0
    /// Seconds of the file for each second of sound.
    var playbackRate: Double
    /// Called on the decoder's queue after frames were written, or when there turned out to be no more.
    var onWrite: @Sendable () -> Void = {}
    /// Called on the decoder's queue when ``endLoopsEarly(excludingRenderer:)`` or
    /// ``setPlaybackRate(_:excludingRenderer:)`` is done, once for each call.
    var onRevised: @Sendable () -> Void = {}
    /// Called on the decoder's queue when the file could not be read on.
    var onError: @Sendable (AudioFileError) -> Void = { _ in }

    /// A feed whose voice is empty until the first ``restart(at:excludingRenderer:)``.
    ///
    /// - Parameters:
    ///   - file: What is played; it has as many channels as the matrix has inputs.
    ///   - sampleRate: Frames a second of the voice, in Hz.
    ///   - matrix: From the file's channels to the mixer's.
    ///   - playbackRate: Seconds of the file for each second of sound.
    init(file: AudioFileReader, sampleRate: Int, matrix: ChannelMatrix, playbackRate: Double) throws {
        source = try PlayerSource(file, sampleRate: sampleRate)
        self.sampleRate = sampleRate
        self.playbackRate = playbackRate
        length = source.length
        shared = Shared(timeline: PlayerTimeline(length: source.length))
        let history = Int(Double(sampleRate) * Self.history)
        voice = Voice(
            channels: matrix.inputs, matrix: matrix,
            capacity: Int(Double(sampleRate) * Self.ahead), history: history)
        scratch = .allocate(capacity: Self.chunkFrames * matrix.inputs)
    }

    deinit { scratch.deallocate() }

    /// The file's frame at a time in seconds, at the voice's rate; times beyond the end are the end.
    func frame(at seconds: Double) -> Int {
        min(Int(min((seconds * Double(sampleRate)).rounded(), Double(length))), length)
    }

    /// Free room, in frames, from which on it is worth to wake the decoder.
    var refillThreshold: Int { Int(Double(sampleRate) * Self.ahead / 2) }

    // MARK: Commands, from the player's thread

    /// Empties the voice, which must not be in the mix, and decodes from the given place on until a first stretch is
    /// there; blocks for that long.
    ///
    /// `keepsRamps` lets a fade go on.
    func restart(
        at place: PlayerTimeline.Place, keepsRamps: Bool = false, excludingRenderer: (() -> Void) -> Void
    ) {
        queue.sync {
            excludingRenderer { voice.reset(keepsRamps: keepsRamps) }
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

    /// Decodes until the voice is full.
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
            self.voice.setEnded(false)
            self.base = self.written
            do throws(AudioFileError) {
                try self.source.seek(toFrame: 0, rate: self.playbackRate)
            } catch {
                return self.fail(error)
            }
            self.fill()
        }
    }

    /// Lets the sound end with the loop that is heard, or a later one, if fewer are wanted than were decoded.
    ///
    /// `excludingRenderer` calls its argument while nobody renders.
    func endLoopsEarly(excludingRenderer: @escaping @Sendable (() -> Void) -> Void) {
        queue.async { [weak self] in
            guard let self else { return }
            // Whoever renders waits to be told, whatever came of it.
            defer { onRevised() }
            if remakesEnd(excludingRenderer) { return }
            excludingRenderer {
                guard let end = self.unwantedFrame, end >= self.voice.framesRendered else { return }
                self.voice.truncate(to: end)
                self.voice.setEnded(true)
                // The end may lie beyond what there was room for.
                self.written = self.voice.framesRendered + self.voice.readableFrames
                self.share {
                    $0.hasEnded = true
                    $0.timeline.cut(at: end)
                }
            }
        }
    }

    // MARK: Positions

    /// The place in the file that a frame of the voice holds.
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
    func share<Result>(_ body: (inout Shared) -> Result) -> Result { lock.withLock { body(&shared) } }

    // MARK: Decoding, on the queue

    func fill() {
        let hadEnded = share { $0.hasEnded }
        var told = written
        while fillOnce() {
            // A mix that has rendered what it knew of waits, and the server may run short before the voice is full.
            guard written - told >= Self.worthTelling, voice.framesRendered >= told else { continue }
            told = written
            onWrite()
        }
        // An end that comes without frames is told once: the mix may have rendered all there is and wait for more.
        // After that there is nothing to tell, and the mix would only ask again.
        if written != told || share({ $0.hasEnded }) != hadEnded { onWrite() }
    }

    /// Decodes one chunk; false when the voice is full or the file has ended.
    func fillOnce() -> Bool {
        guard !share({ $0.hasEnded }) else { return false }
        let room = min(voice.writableFrames, Self.chunkFrames)
        guard room > 0 else { return false }
        do throws(AudioFileError) {
            let count = try source.read(into: scratch, frames: room)
            if count > 0 {
                written += voice.write(scratch, frames: count)
                return true
            }
            tellLoss()
            if !source.isFinished, source.canBeginAgain, beginNextLoop(at: base + source.outputFrames) {
                try source.beginAgain()
                return true
            }
            let rest = source.finish(into: scratch, frames: room)
            written += voice.write(scratch, frames: rest)
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
            $0.timeline.forget(before: voice.framesRendered - Int(Double(sampleRate) * Self.history))
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
        voice.setEnded(true)
    }

    func fail(_ error: AudioFileError) {
        share { $0.error = error }
        end()
        onError(error)
    }
}
