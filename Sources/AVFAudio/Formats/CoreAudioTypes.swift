/// The result of an operation of the older audio interfaces: 0, or a code that is often four characters.
///
/// Apple: `OSStatus`
public typealias OSStatus = Int32

/// Four characters as one big-endian number.
///
/// Apple: `FourCharCode`
public typealias FourCharCode = UInt32

/// How samples are encoded, as four characters.
///
/// Apple: `AudioFormatID`
public typealias AudioFormatID = UInt32

/// Details of an encoding, as bits.
///
/// Apple: `AudioFormatFlags`
public typealias AudioFormatFlags = UInt32

/// The kind of a sound file, as four characters.
///
/// Apple: `AudioFileTypeID`
public typealias AudioFileTypeID = UInt32

/// A count of channels.
///
/// Apple: `AVAudioChannelCount`
public typealias AVAudioChannelCount = UInt32

/// A count of frames.
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

/// The shape of a stream of sound: its encoding, and the sizes of its packets and frames in bytes.
///
/// A frame holds one sample of each channel. Where channels are not interleaved, the sizes are those of one channel.
///
/// Apple: `AudioStreamBasicDescription`
public struct AudioStreamBasicDescription: Equatable, Sendable {
    /// Frames per second, in Hz.
    public var mSampleRate: Double
    /// The encoding, such as `kAudioFormatLinearPCM`.
    public var mFormatID: AudioFormatID
    /// Details of the encoding, such as `kAudioFormatFlagIsFloat`.
    public var mFormatFlags: AudioFormatFlags
    /// Bytes in a packet; 0 where they vary.
    public var mBytesPerPacket: UInt32
    /// Frames in a packet; 1 for PCM, 0 where they vary.
    public var mFramesPerPacket: UInt32
    /// Bytes in a frame; 0 for compressed encodings.
    public var mBytesPerFrame: UInt32
    /// Channels in a frame.
    public var mChannelsPerFrame: UInt32
    /// Bits in a sample; 0 for compressed encodings.
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

    /// A description of nothing, to be filled in.
    public init() {
        self.init(
            mSampleRate: 0, mFormatID: 0, mFormatFlags: 0, mBytesPerPacket: 0, mFramesPerPacket: 0, mBytesPerFrame: 0,
            mChannelsPerFrame: 0, mBitsPerChannel: 0, mReserved: 0)
    }
}
