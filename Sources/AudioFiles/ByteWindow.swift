/// A piece of a file in memory, for who goes through it in small steps.
struct ByteWindow {
    private static let size = 65536

    private let source: ByteSource
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    init(_ source: ByteSource) { self.source = source }

    /// `count` bytes from `offset`; fewer at the end.
    mutating func bytes(at offset: Int64, count: Int) -> ArraySlice<UInt8> {
        if offset < start || offset + Int64(count) > start + Int64(bytes.count) {
            (start, bytes) = (offset, source.bytes(at: offset, count: max(count, Self.size)))
        }
        return bytes.dropFirst(Int(offset - start)).prefix(count)
    }
}
