/// A block of compressed sound in memory, as packets.
///
/// One thread at a time uses a buffer. No call waits.
///
/// Apple: `AVAudioCompressedBuffer`
nonisolated open class AVAudioCompressedBuffer: AVAudioBuffer {
    /// The number of packets that the buffer has room for.
    ///
    /// Apple: `AVAudioCompressedBuffer.packetCapacity`
    public let packetCapacity: AVAudioPacketCount

    /// The size of the largest packet, in bytes.
    ///
    /// Apple: `AVAudioCompressedBuffer.maximumPacketSize`
    public let maximumPacketSize: Int

    /// The number of bytes that the buffer has room for: packets times the size of the largest.
    ///
    /// Apple: `AVAudioCompressedBuffer.byteCapacity`
    public let byteCapacity: UInt32

    /// The packets' places and sizes, `packetCapacity` of them; nil where all packets have one size.
    ///
    /// Apple: `AVAudioCompressedBuffer.packetDescriptions`
    public let packetDescriptions: UnsafeMutablePointer<AudioStreamPacketDescription>?

    private let memory: SampleMemory

    /// An empty buffer for packets of up to `maximumPacketSize` bytes.
    ///
    /// The capacities are 0 for a negative size, for more than `UInt32.max` bytes, and if there is no memory.
    ///
    /// Apple: `AVAudioCompressedBuffer.init(format:packetCapacity:maximumPacketSize:)`
    public init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount, maximumPacketSize: Int) {
        let room = Self.room(packets: packetCapacity, bytes: maximumPacketSize)
        self.packetCapacity = room.packets
        self.maximumPacketSize = max(maximumPacketSize, 0)
        byteCapacity = room.bytes
        memory = room.memory
        packetDescriptions = format.basicDescription.mBytesPerPacket == 0 ? Self.descriptions(room.packets) : nil
        let buffer = AudioBuffer(
            mNumberChannels: format.channelCount, mDataByteSize: room.bytes, mData: memory.blocks.first)
        super.init(format, BufferLists([buffer]))
    }

    /// An empty buffer for packets of the one size that the format has; no capacity for a format with several.
    ///
    /// Apple: `AVAudioCompressedBuffer.init(format:packetCapacity:)`, which raises an exception for a format with
    /// packets of several sizes.
    public convenience init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount) {
        let size = Int(format.basicDescription.mBytesPerPacket)
        self.init(format: format, packetCapacity: size > 0 ? packetCapacity : 0, maximumPacketSize: size)
    }

    deinit { packetDescriptions?.deallocate() }

    /// The number of packets in the buffer; a value beyond `packetCapacity` becomes `packetCapacity`.
    ///
    /// Where all packets have one size, setting it sets `byteLength`.
    ///
    /// Apple: `AVAudioCompressedBuffer.packetCount`
    public var packetCount: AVAudioPacketCount = 0 {
        didSet {
            packetCount = min(packetCount, packetCapacity)
            let size = UInt64(format.basicDescription.mBytesPerPacket)
            if size > 0 { byteLength = UInt32(clamping: UInt64(packetCount) * size) }
        }
    }

    /// The number of bytes that are filled; a value beyond `byteCapacity` becomes `byteCapacity`.
    ///
    /// Apple: `AVAudioCompressedBuffer.byteLength`
    public var byteLength: UInt32 = 0 {
        didSet {
            byteLength = min(byteLength, byteCapacity)
            lists.setFilled(bytes: byteLength)
        }
    }

    /// The bytes of the packets; `byteCapacity` of them.
    ///
    /// Apple: `AVAudioCompressedBuffer.data`
    public var data: UnsafeMutableRawPointer { memory.blocks[0] }

    override func duplicate() -> AVAudioBuffer {
        let copy = AVAudioCompressedBuffer(
            format: format, packetCapacity: packetCapacity, maximumPacketSize: maximumPacketSize)
        guard copy.byteCapacity == byteCapacity else { fatalError("no memory for a copy of \(byteCapacity) bytes") }
        copy.data.copyMemory(from: data, byteCount: Int(byteCapacity))
        if let from = packetDescriptions, let to = copy.packetDescriptions {
            to.update(from: from, count: Int(packetCapacity))
        }
        copy.packetCount = packetCount
        copy.byteLength = byteLength
        return copy
    }

    private static func room(
        packets: AVAudioPacketCount, bytes: Int
    ) -> (packets: AVAudioPacketCount, bytes: UInt32, memory: SampleMemory) {
        let (product, overflow) = Int(packets).multipliedReportingOverflow(by: bytes)
        if !overflow, let size = UInt32(exactly: product), let memory = SampleMemory(blocks: 1, bytes: Int(size)) {
            return (packets, size, memory)
        }
        guard let nothing = SampleMemory(blocks: 1, bytes: 0) else { fatalError("no memory at all") }
        return (0, 0, nothing)
    }

    private static func descriptions(_ count: AVAudioPacketCount) -> UnsafeMutablePointer<AudioStreamPacketDescription>
    {
        let result = UnsafeMutablePointer<AudioStreamPacketDescription>.allocate(capacity: max(Int(count), 1))
        result.initialize(repeating: AudioStreamPacketDescription(), count: max(Int(count), 1))
        return result
    }
}
