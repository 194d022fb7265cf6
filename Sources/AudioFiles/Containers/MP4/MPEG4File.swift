/// An M4A writer: fragments while recording, which players open at any time, and a plain file with one index at the
/// end.
///
/// At the end one large mdat box covers the fragments, and an index of all packets follows it. A single write of
/// sixteen bytes turns the one kind of file into the other, so that the file is playable at every moment.
final class MPEG4File: PacketFile {
    private typealias Box = MPEG4Boxes

    /// Some packets that lie behind each other in the file.
    private struct Run {
        let offset: Int64
        let packets: Int
    }

    private let stream: PacketStream
    private let sink: ByteSink
    /// Where the head of the large box will be.
    private let cover: Int64
    private var position: Int64
    private var sizes: [UInt32] = []
    private var runs: [Run] = []
    private var frames: Int64 = 0

    init(_ stream: PacketStream, _ sink: ByteSink) {
        self.stream = stream
        self.sink = sink
        let empty =
            Box.fullBox("stts", Box.numbers((0, 4))) + Box.fullBox("stsc", Box.numbers((0, 4)))
            + Box.fullBox("stsz", Box.numbers((0, 8))) + Box.fullBox("stco", Box.numbers((0, 4)))
        let extends = Box.box(
            "mvex", Box.fullBox("trex", Box.numbers((1, 4), (1, 4), (stream.framesPerPacket, 4), (0, 4), (0, 4))))
        cover = Int64(Box.fileType.count)
        let head =
            Box.fileType + Box.box("free", Box.numbers((0, 8)))
            + Box.movie(stream, duration: 0, edit: 0, tables: empty, extends: extends)
        position = Int64(head.count)
        sink.write(head, at: 0)
    }

    func append(_ batch: PacketBatch) {
        let count = batch.sizes.count
        let usual = Int64(count * stream.framesPerPacket)
        var run = Box.numbers((count, 4), (0, 4))
        // The last packet of a lossless file may be shorter, and says so.
        let isUsual = batch.frames == usual
        for (index, size) in batch.sizes.enumerated() {
            if !isUsual {
                run.put(stream.framesPerPacket - (index == count - 1 ? Int(usual - batch.frames) : 0), bytes: 4)
            }
            run.put(size, bytes: 4)
        }
        let flags = isUsual ? 0x201 : 0x301
        func fragment(_ offset: Int) -> [UInt8] {
            run.replaceSubrange(4..<8, with: Box.numbers((offset, 4)))
            // 0x20000: offsets count from the fragment's own first byte.
            return Box.box(
                "moof", Box.fullBox("mfhd", Box.numbers((runs.count + 1, 4))),
                Box.box(
                    "traf", Box.fullBox("tfhd", flags: 0x20000, Box.numbers((1, 4))),
                    Box.fullBox("tfdt", version: 1, Box.numbers((Int(frames), 8))),
                    Box.fullBox("trun", flags: flags, run)))
        }
        let length = fragment(0).count
        let head = fragment(length + 8)
        guard sink.write(head + Box.box("mdat", batch.bytes), at: position) else {
            // Half a fragment would be in the way of whoever repairs the file.
            sink.truncate(to: position)
            return
        }
        runs.append(Run(offset: position + Int64(length) + 8, packets: count))
        sizes += batch.sizes.map(UInt32.init)
        position += Int64(length + 8 + batch.bytes.count)
        frames += batch.frames
    }

    func finish(frames valid: Int64) {
        let duration = Int64(stream.priming) + valid
        // Packets beyond the end are those that only push the encoder's last sound out.
        let block = Int64(stream.framesPerPacket)
        let count = Int(min(Int64(sizes.count), (duration + block - 1) / block))
        // On a full disk the fragments stay: without the table, nobody would find them under their cover.
        guard count > 0, sink.lastError == 0 else { return }
        // Two at least: FFmpeg takes a track whose packets all last one tick for uncompressed; the edit list is exact.
        let last = max(2, duration - Int64(count - 1) * block)
        let times =
            last == block || count == 1
            ? Box.numbers((1, 4), (count, 4), (Int(count == 1 ? last : block), 4))
            : Box.numbers((2, 4), (count - 1, 4), (Int(block), 4), (1, 4), (Int(last), 4))
        var lengths = Box.numbers((0, 4), (count, 4))
        for size in sizes.prefix(count) { lengths.put(size, bytes: 4) }
        let tables = Box.fullBox("stts", times) + places(count) + Box.fullBox("stsz", lengths)
        let movie = Box.movie(stream, duration: duration, edit: valid, tables: tables)
        // The cover makes nonsense of the fragments, and may not get to the disk before the table does.
        guard sink.write(movie, at: position), sink.synchronize() else {
            sink.truncate(to: position)
            return
        }
        sink.write(Box.numbers((1, 4)) + Array("mdat".utf8) + Box.numbers((Int(position - cover), 8)), at: cover)
    }

    /// Which packets lie together, and where.
    private func places(_ count: Int) -> [UInt8] {
        var chunks: [UInt8] = []
        var offsets: [UInt8] = []
        var changes = 0
        var used = 0
        var rest = count
        var previous = 0
        for run in runs where rest > 0 {
            let packets = min(run.packets, rest)
            rest -= packets
            used += 1
            if packets != previous {
                chunks += Box.numbers((used, 4), (packets, 4), (1, 4))
                changes += 1
                previous = packets
            }
            offsets.put(run.offset, bytes: 8)
        }
        return Box.fullBox("stsc", Box.numbers((changes, 4)), chunks)
            + Box.fullBox("co64", Box.numbers((used, 4)), offsets)
    }
}
