/// An encoder and its file, the back end of an ``AudioFileWriter``.
///
/// All samples are interleaved. Everything throws `.diskFull`, `.io` or `.closed`.
protocol FrameEncoder: AnyObject {
    /// Frames that were taken.
    var framesWritten: Int64 { get }
    /// The file that it writes to.
    var sink: ByteSink { get }

    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError)
    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError)
    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError)

    /// Makes what was written so far readable and waits for the disk.
    func flush() throws(AudioFileError)
    /// Makes the file whole; nothing the second time.
    func finish() throws(AudioFileError)
    /// Waits until a finished file is on the disk.
    func synchronize() throws(AudioFileError)
}

/// An encoder that works on `Float`, whatever it is given.
protocol FloatEncoder: FrameEncoder {
    /// Takes so many frames; `sample` gives each of their interleaved samples, at full scale ±1.
    func put(_ frames: Int, _ sample: (Int) -> Float) throws(AudioFileError)
}

extension FloatEncoder {
    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
        try put(frames) { Float(source[$0]) * 0x1p-15 }
    }

    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {
        try put(frames) { Float(source[$0]) * 0x1p-31 }
    }

    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {
        // One number that is none would silence a filter for as long as it is.
        try put(frames) { source[$0].isFinite ? source[$0] : 0 }
    }
}

/// The parameters of a file to be written, all but its path.
struct EncodingRequest {
    let container: AudioContainer
    let encoding: AudioEncoding
    let sampleRate: Double
    let channels: Int
    let isBigEndian: Bool?
    let quality: Double?
    let bitRate: Int?
    let strategy: BitRateStrategy?
    let limits: SizeLimits

    /// The error for what the encoders do not do.
    func unsupported(_ path: String) -> AudioFileError {
        let what = "\(encoding.rawValue) in \(container.rawValue) at \(sampleRate) Hz with \(channels) channels"
        return AudioFileError(.unsupportedEncoding, "cannot be written as \(what)", path: path)
    }
}

/// The bit rate mode of an encoder.
package enum BitRateStrategy: Sendable, CaseIterable {
    /// As many bits for every packet, as far as the codec can.
    case constant
    /// The bit rate as an average over a while.
    case longTermAverage
    /// As many bits as needed, around the bit rate.
    case variableConstrained
    /// As many bits as the quality needs.
    case variable
}

extension Double {
    /// The integer of `bits` bits that stands for a sample of full scale ±1: the nearest, never beyond the range.
    func quantized(bits: Int) -> Int32 {
        let scale = Double(Int64(1) << (bits - 1))
        return isNaN ? 0 : Int32(Swift.min(Swift.max((self * scale).rounded(.toNearestOrEven), -scale), scale - 1))
    }
}
