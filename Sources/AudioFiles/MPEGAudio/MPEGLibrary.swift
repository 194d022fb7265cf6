internal import CMPG123

/// A decoder of libmpg123 that is fed whole frames of one stream and nothing between them.
///
/// libmpg123's own search for frames takes any bytes that look like a header for one, and ends the sound where that
/// header is of another kind.
final class MPEGLibrary {
    private let handle: OpaquePointer
    private let samples: Int
    /// Bytes of the frames before that the next one may use.
    private var reservoir = 0

    /// Throws `.unsupportedEncoding` where libmpg123 cannot be had as it is needed.
    init(_ header: MPEGFrameHeader, path: String?) throws(AudioFileError) {
        // Does nothing since libmpg123 1.27.
        mpg123_init()
        guard let handle = mpg123_new(nil, nil) else {
            throw AudioFileError(.unsupportedEncoding, "cannot be decoded by libmpg123", path: path)
        }
        self.handle = handle
        samples = header.samples * header.channels
        // Each frame is decoded when it comes, and all of it is wanted: we know ourselves what is the sound.
        let flags =
            MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_NO_READAHEAD.rawValue
            | MPG123_IGNORE_INFOFRAME.rawValue
        guard mpg123_set(handle, MPG123_FLAGS, Int(flags)) == 0, mpg123_format_none(handle) == 0,
            mpg123_format(
                handle, header.sampleRate, Int32(header.channels), Int32(MPG123_ENC_FLOAT_32.rawValue)) == 0,
            restart()
        else {
            throw AudioFileError(.unsupportedEncoding, "cannot be decoded by libmpg123", path: path)
        }
    }

    deinit { mpg123_delete(handle) }

    /// Forgets what was decoded: the next frame follows none.
    @discardableResult
    func restart() -> Bool {
        reservoir = 0
        return mpg123_open_feed(handle) == 0
    }

    /// Decodes a frame to all its samples; false where it gave fewer, and then the decoder has to be restarted.
    func decode(_ frame: ArraySlice<UInt8>, _ header: MPEGFrameHeader, into samples: UnsafeMutablePointer<Float>)
        -> Bool
    {
        guard header.layer == 3 else { return frame.withUnsafeBytes { decode($0, into: samples) } }
        let side = header.sideInformation
        let start = frame.startIndex + side.lowerBound
        let begin = (Int(frame[start]) << 8 | Int(frame[start + 1])) >> (16 - header.reservoirBits)
        defer { reservoir = min(reservoir + frame.count - side.upperBound, 1 << header.reservoirBits - 1) }
        guard begin > reservoir else { return frame.withUnsafeBytes { decode($0, into: samples) } }
        // Bytes are missing. Silence, with all there is passed on to the next frame: libmpg123 does so itself for MPEG
        // 1, and in others stumbles over bits that it does not erase.
        var silent = Array(frame)
        for index in side { silent[index] = 0 }
        let word = reservoir << (16 - header.reservoirBits)
        silent[side.lowerBound] = UInt8(word >> 8)
        silent[side.lowerBound + 1] = UInt8(word & 0xFF)
        return silent.withUnsafeBytes { decode($0, into: samples) }
    }

    private func decode(_ frame: UnsafeRawBufferPointer, into samples: UnsafeMutablePointer<Float>) -> Bool {
        let size = self.samples * MemoryLayout<Float>.size
        var done = 0
        let bytes = frame.bindMemory(to: UInt8.self)
        var status = mpg123_decode(handle, bytes.baseAddress, bytes.count, samples, size, &done)
        // The first frame first tells what it is, without a sample.
        if status == MPG123_NEW_FORMAT.rawValue, done == 0 {
            status = mpg123_decode(handle, nil, 0, samples, size, &done)
        }
        return done == size
    }
}
