internal import AudioFiles
internal import TimeStretch

/// The source of a player's voice: its file at the voice's sample rate and at the player's rate.
///
/// The rounds of a loop count as one sound. At rate 1 the file's frames pass unchanged, or only resampled.
final class PlayerSource {
    /// The number of frames read for a stretch at a time.
    private static let chunkFrames = 2048

    /// The length of the file in frames, at the voice's sample rate.
    let length: Int
    /// The number of interleaved channels.
    let channels: Int
    /// Joins the sound so far with another place of the file.
    let aligner: WaveformAligner
    private let sampleRate: Double
    private let reader: ResamplingReader
    private var stretch: TimeStretch?
    private var rate = 1.0
    private var chunk: [Float] = []
    /// The number of file frames read since the last seek.
    private var framesRead = 0
    /// Whether the current round began with the first frame and has given no frame yet.
    private var isRoundEmpty = false
    /// Whether ``finish(into:frames:)`` was called since the last seek: nothing can follow.
    private(set) var isFinished = false

    /// A source at the file's first frame; throws `.unsupportedEncoding`.
    init(_ file: AudioFileReader, sampleRate: Int) throws(AudioFileError) {
        self.sampleRate = Double(sampleRate)
        reader = try ResamplingReader(file, sampleRate: self.sampleRate)
        length = Int(reader.frames)
        channels = reader.channels
        aligner = WaveformAligner(sampleRate: self.sampleRate, channels: reader.channels)
    }

    /// Continues at a frame of the file, at a rate.
    func seek(toFrame frame: Int, rate: Double) throws(AudioFileError) {
        self.rate = rate
        stretch = rate == 1 ? nil : TimeStretch(sampleRate: sampleRate, channels: channels, rate: rate)
        framesRead = 0
        isFinished = false
        isRoundEmpty = frame == 0
        try reader.seek(toFrame: Int64(frame))
    }

    /// Whether another round can follow: a damaged file may promise frames and have none.
    var canBeginAgain: Bool { length > 0 && !isRoundEmpty }

    /// Continues with the file's first frame, without a seam; not after ``finish(into:frames:)``.
    func beginAgain() throws(AudioFileError) {
        isRoundEmpty = true
        try reader.seek(toFrame: 0)
    }

    /// Reads up to `frames` frames, and returns their number; 0 at the end of the file, after which ``beginAgain()`` or
    /// ``finish(into:frames:)`` may follow.
    func read(into destination: UnsafeMutablePointer<Float>, frames: Int) throws(AudioFileError) -> Int {
        guard let stretch else {
            return count(try reader.read(into: destination, frames: frames))
        }
        if chunk.isEmpty { chunk = [Float](repeating: 0, count: Self.chunkFrames * channels) }
        while true {
            let ready = stretch.read(into: destination, frames: frames)
            guard ready == 0 else { return ready }
            let fresh = count(try reader.read(into: &chunk, frames: Self.chunkFrames))
            guard fresh > 0 else { return 0 }
            stretch.write(chunk, frames: fresh)
        }
    }

    private func count(_ fresh: Int) -> Int {
        framesRead += fresh
        if fresh > 0 { isRoundEmpty = false }
        return fresh
    }

    /// The damage of the file, known once it was read to its end; nil if there is none.
    var loss: AudioFileError? { reader.loss }

    /// Ends the sound after the frames read so far, and reads the remaining output.
    func finish(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        isFinished = true
        guard let stretch else { return 0 }
        stretch.finish()
        return stretch.read(into: destination, frames: frames)
    }

    /// The number of output frames for all file frames read since the last seek.
    var outputFrames: Int { Int((Double(framesRead) / rate).rounded()) }
}
