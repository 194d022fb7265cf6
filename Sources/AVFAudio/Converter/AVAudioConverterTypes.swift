/// The place where a function leaves an error, or nil.
///
/// Apple: `NSErrorPointer`, which Foundation does not have on Linux.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// What gives a converter its input: asked for a number of packets, which for PCM are frames, it returns a buffer and
/// says what it is.
///
/// It may return more or less than was asked for. It is called on the thread that converts.
///
/// Apple: `AVAudioConverterInputBlock`
public typealias AVAudioConverterInputBlock = (
    _ inNumberOfPackets: AVAudioPacketCount, _ outStatus: UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// What an input block has returned.
///
/// Apple: `AVAudioConverterInputStatus`
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// A buffer with sound.
    case haveData = 0
    /// No sound for now; there will be more.
    case noDataNow = 1
    /// The end: no sound comes any more.
    case endOfStream = 2
}

/// What a conversion has given.
///
/// Apple: `AVAudioConverterOutputStatus`
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The output is full, or holds the last frames.
    case haveData = 0
    /// The input had no more for now; the output holds what there was.
    case inputRanDry = 1
    /// The end was reached before, and the output is empty.
    case endOfStream = 2
    /// The conversion failed, and the output is empty.
    case error = 3
}

/// What a rate converter assumes in front of the first frame.
///
/// Apple: `AVAudioConverterPrimeMethod`
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    /// The first frames fill the filter and do not come out: `leadingFrames` of the input are missing.
    case pre = 0
    /// Silence, which does not come out: nothing is delayed.
    case normal = 1
    /// Silence, which comes out: the sound is delayed by `leadingFrames` of the input.
    case none = 2
}

/// The length of a rate converter's filter on both sides of a frame, in frames of the input.
///
/// Apple: `AVAudioConverterPrimeInfo`; so are its members.
public struct AVAudioConverterPrimeInfo: Equatable, Sendable {
    /// The frames in front.
    public var leadingFrames: AVAudioFrameCount
    /// The frames behind.
    public var trailingFrames: AVAudioFrameCount

    /// A filter of no length.
    public init() { self.init(leadingFrames: 0, trailingFrames: 0) }

    /// A filter of these lengths.
    public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}
