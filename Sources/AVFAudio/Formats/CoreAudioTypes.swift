/// The result of a C function: 0, or an error code that is often four characters.
///
/// Apple: `OSStatus`
public typealias OSStatus = Int32

/// Four characters as a big-endian number.
///
/// Apple: `FourCharCode`
public typealias FourCharCode = UInt32

/// The identifier of an encoding, as four characters.
///
/// Apple: `AudioFormatID`
public typealias AudioFormatID = UInt32

/// Flags of an encoding.
///
/// Apple: `AudioFormatFlags`
public typealias AudioFormatFlags = UInt32

/// The identifier of a kind of file, as four characters.
///
/// Apple: `AudioFileTypeID`
public typealias AudioFileTypeID = UInt32

/// A number of channels.
///
/// Apple: `AVAudioChannelCount`
public typealias AVAudioChannelCount = UInt32

/// A number of frames.
///
/// Apple: `AVAudioFrameCount`
public typealias AVAudioFrameCount = UInt32

/// A position in frames.
///
/// Apple: `AVAudioFramePosition`
public typealias AVAudioFramePosition = Int64

/// The number of an input or output of a node.
///
/// Apple: `AVAudioNodeBus`
public typealias AVAudioNodeBus = Int

/// The format of a stream: its encoding, and the sizes of its packets and frames in bytes.
///
/// A frame holds one sample of each channel. If channels are not interleaved, the sizes are those of one channel.
///
/// Apple: `AudioStreamBasicDescription`
public struct AudioStreamBasicDescription: Equatable, Sendable {
    /// The sample rate: frames per second, in Hz.
    public var mSampleRate: Double
    /// The encoding, such as `kAudioFormatLinearPCM`.
    public var mFormatID: AudioFormatID
    /// The flags of the encoding, such as `kAudioFormatFlagIsFloat`.
    public var mFormatFlags: AudioFormatFlags
    /// The number of bytes in a packet; 0 if it varies.
    public var mBytesPerPacket: UInt32
    /// The number of frames in a packet: 1 for PCM, 0 if it varies.
    public var mFramesPerPacket: UInt32
    /// The number of bytes in a frame; 0 for compressed encodings.
    public var mBytesPerFrame: UInt32
    /// The number of channels in a frame.
    public var mChannelsPerFrame: UInt32
    /// The number of bits in a sample; 0 for compressed encodings.
    public var mBitsPerChannel: UInt32
    /// Always 0.
    public var mReserved: UInt32

    /// A description with these values.
    public init(
        mSampleRate: Double, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags, mBytesPerPacket: UInt32,
        mFramesPerPacket: UInt32, mBytesPerFrame: UInt32, mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32,
        mReserved: UInt32
    ) {
        self.mSampleRate = mSampleRate
        self.mFormatID = mFormatID
        self.mFormatFlags = mFormatFlags
        self.mBytesPerPacket = mBytesPerPacket
        self.mFramesPerPacket = mFramesPerPacket
        self.mBytesPerFrame = mBytesPerFrame
        self.mChannelsPerFrame = mChannelsPerFrame
        self.mBitsPerChannel = mBitsPerChannel
        self.mReserved = mReserved
    }

    /// An empty description, to be filled in.
    public init() {
        self.init(
            mSampleRate: 0, mFormatID: 0, mFormatFlags: 0, mBytesPerPacket: 0, mFramesPerPacket: 0, mBytesPerFrame: 0,
            mChannelsPerFrame: 0, mBitsPerChannel: 0, mReserved: 0)
    }
}
