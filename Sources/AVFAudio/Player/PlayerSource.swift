internal import AudioFiles
internal import TimeStretch

/// A player's file as its voice takes it: at the voice's sample rate, and as fast as the listener wants.
///
/// The rounds of a loop are one sound to it. At rate 1 there is nothing between the file and the voice.
final class PlayerSource {
    /// Frames read for a stretch at a time.
    private static let chunkFrames = 2048

    /// Frames of the file, at the voice's sample rate.
    let length: Int
    /// Interleaved channels of a frame.
    let channels: Int
    /// Joins what was heard so far with another place of the file.
    let aligner: WaveformAligner
    private let sampleRate: Double
    private let reader: ResamplingReader
    private var stretch: TimeStretch?
    private var rate = 1.0
    private var chunk: [Float] = []
    /// Frames of the file read since the last seek.
    private var framesRead = 0
    /// Whether the present round began with the first frame and has given none so far.
    private var isRoundEmpty = false
    /// Whether nothing can follow what was read since the last seek: it was ``finish(into:frames:)``ed.
    private(set) var isFinished = false

    /// The file from its first frame on; throws `.unsupportedEncoding`.
    init(_ file: AudioFileReader, sampleRate: Int) throws(AudioFileError) {
        self.sampleRate = Double(sampleRate)
        reader = try ResamplingReader(file, sampleRate: self.sampleRate)
        length = Int(reader.frames)
        channels = reader.channels
        aligner = WaveformAligner(sampleRate: self.sampleRate, channels: reader.channels)
    }

    /// Goes on at a frame of the file, at a rate.
    func seek(toFrame frame: Int, rate: Double) throws(AudioFileError) {
        self.rate = rate
        stretch = rate == 1 ? nil : TimeStretch(sampleRate: sampleRate, channels: channels, rate: rate)
        framesRead = 0
        isFinished = false
        isRoundEmpty = frame == 0
        try reader.seek(toFrame: Int64(frame))
    }

    /// Whether there is something to go round: a damaged file may promise frames and have none.
    var canBeginAgain: Bool { length > 0 && !isRoundEmpty }

    /// Goes on with the file's first frame, without a seam; not after ``finish(into:frames:)``.
    func beginAgain() throws(AudioFileError) {
        isRoundEmpty = true
        try reader.seek(toFrame: 0)
    }

    /// Reads up to `frames` frames and returns how many; 0 at the end of the file, after which it can ``beginAgain()``
    /// or ``finish()``.
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

    /// What the file lacks, once it was read to its end.
    var loss: AudioFileError? { reader.loss }

    /// Says that nothing follows what was read of the file, and reads what that still makes.
    func finish(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        isFinished = true
        guard let stretch else { return 0 }
        stretch.finish()
        return stretch.read(into: destination, frames: frames)
    }

    /// How many frames of output all that was read of the file since the last seek makes.
    var outputFrames: Int { Int((Double(framesRead) / rate).rounded()) }
}
