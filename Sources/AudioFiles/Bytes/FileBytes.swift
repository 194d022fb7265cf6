/// Random access to the bytes of a file, with readers for numbers, names and chunks.
protocol FileBytes {
    /// Bytes in all.
    var size: Int64 { get }

    /// Up to `count` bytes from `offset`; fewer at the end or after an error.
    func bytes(at offset: Int64, count: Int) -> [UInt8]
}

extension FileBytes {
    /// A number of up to eight bytes; nil beyond the end.
    func number(at offset: Int64, bytes count: Int, bigEndian: Bool) -> Int64? {
        let bytes = bytes(at: offset, count: count)
        guard bytes.count == count else { return nil }
        let ordered = bigEndian ? bytes : bytes.reversed()
        return Int64(bitPattern: ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Four characters; empty beyond the end.
    func text(at offset: Int64) -> String { String(decoding: bytes(at: offset, count: 4), as: UTF8.self) }

    /// Whether four printable characters stand there, as in front of every chunk.
    func isName(at offset: Int64) -> Bool {
        let name = bytes(at: offset, count: 4)
        return name.count == 4 && name.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Whether something like a chunk begins there: a name, and a size that fits.
    ///
    /// `length` is that of the file before something was cut off its end, in bytes.
    func isChunk(at offset: Int64, sizeBytes: Int, bigEndian: Bool, length: Int64 = 0) -> Bool {
        guard isName(at: offset),
            let size = number(at: offset + 4, bytes: sizeBytes, bigEndian: bigEndian)
        else { return false }
        return size >= 0 && size <= max(self.size, length) - offset - Int64(4 + sizeBytes) + 1
    }
}
