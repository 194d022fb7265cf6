/// The largest size of files whose sizes have 32 bits.
package struct SizeLimits: Sendable {
    /// Bytes after which a WAV file becomes an RF64 file, and AIFF, AIFC and AU files are full.
    package var bytes: Int64

    /// The true limit, less what a header may still add, or a smaller one for tests.
    package init(bytes: Int64 = 0xFFFF_0000) { self.bytes = bytes }
}

/// The header of a WAV file that becomes an RF64 file when it outgrows its 32-bit sizes, as EBU Tech 3306 describes it.
///
/// A JUNK chunk in front of all others has room for the ds64 chunk, which holds the 64-bit sizes of RF64. libsndfile
/// writes a plain WAV header and does not see the reserved chunk; ``ByteSink`` writes this header in its place.
final class GrowingWaveHeader {
    /// Bytes of the reserved chunk, with its own header.
    static let reserved: Int64 = 36
    /// The place of the reserved chunk: behind "RIFF", its size and "WAVE".
    private static let place = 12
    private static let unknown: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

    /// Whether the file is an RF64 file now.
    private(set) var isRF64 = false

    private let limit: Int64
    private let bytesPerFrame: Int64
    private var frames: Int64 = 0
    /// libsndfile's header, as it was written last before the file grew.
    private var plain: [UInt8] = []

    init(_ limits: SizeLimits, bytesPerFrame: Int) {
        limit = limits.bytes
        self.bytesPerFrame = Int64(bytesPerFrame)
    }

    /// Whether a file of this size has to become an RF64 file first, before it can take so many bytes.
    func needsRF64(size: Int64, adding bytes: Int) -> Bool { !isRF64 && size + Int64(bytes) > limit }

    /// The header to be written in the place of libsndfile's; of an RF64 file, libsndfile's sizes no longer count.
    func replacement(for header: [UInt8]) -> [UInt8] {
        guard !isRF64 else { return rf64() }
        plain = header
        var result = Array(header.prefix(Self.place))
        if header.count >= Self.place {
            let riff = header[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            var size: [UInt8] = []
            size.putReversed(riff &+ UInt32(Self.reserved), bytes: 4)
            result.replaceSubrange(4..<8, with: size)
        }
        result += Array("JUNK".utf8)
        result.putReversed(Self.reserved - 8, bytes: 4)
        result += [UInt8](repeating: 0, count: Int(Self.reserved) - 8)
        return result + header.dropFirst(Self.place)
    }

    /// Turns RIFF into RF64 and the JUNK chunk into ds64, and returns the header; nil where the data chunk does not
    /// stand at the header's end.
    func grow(frames: Int64) -> [UInt8]? {
        guard plain.count >= 44, plain.suffix(8).prefix(4).elementsEqual("data".utf8) else { return nil }
        isRF64 = true
        return update(frames: frames)
    }

    /// The header of an RF64 file that has so many frames; nil while it is a WAV file.
    func update(frames: Int64) -> [UInt8]? {
        self.frames = frames
        return isRF64 ? rf64() : nil
    }

    private func rf64() -> [UInt8] {
        let bytes = frames * bytesPerFrame
        let length = Int64(plain.count) + Self.reserved
        var result = Array("RF64".utf8) + Self.unknown + Array("WAVEds64".utf8)
        result.putReversed(Self.reserved - 8, bytes: 4)
        for value in [length + bytes + bytes % 2 - 8, bytes, frames] { result.putReversed(value, bytes: 8) }
        // No table of other chunks beyond 4 GB.
        result.putReversed(0, bytes: 4)
        return result + plain[Self.place..<plain.count - 4] + Self.unknown
    }
}

extension [UInt8] {
    /// Appends a number with its least significant byte first.
    mutating func putReversed(_ value: some BinaryInteger, bytes count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
