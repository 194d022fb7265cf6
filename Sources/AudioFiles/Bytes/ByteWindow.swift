internal import Glibc

/// A buffered piece of a file, for scanning it in small steps.
struct ByteWindow {
    private let source: any FileBytes
    private let size: Int
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    /// `size` is how many bytes are read at once.
    init(_ source: any FileBytes, size: Int = 65536) {
        self.source = source
        self.size = size
    }

    /// Loads `count` bytes from `offset`, fewer at the end, and returns the first one's index.
    private mutating func load(_ offset: Int64, _ count: Int) -> Int {
        if offset < start || offset + Int64(count) > start + Int64(bytes.count) {
            (start, bytes) = (offset, source.bytes(at: offset, count: max(count, size)))
        }
        return Int(offset - start)
    }

    /// `count` bytes from `offset`; fewer at the end.
    mutating func bytes(at offset: Int64, count: Int) -> ArraySlice<UInt8> {
        let index = load(offset, count)
        return bytes.dropFirst(index).prefix(count)
    }

    /// Four bytes as a number, the most significant first; nil at the end.
    mutating func word(at offset: Int64) -> UInt32? {
        let index = load(offset, 4)
        guard index + 4 <= bytes.count else { return nil }
        return UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16
            | UInt32(bytes[index + 2]) << 8 | UInt32(bytes[index + 3])
    }

    /// The first place from `offset` on where this byte stands; nil where none does.
    mutating func place(of byte: UInt8, from offset: Int64) -> Int64? {
        var offset = offset
        while true {
            let index = load(offset, 1)
            let found: Int? = bytes.withUnsafeBytes { bytes in
                guard index < bytes.count, let base = bytes.baseAddress,
                    let place = memchr(base + index, Int32(byte), bytes.count - index)
                else { return nil }
                return UnsafeRawPointer(place) - base
            }
            if let found { return start + Int64(found) }
            guard index < bytes.count else { return nil }
            offset = start + Int64(bytes.count)
        }
    }
}
