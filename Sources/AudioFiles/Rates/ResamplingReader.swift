/// Reads an ``AudioFileReader``'s frames at another rate, through libsoxr's high quality (20 bit) converter.
///
/// Equal rates pass through untouched. Frame counts and positions are those of the new rate.
// One thread at a time uses a reader; its owner sees to that.
package final class ResamplingReader {
    /// Frames a second of what is read, in Hz.
    package let sampleRate: Double
    /// Interleaved channels of a frame.
    package let channels: Int
    /// Frames that reading to the end gives: the file's, times the ratio of the rates, rounded.
    package let frames: Int64
    /// The frame that the next read starts with.
    package private(set) var position: Int64 = 0

    /// Input frames that are converted in front of a seek target, so that the filter is filled as in a pass from the
    /// start.
    private static let preroll: Int64 = 8192

    /// Frames that the filter's end may lack.
    private static let rounding: Int64 = 4

    private let reader: AudioFileReader
    private let converter: SoxrConverter?
    /// `sampleRate` : the file's rate as the smallest integers.
    private let ratio: (output: Int64, input: Int64)
    private var input: [Float]
    private var filled = 0..<0
    private var isDrained = false
    private var pendingError: AudioFileError?

    /// What the file lacks; see ``AudioFileReader/loss``.
    package var loss: AudioFileError? { reader.loss }

    /// Makes a reader from the first frame on; throws `.unsupportedEncoding` for rates that cannot be converted, and
    /// `.missingLibrary`.
    package init(_ reader: AudioFileReader, sampleRate: Double) throws(AudioFileError) {
        let format = reader.format
        self.reader = reader
        self.sampleRate = sampleRate
        channels = format.channels
        guard sampleRate.isFinite, sampleRate >= 1, sampleRate <= 10_000_000 else {
            throw AudioFileError(.unsupportedEncoding, "cannot be converted to \(sampleRate) Hz", path: reader.path)
        }
        if format.sampleRate == sampleRate {
            frames = format.frames
            converter = nil
            ratio = (1, 1)
            input = []
        } else {
            // A header may claim a length that is none any more at a higher rate.
            let exact = Double(format.frames) * sampleRate / format.sampleRate
            frames = Int64(min(exact.rounded(), 0x1p60))
            let divisor = Self.divisor(Int64(sampleRate), Int64(format.sampleRate))
            let isInteger = sampleRate == sampleRate.rounded()
            ratio = isInteger ? (Int64(sampleRate) / divisor, Int64(format.sampleRate) / divisor) : (0, 0)
            input = [Float](repeating: 0, count: 4096 * format.channels)
            converter = try SoxrConverter(
                from: format.sampleRate, to: sampleRate, channels: format.channels, path: reader.path)
        }
        if reader.position != 0 { try reader.seek(toFrame: 0) }
    }

    /// Reads up to `frames` interleaved frames and returns how many; 0 at the end.
    ///
    /// Throws as the file's reader does.
    package func read(into destination: UnsafeMutablePointer<Float>, frames: Int) throws(AudioFileError) -> Int {
        guard let converter else {
            let count = try reader.read(into: destination, frames: frames)
            position += Int64(count)
            return count
        }
        let wanted = min(frames, Int(clamping: self.frames - position))
        guard wanted > 0 else { return 0 }
        var done = try convert(with: converter, into: destination, frames: wanted)
        if done < wanted, pendingError == nil, self.frames - position - Int64(done) <= Self.rounding {
            // The filter's end may round one frame away; the length is a promise.
            (destination + done * channels).update(repeating: 0, count: (wanted - done) * channels)
            done = wanted
        }
        position += Int64(done)
        if done == 0, let error = pendingError {
            pendingError = nil
            throw error
        }
        return done
    }

    /// Moves to a frame of the new rate, exactly: what follows is what reading from the start would have given.
    package func seek(toFrame frame: Int64) throws(AudioFileError) {
        guard (0...frames).contains(frame) else {
            throw AudioFileError(.outOfRange, "has no frame \(frame)", path: reader.path)
        }
        guard let converter else {
            try reader.seek(toFrame: frame)
            position = frame
            return
        }
        // Start where an input frame and an output frame fall together, so that the filter has the same phase.
        var start = (input: Int64(0), output: Int64(0))
        if ratio.output > 0 {
            let preroll = (Self.preroll + ratio.input - 1) / ratio.input
            let block = max(0, frame / ratio.output - preroll)
            start = (block * ratio.input, block * ratio.output)
        }
        try reader.seek(toFrame: min(start.input, reader.format.frames))
        converter.clear()
        filled = 0..<0
        isDrained = false
        pendingError = nil
        position = start.output
        var scratch = [Float](repeating: 0, count: 4096 * channels)
        while position < frame {
            let count = Int(min(4096, frame - position))
            guard try read(into: &scratch, frames: count) > 0 else { break }
        }
    }

    private func convert(
        with converter: SoxrConverter, into destination: UnsafeMutablePointer<Float>, frames: Int
    ) throws(AudioFileError) -> Int {
        var done = 0
        while done < frames {
            if filled.isEmpty && !isDrained { fill() }
            let progress = input.withUnsafeBufferPointer { buffer in
                converter.process(
                    isDrained ? nil : buffer.baseAddress.map { $0 + filled.lowerBound * channels },
                    frames: filled.count, into: destination + done * channels, room: frames - done)
            }
            if let failure = progress.failure { throw AudioFileError(.malformed, failure, path: reader.path) }
            filled = filled.lowerBound + progress.used..<filled.upperBound
            done += progress.made
            if isDrained && progress.made == 0 { break }
        }
        return done
    }

    private func fill() {
        do throws(AudioFileError) {
            let count = try reader.read(into: &input, frames: input.count / channels)
            filled = 0..<count
            isDrained = count == 0
        } catch {
            pendingError = error
            isDrained = true
        }
    }

    private static func divisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? max(a, 1) : divisor(b, a % b) }
}
