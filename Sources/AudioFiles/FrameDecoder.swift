/// A decoder of one kind of file, the back end of an ``AudioFileReader``.
protocol FrameDecoder: AnyObject {
    /// What the file contains.
    var format: AudioFileFormat { get }

    /// Decodes up to `frames` interleaved frames, full scale ±1; fewer only at the end or where decoding fails.
    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int

    /// Decodes as ``decode(into:frames:)`` does, to full-scale 32-bit integers, of which narrower samples are the upper
    /// bits.
    func decode(int32 destination: UnsafeMutablePointer<Int32>, frames: Int) -> Int

    /// Decodes as ``decode(into:frames:)`` does, to 64-bit floating point.
    func decode(double destination: UnsafeMutablePointer<Double>, frames: Int) -> Int

    /// The error that made the last call give fewer frames than the file promises; nil where that is no error.
    func failure() -> AudioFileError?

    /// Damage that decoding passed over; nil if there was none.
    var loss: AudioFileError? { get }

    /// Scan results for the next decoder of the same file.
    var cache: ScanCache { get }

    /// Seeks to a frame before the end, exactly; after an error the position is undefined until the next seek.
    func seek(toFrame frame: Int64) throws(AudioFileError)
}

extension FrameDecoder {
    // Float32 holds samples of up to 24 bits exactly; a decoder of wider ones has its own.

    func decode(int32 destination: UnsafeMutablePointer<Int32>, frames: Int) -> Int {
        decodeByFloat(int32: destination, frames: frames)
    }

    /// Decodes to Float32, then to integers.
    func decodeByFloat(int32 destination: UnsafeMutablePointer<Int32>, frames: Int) -> Int {
        inPieces(frames) { samples, done in
            for (index, sample) in samples.enumerated() {
                destination[done + index] = Double(sample).quantized(bits: 32)
            }
        }
    }

    func decode(double destination: UnsafeMutablePointer<Double>, frames: Int) -> Int {
        inPieces(frames) { samples, done in
            for (index, sample) in samples.enumerated() { destination[done + index] = Double(sample) }
        }
    }

    /// Decodes to Float32, and gives the samples piece by piece with the number of those before.
    private func inPieces(_ frames: Int, _ take: (Slice<UnsafeMutableBufferPointer<Float>>, Int) -> Void) -> Int {
        let channels = format.channels
        var piece = [Float](repeating: 0, count: min(frames, 4096) * channels)
        var done = 0
        while done < frames {
            let wanted = min(frames - done, 4096)
            let count = piece.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                let count = decode(into: base, frames: wanted)
                take(buffer[..<(count * channels)], done * channels)
                return count
            }
            done += count
            if count < wanted { break }
        }
        return done
    }
}
