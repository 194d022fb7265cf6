// Core Audio's C structures for sample memory, with their layout in memory.

/// A number of packets.
///
/// Apple: `AVAudioPacketCount`
public typealias AVAudioPacketCount = UInt32

/// A block of samples of one or several interleaved channels, of 16 bytes.
///
/// The structure does not own the samples.
///
/// Apple: `AudioBuffer`; so are its members.
public struct AudioBuffer {
    /// The number of interleaved channels.
    public var mNumberChannels: UInt32
    /// The number of bytes at `mData`.
    public var mDataByteSize: UInt32
    /// The samples; nil if there are none.
    public var mData: UnsafeMutableRawPointer?

    /// A buffer with these values.
    public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
        self.mNumberChannels = mNumberChannels
        self.mDataByteSize = mDataByteSize
        self.mData = mData
    }

    /// A buffer without samples: all bytes are 0.
    public init() { self.init(mNumberChannels: 0, mDataByteSize: 0, mData: nil) }

    /// A buffer over typed samples, whose byte count becomes `mDataByteSize`; at most 4 GB of them.
    ///
    /// - Parameters:
    ///   - typedBuffer: The samples, which the caller keeps alive.
    ///   - numberOfChannels: The number of interleaved channels.
    ///
    /// Apple: `AudioBuffer.init(_:numberOfChannels:)`
    public init<Element>(_ typedBuffer: UnsafeMutableBufferPointer<Element>, numberOfChannels: Int) {
        self.init(
            mNumberChannels: UInt32(clamping: numberOfChannels),
            mDataByteSize: UInt32(clamping: typedBuffer.count * MemoryLayout<Element>.stride),
            mData: UnsafeMutableRawPointer(typedBuffer.baseAddress))
    }
}

/// A list of buffers, of which the first is a member and the others follow in memory.
///
/// The first buffer starts at byte 8, each further one 16 bytes later. ``UnsafeMutableAudioBufferListPointer`` reaches
/// all of them.
///
/// Apple: `AudioBufferList`; so are its members.
public struct AudioBufferList {
    /// The number of buffers.
    public var mNumberBuffers: UInt32
    /// The first buffer.
    public var mBuffers: (AudioBuffer)

    /// A list with these values.
    public init(mNumberBuffers: UInt32, mBuffers: (AudioBuffer)) {
        self.mNumberBuffers = mNumberBuffers
        self.mBuffers = mBuffers
    }

    /// An empty list: all bytes are 0.
    public init() { self.init(mNumberBuffers: 0, mBuffers: AudioBuffer()) }
}

/// The place and the size of a packet of compressed sound, of 16 bytes.
///
/// Apple: `AudioStreamPacketDescription`; so are its members.
public struct AudioStreamPacketDescription: Equatable, Sendable {
    /// The packet's first byte, counted from the start of the data.
    public var mStartOffset: Int64
    /// The number of frames in the packet; 0 if all packets of the format have the same.
    public var mVariableFramesInPacket: UInt32
    /// The number of bytes in the packet.
    public var mDataByteSize: UInt32

    /// A description with these values.
    public init(mStartOffset: Int64, mVariableFramesInPacket: UInt32, mDataByteSize: UInt32) {
        self.mStartOffset = mStartOffset
        self.mVariableFramesInPacket = mVariableFramesInPacket
        self.mDataByteSize = mDataByteSize
    }

    /// An empty description: all bytes are 0.
    public init() { self.init(mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 0) }
}
