/// A block of PCM sound in memory: Float32, Float64, Int16, Int32 or any other PCM, deinterleaved or interleaved.
///
/// One thread at a time uses a buffer. No call waits.
///
/// Apple: `AVAudioPCMBuffer`
nonisolated open class AVAudioPCMBuffer: AVAudioBuffer {
    /// The number of frames that the buffer has room for.
    ///
    /// Apple: `AVAudioPCMBuffer.frameCapacity`
    public let frameCapacity: AVAudioFrameCount

    private let memory: SampleMemory
    /// The first sample of each channel.
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private let bytesPerFrame: UInt32

    /// A silent buffer with room for a number of frames, and a `frameLength` of 0.
    ///
    /// Nil for a format that is not PCM or has 0 bytes a frame, for more than `UInt32.max` bytes in a block, and if
    /// there is no memory.
    ///
    /// - Parameters:
    ///   - format: A PCM format.
    ///   - frameCapacity: The number of frames.
    ///
    /// Apple: `AVAudioPCMBuffer.init(pcmFormat:frameCapacity:)`, which raises an exception for other formats than PCM.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard let shape = PCMShape(format.basicDescription),
            let bytes = UInt32(exactly: UInt64(frameCapacity) * UInt64(shape.bytesPerFrame)),
            let memory = SampleMemory(blocks: shape.blocks, bytes: Int(bytes))
        else { return nil }
        self.frameCapacity = frameCapacity
        self.memory = memory
        bytesPerFrame = UInt32(shape.bytesPerFrame)
        channels = shape.firstSamples(memory.blocks)
        super.init(format, BufferLists(memory.blocks.map { shape.buffer($0, bytes: bytes) }))
    }

    /// A buffer over the app's own samples, all of which count as filled.
    ///
    /// Nil for a format that is not PCM, a list of another number of buffers or channels than the format has, buffers
    /// of 0 or unequal sizes, and buffers without memory.
    ///
    /// - Parameters:
    ///   - format: A PCM format.
    ///   - bufferList: The samples, which stay valid until the deallocator is called; the list itself is copied.
    ///   - deallocator: What gives the samples back; called once, on the thread that releases the buffer last, with a
    ///     list equal to `bufferList`. Nil leaves that to the app. It is not called if the result is nil.
    ///
    /// Apple: `AVAudioPCMBuffer.init(pcmFormat:bufferListNoCopy:deallocator:)`
    public init?(
        pcmFormat format: AVAudioFormat, bufferListNoCopy bufferList: UnsafePointer<AudioBufferList>,
        deallocator: ((UnsafePointer<AudioBufferList>) -> Void)? = nil
    ) {
        let buffers = Array(UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList)))
        let blocks = buffers.compactMap(\.mData)
        guard let shape = PCMShape(format.basicDescription), let size = buffers.first?.mDataByteSize,
            buffers.count == shape.blocks, blocks.count == buffers.count,
            size >= UInt32(shape.bytesPerFrame), buffers.allSatisfy({ $0.mDataByteSize == size }),
            buffers.allSatisfy({ Int($0.mNumberChannels) == shape.channelsPerBlock })
        else { return nil }
        frameCapacity = size / UInt32(shape.bytesPerFrame)
        memory = SampleMemory(blocks, buffers, deallocator: deallocator)
        bytesPerFrame = UInt32(shape.bytesPerFrame)
        channels = shape.firstSamples(blocks)
        super.init(format, BufferLists(buffers))
        frameLength = frameCapacity
    }

    deinit { channels.deallocate() }

    /// The number of frames that are filled; 0 in a new buffer.
    ///
    /// Setting it changes the sizes in `audioBufferList`, and no sample. A value beyond `frameCapacity` becomes
    /// `frameCapacity`.
    ///
    /// Apple: `AVAudioPCMBuffer.frameLength`, which raises an exception for a value beyond the capacity.
    public var frameLength: AVAudioFrameCount = 0 {
        didSet {
            frameLength = min(frameLength, frameCapacity)
            lists.setFilled(bytes: frameLength * bytesPerFrame)
        }
    }

    /// The number of samples from one frame of a channel to the next: the number of channels if they are interleaved,
    /// else 1.
    ///
    /// Apple: `AVAudioPCMBuffer.stride`
    public var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

    /// The first Float32 sample of each channel, with ``stride`` to the next; nil for other formats.
    ///
    /// It has `format.channelCount` pointers; there is nothing behind them.
    ///
    /// Apple: `AVAudioPCMBuffer.floatChannelData`
    public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
        channelData(.pcmFormatFloat32)
    }

    /// The first Int16 sample of each channel, with ``stride`` to the next; nil for other formats.
    ///
    /// Apple: `AVAudioPCMBuffer.int16ChannelData`
    public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? {
        channelData(.pcmFormatInt16)
    }

    /// The first Int32 sample of each channel, with ``stride`` to the next; nil for other formats.
    ///
    /// Apple: `AVAudioPCMBuffer.int32ChannelData`
    public var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? {
        channelData(.pcmFormatInt32)
    }

    /// Calls a function with the list of what is filled, during which the buffer stays alive; rethrows its error.
    ///
    /// Apple: `AVAudioPCMBuffer.withUnsafeAudioBufferList(_:)`
    public func withUnsafeAudioBufferList<Result>(
        _ body: (UnsafePointer<AudioBufferList>) throws -> Result
    ) rethrows -> Result {
        try withExtendedLifetime(self) { try body(audioBufferList) }
    }

    /// The blocks of samples: one for each channel, or one for all if they are interleaved.
    var blocks: [UnsafeMutableRawPointer] { memory.blocks }

    override func duplicate() -> AVAudioBuffer {
        guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
            fatalError("no memory for a copy of \(frameCapacity) frames")
        }
        copy.frameLength = frameLength
        for (from, to) in zip(blocks, copy.blocks) {
            to.copyMemory(from: from, byteCount: Int(frameCapacity) * Int(bytesPerFrame))
        }
        return copy
    }

    private func channelData<Sample>(_ common: AVAudioCommonFormat) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
        guard format.commonFormat == common else { return nil }
        return UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
    }
}

/// The blocks that a PCM format is kept in.
struct PCMShape {
    /// The number of blocks: one for each channel, or one for all if they are interleaved.
    let blocks: Int
    let channelsPerBlock: Int
    /// The number of bytes of a frame in one block.
    let bytesPerFrame: Int

    /// The shape of a description; nil if it is not PCM, or has no channels or no bytes.
    init?(_ description: AudioStreamBasicDescription) {
        let channels = Int(description.mChannelsPerFrame)
        guard description.mFormatID == kAudioFormatLinearPCM, channels > 0, description.mBytesPerFrame > 0 else {
            return nil
        }
        let isInterleaved = description.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0
        blocks = isInterleaved ? 1 : channels
        channelsPerBlock = isInterleaved ? channels : 1
        bytesPerFrame = Int(description.mBytesPerFrame)
    }

    /// An entry of a buffer list over a block.
    func buffer(_ block: UnsafeMutableRawPointer, bytes: UInt32) -> AudioBuffer {
        AudioBuffer(mNumberChannels: UInt32(channelsPerBlock), mDataByteSize: bytes, mData: block)
    }

    /// The first sample of each channel, in memory that the caller frees.
    func firstSamples(_ memory: [UnsafeMutableRawPointer]) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        let samples = memory.flatMap { block in
            (0..<channelsPerBlock).map { block + $0 * (bytesPerFrame / channelsPerBlock) }
        }
        let result = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: samples.count)
        result.initialize(from: samples, count: samples.count)
        return result
    }
}
