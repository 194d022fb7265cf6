internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Locks
internal import TimeStretch

/// The frames of a stream that the frames of a voice hold; can be read on any thread while a feed writes the voice.
final class StreamTimeline: Sendable {
    private struct Stretch {
        /// The stream's frame in the first frame of the voice.
        var origin: Int64 = 0
        /// Frames of the stream for each frame of the voice.
        var ratio = 1.0
        /// The stream's frame after the last one that was written.
        var end: Int64 = 0
    }

    private let stretch = Guarded(Stretch())

    /// Begins with another frame of the stream, in an empty voice.
    func restart(at frame: Int64, ratio: Double) {
        stretch.withLock { $0 = Stretch(origin: frame, ratio: ratio, end: frame) }
    }

    /// Extends the written part up to a frame of the stream.
    func extend(to frame: Int64) { stretch.withLock { $0.end = frame } }

    /// The stream's frame in a frame of the voice.
    func streamFrame(at voiceFrame: Int) -> Int64 {
        stretch.withLock { min($0.origin + Int64((Double(voiceFrame) * $0.ratio).rounded()), $0.end) }
    }
}

/// Takes a stream's frames from the loader to a voice, at the voice's sample rate and at the player's rate.
///
/// Not thread-safe, but for `ring` and `timeline`: the owner's command lock is held around each call.
final class StreamFeed {
    private static let ahead = 1.0
    private static let chunkFrames = 4096
    private static let leastFrames = 256

    let ring: Voice
    let timeline = StreamTimeline()
    /// The frame of the stream that is taken from the loader next.
    private var cursor: Int64 = 0
    /// Whether the whole stream has been taken from the loader.
    private(set) var isFinished = false
    /// Whether everything that was taken from the loader is in the ring.
    var isWritten: Bool { pendingStart >= pending.count && ring.isEnded }
    private let loader: StreamLoader
    private let format: StreamFormat
    private let sampleRate: Int
    private var converter: RateConverter?
    private var stretch: TimeStretch?
    private var pending: [Float] = []
    private var pendingStart = 0

    /// A feed whose voice is empty until ``restart(at:rate:)``; throws where the rate cannot be converted.
    init(
        _ loader: StreamLoader, format: StreamFormat, place: OutputPlace, matrix: ChannelMatrix
    ) throws(AudioFileError) {
        self.loader = loader
        self.format = format
        sampleRate = place.rate
        ring = Voice(
            channels: matrix.inputs, matrix: matrix, capacity: Int(Double(sampleRate) * Self.ahead),
            history: Int(Double(sampleRate) * place.historySeconds))
        converter = try makeConverter()
    }

    /// A converter without history; nil where the rates are the same.
    private func makeConverter() throws(AudioFileError) -> RateConverter? {
        guard format.sampleRate != Double(sampleRate) else { return nil }
        return try RateConverter(from: format.sampleRate, to: Double(sampleRate), channels: format.channels)
    }

    /// Free frames in the ring from which on it is filled.
    var refillThreshold: Int { Int(Double(sampleRate) * Self.ahead / 2) }

    /// Goes on at a frame of the stream, in a voice that was emptied before.
    func restart(at frame: Int64, rate: Double) {
        cursor = frame
        timeline.restart(at: frame, ratio: format.sampleRate / Double(sampleRate) * rate)
        // `init` made one already, so this does not fail.
        converter = try? makeConverter()
        stretch = rate == 1 ? nil : TimeStretch(sampleRate: Double(sampleRate), channels: format.channels, rate: rate)
        pending = []
        isFinished = false
    }

    /// Writes as many frames as fit and are loaded; true if there were any, or if the voice was found to end.
    ///
    /// The voice ends with the loaded part; frames that are loaded later make it go on, or begin again.
    func fill() -> Bool {
        // The last frames may wait for room.
        guard !isFinished || !isWritten else { return false }
        var hasWritten = false
        while true {
            if pendingStart < pending.count {
                ring.setEnded(false)
                let count = pending.withUnsafeBufferPointer { samples in
                    samples.baseAddress.map {
                        ring.write($0 + pendingStart, frames: (samples.count - pendingStart) / format.channels)
                    } ?? 0
                }
                pendingStart += count * format.channels
                if count > 0 { hasWritten = true }
                // The voice is full.
                if pendingStart < pending.count { return hasWritten }
            }
            guard ring.writableFrames > 0 else { return hasWritten }
            guard !refill() else { continue }
            let isNews = !ring.isEnded
            ring.setEnded(true)
            return hasWritten || isNews
        }
    }

    /// Frames that are taken at a time: fewer where one frame of the stream becomes many of the voice.
    private var takenFrames: Int {
        let fitting = 4 * Double(Self.chunkFrames) * format.sampleRate / Double(sampleRate)
        return min(max(Int(fitting), Self.leastFrames), Self.chunkFrames)
    }

    /// Takes frames from the loader; false if there are none.
    private func refill() -> Bool {
        (pending, pendingStart) = ([], 0)
        while pending.isEmpty {
            // In this order: frames that are loaded when the stream is complete are all frames.
            let isComplete = loader.current.isComplete
            let samples = loader.take(from: cursor, count: takenFrames)
            if samples.isEmpty {
                guard isComplete, !isFinished else { return false }
                isFinished = true
                pending = stretched(converter?.finish() ?? [], isLast: true)
                return !pending.isEmpty
            }
            cursor += Int64(samples.count / format.channels)
            timeline.extend(to: cursor)
            pending = stretched(converter?.convert(samples) ?? samples, isLast: false)
        }
        return true
    }

    private func stretched(_ samples: [Float], isLast: Bool) -> [Float] {
        guard let stretch else { return samples }
        stretch.write(samples, frames: samples.count / format.channels)
        if isLast { stretch.finish() }
        var result: [Float] = []
        var piece = [Float](repeating: 0, count: Self.chunkFrames * format.channels)
        while true {
            let count = stretch.read(into: &piece, frames: Self.chunkFrames)
            guard count > 0 else { return result }
            result.append(contentsOf: piece[..<(count * format.channels)])
        }
    }
}
