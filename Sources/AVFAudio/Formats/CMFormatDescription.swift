// Apple's module Core Media has these; here they stand beside the stream description that they hold.

/// What a stream of sound is, for interfaces of Core Media.
///
/// It never changes, so it may be used from any thread.
///
/// Apple: `CMFormatDescription`, of which only those of sound exist here.
public final class CMFormatDescription: NSObject, Sendable {
    private let streamDescription: AudioStreamBasicDescription
    /// What a decoder must know beside the format.
    ///
    /// Apple: `CMFormatDescription.magicCookie`.
    public let magicCookie: Data?
    let channelLayout: AVAudioChannelLayout?

    init(_ description: AudioStreamBasicDescription, _ layout: AVAudioChannelLayout?, magicCookie: Data?) {
        streamDescription = description
        channelLayout = layout
        self.magicCookie = magicCookie
    }

    /// Rate, channels and encoding.
    ///
    /// Apple: `CMFormatDescription.audioStreamBasicDescription`.
    public var audioStreamBasicDescription: AudioStreamBasicDescription? { streamDescription }

    /// Whether the other object describes the same stream.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CMFormatDescription else { return false }
        return other.streamDescription == streamDescription && other.channelLayout == channelLayout
            && other.magicCookie == magicCookie
    }

    /// A hash of rate, encoding and channels.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(streamDescription.mSampleRate)
        hasher.combine(streamDescription.mFormatID)
        hasher.combine(streamDescription.mChannelsPerFrame)
        return hasher.finalize()
    }
}

/// What a stream of sound is.
///
/// Apple: `CMAudioFormatDescription`.
public typealias CMAudioFormatDescription = CMFormatDescription

/// Rate, channels and encoding, at an address that stays valid.
///
/// Apple: `CMAudioFormatDescriptionGetStreamBasicDescription(_:)`.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
    _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? {
    desc.audioStreamBasicDescription.map { LentDescriptions.address(of: $0) }
}

extension AVAudioFormat {
    /// The format of a description of Core Media.
    ///
    /// Apple: `AVAudioFormat.init(cmAudioFormatDescription:)`.
    public convenience init(cmAudioFormatDescription formatDescription: CMAudioFormatDescription) {
        self.init(
            formatDescription.audioStreamBasicDescription ?? AudioStreamBasicDescription(),
            formatDescription.channelLayout)
        magicCookie = formatDescription.magicCookie
    }

    /// The format as a description of Core Media, from which `init(cmAudioFormatDescription:)` makes an equal one.
    ///
    /// Apple: `AVAudioFormat.formatDescription`.
    public var formatDescription: CMAudioFormatDescription {
        CMFormatDescription(basicDescription, channelLayout, magicCookie: magicCookie)
    }
}
