/// What is to be changed in a file: its end is cut off first, then bytes are written in turn.
struct FileChanges {
    /// Bytes that stay; nil if nothing is cut off.
    var length: Int64?
    /// Bytes, and where they go.
    var writes: [(offset: Int64, bytes: [UInt8])] = []

    var isEmpty: Bool { length == nil && writes.isEmpty }

    /// Puts what is written into `count` bytes that were read from `offset` on, and returns how many there are then.
    func apply(to buffer: UnsafeMutableRawBufferPointer, at offset: Int64, count: Int) -> Int {
        var count = count
        for write in writes {
            let first = max(write.offset, offset)
            let end = min(write.offset + Int64(write.bytes.count), offset + Int64(buffer.count))
            guard first < end, first <= offset + Int64(count) else { continue }
            write.bytes.withUnsafeBytes {
                let bytes = $0[Int(first - write.offset)..<Int(end - write.offset)]
                UnsafeMutableRawBufferPointer(rebasing: buffer[Int(first - offset)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
            }
            count = max(count, Int(end - offset))
        }
        return count
    }
}

extension ByteSource {
    /// Writes a number if it is not there already, and says whether it was not.
    func put(_ value: Int64, at offset: Int64, bytes count: Int, bigEndian: Bool) -> Bool {
        var bytes: [UInt8] = []
        if bigEndian { bytes.put(value, bytes: count) } else { bytes.putReversed(value, bytes: count) }
        guard self.bytes(at: offset, count: count) != bytes else { return false }
        write(bytes, at: offset)
        return true
    }

    /// Ends the file behind so many bytes of sound, and a byte that makes them even.
    func cut(behind sound: Int64, from start: Int64) {
        truncate(to: start + sound)
        if sound % 2 == 1 { write([0], at: start + sound) }
    }
}
