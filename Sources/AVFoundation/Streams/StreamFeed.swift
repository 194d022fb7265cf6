internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import TimeStretch

/// Takes a stream's frames from the loader to a voice, at the voice's sample rate and as fast as the listener wants.
///
/// Its owner sees to it that one thread at a time uses it.
final class StreamFeed {
    private static let ahead = 1.0
    private static let chunkFrames = 4096
    private static let leastFrames = 256

    let ring: Voice
    /// The frame of the stream that is taken next.
    private(set) var cursor: Int64 = 0
    /// Whether all of the stream has been written.
    private(set) var isFinished = false
    /// Whether everything that was taken from the loader is in the ring.
    var isWritten: Bool { pendingStart >= pending.count && ring.isEnded }
    private let loader: StreamLoader
    private let format: StreamFormat
    private let sampleRate: Int
    /// The stream's frame in the voice's first one, and frames of it for each of the voice's.
    private var origin: Int64 = 0
    private var ratio = 1.0
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

    /// A converter without a past; nil where none is needed.
    private func makeConverter() throws(AudioFileError) -> RateConverter? {
        guard format.sampleRate != Double(sampleRate) else { return nil }
        return try RateConverter(from: format.sampleRate, to: Double(sampleRate), channels: format.channels)
    }

    /// Free room, in frames, from which on it is worth to fill the ring.
    var refillThreshold: Int { Int(Double(sampleRate) * Self.ahead / 2) }

    /// Goes on at a frame of the stream; the voice was emptied before.
    func restart(at frame: Int64, rate: Double) {
        (cursor, origin) = (frame, frame)
        ratio = format.sampleRate / Double(sampleRate) * rate
        // One could be made before.
        converter = try? makeConverter()
        stretch = rate == 1 ? nil : TimeStretch(sampleRate: Double(sampleRate), channels: format.channels, rate: rate)
        pending = []
        isFinished = false
    }

    /// The frame of the stream that a frame of the voice holds.
    func streamFrame(at voiceFrame: Int) -> Int64 {
        min(origin + Int64((Double(voiceFrame) * ratio).rounded()), cursor)
    }

    /// Seconds of the stream that are on their way to the listener and not rendered yet.
    var queuedSeconds: Double {
        let frames = ring.readableFrames + (pending.count - pendingStart) / format.channels
        return Double(frames) * ratio / format.sampleRate
    }

    /// Writes as much as fits and is there; true if that was anything, or if the voice was found to end.
    ///
    /// The voice ends where nothing more is there: what comes later makes it go on, or begin again.
    func fill() -> Bool {
        // The last of it may be waiting for room.
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

    /// Frames that are taken at a time: fewer of a stream whose frames become many of the voice's.
    private var takenFrames: Int {
        let fitting = 4 * Double(Self.chunkFrames) * format.sampleRate / Double(sampleRate)
        return min(max(Int(fitting), Self.leastFrames), Self.chunkFrames)
    }

    /// Gets more to write; false if there is nothing.
    private func refill() -> Bool {
        (pending, pendingStart) = ([], 0)
        while pending.isEmpty {
            // Asked in this order: what is there when the stream is complete is all of it.
            let isComplete = loader.current.isComplete
            let samples = loader.take(from: cursor, count: takenFrames)
            if samples.isEmpty {
                guard isComplete, !isFinished else { return false }
                isFinished = true
                pending = stretched(converter?.finish() ?? [], isLast: true)
                return !pending.isEmpty
            }
            cursor += Int64(samples.count / format.channels)
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
