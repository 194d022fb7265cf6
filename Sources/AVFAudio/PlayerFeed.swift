internal import AudioFiles
internal import AudioRealtime
internal import Foundation

/// Decodes a player's file ahead of time into its voice, on a queue of its own.
///
/// It knows which frame of the file each frame of the voice came from, over seeks and loops.
// SAFETY: `reader`, `scratch` and `written` are only used on `queue`; `shared` is guarded by `lock`; the voice takes care of itself.
final class PlayerFeed: @unchecked Sendable {
    /// A stretch of the voice that came from the file without a jump.
    private struct Segment {
        /// The voice's first frame of the stretch.
        var voiceFrame: Int
        /// The file's frame that it holds, at the voice's rate.
        var fileFrame: Int
        /// How many loops had been completed before it.
        var loop: Int
    }

    private struct Shared {
        var segments: [Segment] = [Segment(voiceFrame: 0, fileFrame: 0, loop: 0)]
        var numberOfLoops = 0
        var hasEnded = false
        var error: AudioFileError?
    }

    /// How much is decoded ahead, and how much of what was rendered can be rendered again, in seconds.
    ///
    /// The latter covers what the server may have queued when the sound stops. At usual rates both fit into 2^16 frames,
    /// which is what the ring rounds up to.
    private static let ahead = 1.0
    private static let history = 0.35
    private static let chunkFrames = 4096

    let voice: Voice
    /// The total length, in frames at the voice's rate.
    let length: Int
    /// Frames a second.
    let rate: Int
    private let reader: ResamplingReader
    private let queue = DispatchQueue(label: "AVAudioPlayer.decode", qos: .userInitiated)
    private let scratch: UnsafeMutablePointer<Float>
    private let lock = NSLock()
    private var shared = Shared()
    /// Frames written to the voice since it was last emptied; only used on `queue`.
    private var written = 0
    /// Called on the decoder's queue after frames were written.
    var onFed: @Sendable () -> Void = {}
    /// Called on the decoder's queue when the file could not be read on.
    var onError: @Sendable (AudioFileError) -> Void = { _ in }

    init(file: AudioFileReader, rate: Int, channels: [Channel], output: [Channel]) throws {
        reader = try ResamplingReader(file, sampleRate: Double(rate))
        self.rate = rate
        length = Int(reader.frames)
        let history = Int(Double(rate) * Self.history)
        voice = Voice(
            channels: channels.count, matrix: ChannelMatrix(from: channels, to: output),
            capacity: Int(Double(rate) * Self.ahead) + history, history: history)
        scratch = .allocate(capacity: Self.chunkFrames * channels.count)
    }

    deinit { scratch.deallocate() }

    /// Free room, in frames, from which on it is worth to wake the decoder.
    var hungerThreshold: Int { Int(Double(rate) * Self.ahead / 2) }

    // MARK: Commands, from the player's thread

    /// Empties the voice, which must not be in the mix, and decodes from the given frame on until a first stretch is
    /// there; blocks for that long.
    func restart(at frame: Int, loop: Int, excludingRenderer: (() -> Void) -> Void) {
        queue.sync {
            excludingRenderer { voice.reset() }
            written = 0
            lock.withLock {
                shared.segments = [Segment(voiceFrame: 0, fileFrame: frame, loop: loop)]
                shared.hasEnded = false
                shared.error = nil
            }
            do throws(AudioFileError) {
                try reader.seek(toFrame: Int64(frame))
                _ = fillOnce()
            } catch {
                fail(error)
            }
        }
        wake()
    }

    /// Decodes until the voice is full.
    func wake() { queue.async { [weak self] in self?.fill() } }

    var numberOfLoops: Int {
        get { lock.withLock { shared.numberOfLoops } }
        set { lock.withLock { shared.numberOfLoops = newValue } }
    }

    /// Goes on decoding after the end was reached, if more loops are wanted by now.
    func reconsiderEnd() {
        queue.async { [weak self] in
            guard let self, self.lock.withLock({ self.shared.hasEnded && self.shared.error == nil }) else { return }
            guard self.beginNextLoop() else { return }
            self.lock.withLock { self.shared.hasEnded = false }
            self.voice.setEnded(false)
            do throws(AudioFileError) { try self.reader.seek(toFrame: 0) } catch { return self.fail(error) }
            self.fill()
        }
    }

    // MARK: Positions

    /// The file's frame, and the number of completed loops, at a frame of the voice.
    func position(atVoiceFrame frame: Int) -> (fileFrame: Int, loop: Int) {
        lock.withLock {
            let segment = shared.segments.last { $0.voiceFrame <= frame } ?? shared.segments[0]
            return (min(segment.fileFrame + max(0, frame - segment.voiceFrame), length), segment.loop)
        }
    }

    /// How many loops the decoder has completed, ahead of the listener.
    var loopsDecoded: Int { lock.withLock { shared.segments.last?.loop ?? 0 } }

    /// Why the file ended early, if it did.
    var error: AudioFileError? { lock.withLock { shared.error } }

    // MARK: Decoding, on the queue

    private func fill() {
        var hasWritten = false
        while fillOnce() { hasWritten = true }
        // At the end of the file there is nothing to tell, and the mix would only ask again.
        if hasWritten { onFed() }
    }

    /// Decodes one chunk; false when the voice is full or the file has ended.
    private func fillOnce() -> Bool {
        guard !lock.withLock({ shared.hasEnded }) else { return false }
        let room = min(voice.writableFrames, Self.chunkFrames)
        guard room > 0 else { return false }
        do throws(AudioFileError) {
            let count = try reader.read(into: scratch, frames: room)
            if count > 0 {
                written += voice.write(scratch, frames: count)
                return true
            }
            guard length > 0, beginNextLoop() else {
                end()
                return false
            }
            try reader.seek(toFrame: 0)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func beginNextLoop() -> Bool {
        lock.withLock {
            let done = shared.segments.last?.loop ?? 0
            guard shared.numberOfLoops < 0 || done < shared.numberOfLoops else { return false }
            shared.segments.append(Segment(voiceFrame: written, fileFrame: 0, loop: done + 1))
            // Stretches older than what can be rendered again are of no use any more.
            let oldest = voice.framesRendered - Int(Double(rate) * Self.history)
            let kept = shared.segments.lastIndex { $0.voiceFrame <= oldest } ?? 0
            if kept > 64 { shared.segments.removeFirst(kept) }
            return true
        }
    }

    private func end() {
        lock.withLock { shared.hasEnded = true }
        voice.setEnded(true)
    }

    private func fail(_ error: AudioFileError) {
        lock.withLock { shared.error = error }
        end()
        onError(error)
    }
}
