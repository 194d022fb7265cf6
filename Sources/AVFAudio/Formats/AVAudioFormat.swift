/// A format of a stream: its sample rate, its channels, and the encoding of its samples.
///
/// Immutable except for the magic cookie; any thread may use it.
///
/// Apple: `AVAudioFormat`
// SAFETY: only the cookie changes, and it is guarded by `lock`.
nonisolated open class AVAudioFormat: NSObject, @unchecked Sendable {
    let basicDescription: AudioStreamBasicDescription
    private let lock = NSLock()
    private var cookie: Data?

    /// The layout of the channels; nil if it is not known.
    ///
    /// Apple: `AVAudioFormat.channelLayout`
    public let channelLayout: AVAudioChannelLayout?

    init(_ description: AudioStreamBasicDescription, _ layout: AVAudioChannelLayout?) {
        basicDescription = description
        channelLayout = layout
        super.init()
    }

    /// A format with a description; nil for more than two channels, which need a layout.
    ///
    /// Apple: `AVAudioFormat.init(streamDescription:)`
    public convenience init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
        self.init(streamDescription: asbd, channelLayout: nil)
    }

    /// A format with a description and a layout; nil if their numbers of channels differ, or more than two have no
    /// layout.
    ///
    /// Apple: `AVAudioFormat.init(streamDescription:channelLayout:)`
    public convenience init?(
        streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
    ) {
        let description = asbd.pointee
        guard description.hasChannels(fitting: layout) else { return nil }
        self.init(description, layout)
    }

    /// The standard format, deinterleaved 32-bit floating point; nil for more than two channels.
    ///
    /// - Parameters:
    ///   - sampleRate: The sample rate in Hz.
    ///   - channels: The number of channels: one or two.
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

    /// A common PCM format; nil for more than two channels, and for `otherFormat`.
    ///
    /// - Parameters:
    ///   - format: The encoding of a sample.
    ///   - sampleRate: The sample rate in Hz.
    ///   - channels: The number of channels: one or two.
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

    /// A common PCM format with the channels of a layout; `otherFormat` counts as 32-bit floating point.
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

    /// The format of a settings dictionary; nil for an unusable one.
    ///
    /// `AVFormatIDKey`, `AVSampleRateKey` and `AVNumberOfChannelsKey` are required. PCM is 16-bit, signed, little
    /// endian and interleaved by default. The bit depth must be 8, 16, 24 or 32, or 32 or 64 for floating point. Keys
    /// for encoders are ignored.
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

    /// The description, at an address that stays valid for the life of the process.
    ///
    /// `player.format.streamDescription.pointee` is safe, although the format may be released before the description is
    /// read.
    ///
    /// Apple: `AVAudioFormat.streamDescription`
    open var streamDescription: UnsafePointer<AudioStreamBasicDescription> {
        LentDescriptions.address(of: basicDescription)
    }

    /// The decoder's configuration; nil for encodings without one.
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

    /// The channels, the rate and the encoding, for logs.
    open override var description: String { summary }

    /// A hash of the rate, the encoding and the channels.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleRate)
        hasher.combine(basicDescription.mFormatID)
        hasher.combine(channelCount)
        return hasher.finalize()
    }
}
