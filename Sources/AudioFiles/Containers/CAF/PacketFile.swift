/// Encoded packets that are written together.
struct PacketBatch {
    private(set) var bytes: [UInt8] = []
    /// The length of each packet, in bytes.
    private(set) var sizes: [Int] = []
    /// Frames in all of them; each holds as many but the last of a file.
    private(set) var frames: Int64 = 0

    mutating func append(_ packet: UnsafeBufferPointer<UInt8>, frames count: Int64) {
        bytes += packet
        sizes.append(packet.count)
        frames += count
    }

    /// Calls `body` with the bytes of each packet.
    func forEach(_ body: (ArraySlice<UInt8>) -> Void) {
        var offset = 0
        for size in sizes {
            body(bytes[offset..<offset + size])
            offset += size
        }
    }
}

/// The parameters of an encoded stream that its container stores.
struct PacketStream {
    let encoding: AudioEncoding
    let sampleRate: Int
    let channels: Int
    /// Frames that a packet decodes to.
    let framesPerPacket: Int
    /// Frames that the encoder puts in front of the sound.
    let priming: Int
    /// What the decoder needs to start: AAC's AudioSpecificConfig, or Apple Lossless's 24 bytes.
    let configuration: [UInt8]
}

/// A container writer for encoded packets, whose file can be opened after every batch, even if the writer is killed.
protocol PacketFile: AnyObject {
    /// Puts a batch behind what is there.
    func append(_ batch: PacketBatch)

    /// Says how many frames of all that was written are sound, not counting those in front of it.
    func finish(frames: Int64)

    /// Whether it is no file to anybody before there is a packet.
    var needsPacket: Bool { get }
}

extension PacketFile {
    var needsPacket: Bool { false }
}

extension [UInt8] {
    /// A number with its most significant byte first.
    mutating func put(_ value: some BinaryInteger, bytes count: Int) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    /// The four characters of a name.
    mutating func put(_ name: String) { self += name.utf8 }
}

/// A bare stream of AAC: packets with a small head each.
final class ADTSFile: PacketFile {
    private static let rates = [
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
    ]

    private let sink: ByteSink
    private let rateIndex: Int
    private let channelConfiguration: Int
    private var position: Int64 = 0
    /// Packets still to come that hold nothing but the encoder's run-in.
    ///
    /// ADTS cannot say that they are no sound: with them, all would come that much too late. Without them, the first
    /// block fades in.
    private var runIn: Int

    /// Whether the head has numbers for the rate and the channels.
    static func canHold(_ stream: PacketStream) -> Bool {
        rates.contains(stream.sampleRate) && [1, 2, 3, 4, 5, 6, 8].contains(stream.channels)
    }

    init(_ stream: PacketStream, _ sink: ByteSink) {
        rateIndex = Self.rates.firstIndex(of: stream.sampleRate) ?? 0
        channelConfiguration = stream.channels == 8 ? 7 : stream.channels
        self.sink = sink
        runIn = stream.priming / max(1, stream.framesPerPacket)
    }

    func append(_ batch: PacketBatch) {
        var bytes: [UInt8] = []
        batch.forEach { packet in
            guard runIn == 0 else { return runIn -= 1 }
            // Sync, MPEG-4, no checksum; LC; one block.
            let head: UInt64 =
                0xFFF1 << 40 | 1 << 38 | UInt64(rateIndex) << 34 | UInt64(channelConfiguration) << 30
                | UInt64(packet.count + 7) << 13 | 0x7FF << 2
            bytes.put(head, bytes: 7)
            bytes += packet
        }
        guard sink.lastError == 0, sink.write(bytes, at: position) else { return sink.truncate(to: position) }
        position += Int64(bytes.count)
    }

    /// ADTS has no place for it: the last block sounds to its end.
    func finish(frames: Int64) {}

    /// Only the packets' heads tell rate and channels.
    var needsPacket: Bool { true }
}
