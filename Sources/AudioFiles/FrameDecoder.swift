/// What stands behind an ``AudioFileReader``: a library that decodes one kind of file.
protocol FrameDecoder: AnyObject {
    /// What the file contains.
    var format: AudioFileFormat { get }

    /// Decodes up to `frames` interleaved frames, full scale ±1; fewer only at the end or where decoding fails.
    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int

    /// Why the last call gave fewer frames than the file promises; nil where that is no reason to complain.
    func failure() -> AudioFileError?

    /// What is wrong with the sound that was delivered, although decoding went on; nil if nothing is.
    var loss: AudioFileError? { get }

    /// What a pass over the whole file has found, for the next decoder of the same file.
    var survey: FileSurvey { get }

    /// Moves to a frame before the end, exactly; where that fails, only another seek tells where decoding goes on.
    func seek(toFrame frame: Int64) throws(AudioFileError)
}
