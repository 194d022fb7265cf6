/// A copy of a file's header in which sizes are corrected for readers; the file on the disk is not changed.
struct HeaderPatch {
    private var header: [UInt8]

    /// The bytes in front of `end`.
    init(_ source: ByteSource, end: Int64) { header = source.bytes(at: 0, count: Int(clamping: end)) }

    /// Writes a number of `count` bytes; does nothing where it does not fit into the header.
    mutating func put(_ value: Int64, at offset: Int64, bytes count: Int, bigEndian: Bool) {
        let place = Int(clamping: offset)
        guard place >= 0, place <= header.count - count else { return }
        var number: [UInt8] = []
        if bigEndian { number.put(value, bytes: count) } else { number.putReversed(value, bytes: count) }
        header.replaceSubrange(place..<place + count, with: number)
    }

    /// Shows this header to all readers of the source from now on.
    func apply(to source: ByteSource) { source.replaceFront(Int64(header.count), with: header) }
}
