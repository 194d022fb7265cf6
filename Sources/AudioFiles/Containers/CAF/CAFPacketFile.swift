/// A CAF file around packets of AAC, Apple Lossless or IMA4.
///
/// The table of packet lengths usually stands behind the sound, and a file without it is lost. Here it stands in front,
/// in room that is kept for it: holes, which take no space on the disk until they are written to.
final class CAFPacketFile: PacketFile {
    /// Room for the table: three hours of AAC at 44.1 kHz.
    ///
    /// What does not fit is in the table when the file is finished.
    private static let room = 1 << 20

    private let stream: PacketStream
    private let sink: ByteSink
    /// Where the body of the packet table begins, and the body of the data.
    private let table: Int64
    private let data: Int64
    private let isVariable: Bool
    private var entries: [UInt8] = []
    private var written = 0
    private var packets: Int64 = 0
    private var frames: Int64 = 0
    private var size: Int64 = 0

    init(_ stream: PacketStream, _ sink: ByteSink) {
        self.stream = stream
        self.sink = sink
        isVariable = stream.encoding != .imaADPCM
        var head: [UInt8] = []
        head.put("caff")
        head.put(0x0001_0000, bytes: 4)
        Self.chunk(&head, "desc", Self.description(stream))
        if let tag = Self.layout(stream) {
            var body: [UInt8] = []
            body.put(tag, bytes: 4)
            body.put(0, bytes: 8)
            Self.chunk(&head, "chan", body)
        }
        if isVariable { Self.chunk(&head, "kuki", Self.cookie(stream)) }
        head.put("pakt")
        let room = isVariable ? Self.room : 24
        head.put(room, bytes: 8)
        table = Int64(head.count)
        data = table + Int64(room) + 12
        sink.write(head, at: 0)
        sink.write(tableHead(valid: 0, remainder: 0), at: table)
        var tail: [UInt8] = []
        tail.put("data")
        tail.put(4, bytes: 8)
        tail.put(0, bytes: 4)
        sink.write(tail, at: data - 12)
    }

    func append(_ batch: PacketBatch) {
        // The sound, then its length, then what is said about it: true at every moment. A length of −1, "to the end of
        // the file", would be simpler, but FFmpeg then takes no packet of more than 4096 bytes.
        guard sink.lastError == 0, sink.write(batch.bytes, at: data + 4 + size) else {
            // What the table does not know is no sound.
            sink.truncate(to: data + 4 + size)
            return
        }
        size += Int64(batch.bytes.count)
        writeSize()
        packets += Int64(batch.sizes.count)
        frames += batch.frames
        for size in batch.sizes where isVariable { Self.entry(&entries, size) }
        guard entries.count <= Self.room - 24 else { return }
        guard sink.write(Array(entries[written...]), at: table + 24 + Int64(written)) else { return }
        written = entries.count
        sink.write(tableHead(valid: max(0, frames - Int64(stream.priming)), remainder: 0), at: table)
    }

    func finish(frames valid: Int64) {
        // On a full disk the file stays as it is between two batches.
        guard sink.lastError == 0 else { return }
        let remainder = max(0, packets * Int64(stream.framesPerPacket) - Int64(stream.priming) - valid)
        let head = tableHead(valid: valid, remainder: remainder)
        if written < entries.count {
            // The table goes to the end, and its old place is declared free.
            var chunk: [UInt8] = []
            Self.chunk(&chunk, "pakt", head + entries)
            // Not before it is on the disk: a power cut in between would leave no table at all.
            guard sink.write(chunk, at: data + 4 + size), sink.synchronize() else {
                sink.truncate(to: data + 4 + size)
                return
            }
            sink.write(Array("free".utf8), at: table - 12)
            return
        }
        sink.write(head, at: table)
        guard isVariable, Self.room - 24 - entries.count > 12 else { return }
        var free: [UInt8] = []
        free.put("free")
        free.put(Self.room - 24 - entries.count - 12, bytes: 8)
        // Who reads on where the shorter table ends is to find it.
        guard sink.write(free, at: table + 24 + Int64(entries.count)), sink.synchronize() else { return }
        var shorter: [UInt8] = []
        shorter.put(24 + entries.count, bytes: 8)
        sink.write(shorter, at: table - 8)
    }

    private func writeSize() {
        var length: [UInt8] = []
        length.put(size + 4, bytes: 8)
        sink.write(length, at: data - 8)
    }

    // MARK: Chunks

    private static func chunk(_ target: inout [UInt8], _ name: String, _ body: [UInt8]) {
        target.put(name)
        target.put(body.count, bytes: 8)
        target += body
    }

    private func tableHead(valid: Int64, remainder: Int64) -> [UInt8] {
        var head: [UInt8] = []
        head.put(isVariable ? packets : 0, bytes: 8)
        head.put(valid, bytes: 8)
        head.put(stream.priming, bytes: 4)
        head.put(remainder, bytes: 4)
        return head
    }

    /// A length in groups of seven bits, the most significant first; all but the last have the top bit set.
    private static func entry(_ table: inout [UInt8], _ size: Int) {
        let groups = max(1, (Int.bitWidth - size.leadingZeroBitCount + 6) / 7)
        for group in (0..<groups).reversed() {
            table.append(UInt8(size >> (7 * group) & 127) | (group > 0 ? 128 : 0))
        }
    }

    private static func description(_ stream: PacketStream) -> [UInt8] {
        let (name, flags) =
            switch stream.encoding {
            case .aac: ("aac ", 0)
            case .imaADPCM: ("ima4", 0)
            // Apple Lossless puts the depth here: 1 for 16 bits, 3 for 24.
            default: ("alac", stream.encoding == .alac24 ? 3 : 1)
            }
        var body: [UInt8] = []
        body.put(Double(stream.sampleRate).bitPattern, bytes: 8)
        body.put(name)
        body.put(flags, bytes: 4)
        body.put(stream.encoding == .imaADPCM ? 34 * stream.channels : 0, bytes: 4)
        body.put(stream.framesPerPacket, bytes: 4)
        body.put(stream.channels, bytes: 4)
        body.put(0, bytes: 4)
        return body
    }

    private static func cookie(_ stream: PacketStream) -> [UInt8] {
        stream.encoding == .aac ? MPEG4Boxes.elementaryStream(stream) : stream.configuration
    }

    /// Core Audio's tag for the order that AAC and Apple Lossless prescribe.
    private static func layout(_ stream: PacketStream) -> UInt32? {
        let tags: [Int: UInt32] = [3: 114, 4: 116, 5: 120, 6: 124, 7: 142, 8: 127]
        return tags[stream.channels].map { $0 << 16 | UInt32(stream.channels) }
    }
}
