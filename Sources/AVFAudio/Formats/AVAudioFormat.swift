/// How a stream of sound is encoded: sample rate, channels, and the shape of its samples.
///
/// It never changes once made, but for the magic cookie, so it may be used from any thread.
///
/// Apple: `AVAudioFormat`
// SAFETY: only the cookie changes, which is guarded by `lock`.
nonisolated open class AVAudioFormat: NSObject, @unchecked Sendable {
    let basicDescription: AudioStreamBasicDescription
    private let lock = NSLock()
    private var cookie: Data?

    /// The order of the channels, if it is known.
    ///
    /// Apple: `AVAudioFormat.channelLayout`
    public let channelLayout: AVAudioChannelLayout?

    init(_ description: AudioStreamBasicDescription, _ layout: AVAudioChannelLayout?) {
        basicDescription = description
        channelLayout = layout
        super.init()
    }

    /// A format with this description; `nil` for more than two channels, which need a layout.
    ///
    /// Apple: `AVAudioFormat.init(streamDescription:)`
    public convenience init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
        self.init(streamDescription: asbd, channelLayout: nil)
    }

    /// A format with this description and layout; `nil` if more than two channels have none, or their counts differ.
    ///
    /// Apple: `AVAudioFormat.init(streamDescription:channelLayout:)`
    public convenience init?(
        streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
    ) {
        let description = asbd.pointee
        guard description.hasChannels(fitting: layout) else { return nil }
        self.init(description, layout)
    }

    /// The standard format, deinterleaved 32-bit floating point; `nil` for more than two channels.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz.
    ///   - channels: One or two.
    ///
    /// Apple: `AVAudioFormat.init(standardFormatWithSampleRate:channels:)`
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    /// The standard format, deinterleaved 32-bit floating point, with the channels of a layout.
    ///
    /// Apple: `AVAudioFormat.init(standardFormatWithSampleRate:channelLayout:)`
    public convenience init(standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout)
    {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false, channelLayout: layout)
    }

    /// One of the common PCM formats; `nil` for more than two channels, and for `otherFormat`.
    ///
    /// - Parameters:
    ///   - format: The shape of a sample.
    ///   - sampleRate: In Hz.
    ///   - channels: One or two.
    ///   - interleaved: Whether all channels share one buffer.
    ///
    /// Apple: `AVAudioFormat.init(commonFormat:sampleRate:channels:interleaved:)`
    public convenience init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard let bits = format.bitDepth, sampleRate.isFinite, sampleRate > 0 else { return nil }
        let description = AudioStreamBasicDescription.pcm(
            rate: sampleRate, channels: channels, bits: bits, isFloat: format.isFloat, isInterleaved: interleaved)
        guard description.hasChannels(fitting: nil) else { return nil }
        self.init(description, nil)
    }

    /// One of the common PCM formats, with the channels of a layout; `otherFormat` is taken as 32-bit floating point.
    ///
    /// Apple: `AVAudioFormat.init(commonFormat:sampleRate:interleaved:channelLayout:)`
    public convenience init(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
        channelLayout layout: AVAudioChannelLayout
    ) {
        let known = format == .otherFormat ? .pcmFormatFloat32 : format
        self.init(
            .pcm(
                rate: sampleRate, channels: layout.channelCount, bits: known.bitDepth ?? 32, isFloat: known.isFloat,
                isInterleaved: interleaved), layout)
    }

    /// The format that a settings dictionary describes; `nil` if it describes none.
    ///
    /// It needs `AVFormatIDKey`, `AVSampleRateKey` and `AVNumberOfChannelsKey`. PCM is 16-bit, signed, little endian
    /// and interleaved unless it says otherwise; a bit depth other than 8, 16, 24 or 32, or 32 or 64 for floating point,
    /// is refused. Keys that are for encoders are ignored.
    ///
    /// Apple: `AVAudioFormat.init(settings:)`
    public convenience init?(settings: [String: Any]) {
        guard let description = try? AudioStreamBasicDescription(settings: settings) else { return nil }
        var layout: AVAudioChannelLayout?
        if let value = settings[AVChannelLayoutKey] {
            guard let data = value as? Data, let made = AVAudioChannelLayout(data: data) else { return nil }
            layout = made
        }
        guard description.hasChannels(fitting: layout) else { return nil }
        self.init(description, layout)
    }

    /// The description, at an address that stays valid whatever becomes of the format.
    ///
    /// So `player.format.streamDescription.pointee` is safe, though nobody holds the format when it is read.
    ///
    /// Apple: `AVAudioFormat.streamDescription`
    open var streamDescription: UnsafePointer<AudioStreamBasicDescription> {
        LentDescriptions.address(of: basicDescription)
    }

    /// What a decoder must know beside the format.
    ///
    /// Apple: `AVAudioFormat.magicCookie`
    open var magicCookie: Data? {
        get { lock.withLock { cookie } }
        set { lock.withLock { cookie = newValue } }
    }

    /// Whether the other object is a format with the same description, layout and cookie.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return other.basicDescription == basicDescription && other.channelLayout == channelLayout
            && other.magicCookie == magicCookie
    }

    /// Channels, rate and encoding, for logs.
    open override var description: String { summary }

    /// A hash of rate, encoding and channels.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleRate)
        hasher.combine(basicDescription.mFormatID)
        hasher.combine(channelCount)
        return hasher.finalize()
    }
}
