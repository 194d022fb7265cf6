/// A decoder of one kind of file, the back end of an ``AudioFileReader``.
protocol FrameDecoder: AnyObject {
    /// What the file contains.
    var format: AudioFileFormat { get }

    /// Decodes up to `frames` interleaved frames, full scale ±1; fewer only at the end or where decoding fails.
    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int

    /// The error that made the last call give fewer frames than the file promises; nil where that is no error.
    func failure() -> AudioFileError?

    /// Damage that decoding passed over; nil if there was none.
    var loss: AudioFileError? { get }

    /// Scan results for the next decoder of the same file.
    var cache: ScanCache { get }

    /// Seeks to a frame before the end, exactly; after an error the position is undefined until the next seek.
    func seek(toFrame frame: Int64) throws(AudioFileError)
}
