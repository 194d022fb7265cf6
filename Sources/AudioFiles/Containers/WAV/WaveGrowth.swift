/// Where files end whose sizes have 32 bits.
package struct SizeLimits: Sendable {
    /// Bytes after which a WAV file becomes an RF64 file, and AIFF, AIFC and AU files are full.
    package var bytes: Int64

    /// The true limit, less what a header may still add, or a smaller one.
    package init(bytes: Int64 = 0xFFFF_0000) { self.bytes = bytes }
}

/// Makes a WAV file an RF64 file when it outgrows its 32-bit sizes.
///
/// RF64 needs 36 bytes more in front of the sound, and a WAV file of the classic 44 has no room for them. So a block is
/// put in front of the whole file, which ext4, XFS and F2FS do without copying. Where the file system cannot do that,
/// both sizes become 0xFFFFFFFF, "up to the end of the file", which FFmpeg understands, and `WaveRepair` for libsndfile.
final class WaveGrowth {
    private let limit: Int64
    private let sink: ByteSink
    /// Where the sizes of RF64 are written, once there are any.
    private var bytesPerFrame: Int64 = 0
    private var sound: Int64 = 0
    private(set) var hasGrown = false
    private var isRF64 = false

    private static let unknown: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    /// Blocks of file systems, in bytes.
    private static let blocks: [Int64] = [4096, 65536]

    init(_ limits: SizeLimits, _ sink: ByteSink) {
        limit = limits.bytes
        self.sink = sink
    }

    /// Whether so many bytes more need the larger kind.
    func isNeeded(for bytes: Int) -> Bool { !hasGrown && sink.size + Int64(bytes) > limit }

    /// Changes the file's kind; from now on the header is ours, and what libsndfile writes there is dropped.
    func grow(bytesPerFrame: Int, frames: Int64) {
        hasGrown = true
        let head = sink.front
        guard head.count >= 44, head.suffix(8).prefix(4).elementsEqual("data".utf8) else { return }
        self.bytesPerFrame = Int64(bytesPerFrame)
        sink.guardFront(Int64(head.count))
        for block in Self.blocks where sink.insertFront(block) {
            sink.write(Self.rf64(head, block: block), at: 0)
            sound = block + Int64(head.count)
            isRF64 = true
            update(frames: frames)
            // The inserted block is on the disk sooner than what is written into it.
            sink.synchronize()
            return
        }
        sink.write(Self.unknown, at: 4)
        sink.write(Self.unknown, at: Int64(head.count) - 4)
    }

    /// Brings the sizes up to date.
    func update(frames: Int64) {
        guard isRF64 else { return }
        let bytes = frames * bytesPerFrame
        var sizes: [UInt8] = []
        for value in [sound + bytes + bytes % 2 - 8, bytes, frames] { sizes.putReversed(value, bytes: 8) }
        sink.write(sizes, at: 20)
    }

    /// The new header: as long as the old one and a block.
    private static func rf64(_ head: [UInt8], block: Int64) -> [UInt8] {
        var result = Array("RF64".utf8) + unknown + Array("WAVEds64".utf8)
        result.putReversed(28, bytes: 4)
        result += [UInt8](repeating: 0, count: 28)
        result += head[12..<head.count - 8]
        let filler = Int(block) - 36 - 8
        result += Array("JUNK".utf8)
        result.putReversed(filler, bytes: 4)
        result += [UInt8](repeating: 0, count: filler)
        return result + Array("data".utf8) + unknown
    }
}

extension [UInt8] {
    /// A number with its least significant byte first.
    mutating func putReversed(_ value: some BinaryInteger, bytes count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
