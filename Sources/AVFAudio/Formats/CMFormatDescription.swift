// Core Media declares these on Apple's systems; here they stand beside the stream description that they hold.

/// A description of a sound stream's format, for interfaces of Core Media.
///
/// Immutable; any thread may use it.
///
/// Apple: `CMFormatDescription`, of which only those of sound exist here.
public final class CMFormatDescription: NSObject, Sendable {
    private let streamDescription: AudioStreamBasicDescription
    /// The decoder's configuration; nil for encodings without one.
    ///
    /// Apple: `CMFormatDescription.magicCookie`.
    public let magicCookie: Data?
    let channelLayout: AVAudioChannelLayout?

    init(_ description: AudioStreamBasicDescription, _ layout: AVAudioChannelLayout?, magicCookie: Data?) {
        streamDescription = description
        channelLayout = layout
        self.magicCookie = magicCookie
    }

    /// The sample rate, the channels and the encoding.
    ///
    /// Apple: `CMFormatDescription.audioStreamBasicDescription`.
    public var audioStreamBasicDescription: AudioStreamBasicDescription? { streamDescription }

    /// Whether the other object describes the same stream.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CMFormatDescription else { return false }
        return other.streamDescription == streamDescription && other.channelLayout == channelLayout
            && other.magicCookie == magicCookie
    }

    /// A hash of the rate, the encoding and the channels.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(streamDescription.mSampleRate)
        hasher.combine(streamDescription.mFormatID)
        hasher.combine(streamDescription.mChannelsPerFrame)
        return hasher.finalize()
    }
}

/// A description of a sound stream's format.
///
/// Apple: `CMAudioFormatDescription`.
public typealias CMAudioFormatDescription = CMFormatDescription

/// The description of a stream, at an address that stays valid for the life of the process.
///
/// Apple: `CMAudioFormatDescriptionGetStreamBasicDescription(_:)`.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
    _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? {
    desc.audioStreamBasicDescription.map { LentDescriptions.address(of: $0) }
}

extension AVAudioFormat {
    /// The format of a Core Media description.
    ///
    /// Apple: `AVAudioFormat.init(cmAudioFormatDescription:)`.
    public convenience init(cmAudioFormatDescription formatDescription: CMAudioFormatDescription) {
        self.init(
            formatDescription.audioStreamBasicDescription ?? AudioStreamBasicDescription(),
            formatDescription.channelLayout)
        magicCookie = formatDescription.magicCookie
    }

    /// The format as a Core Media description, from which `init(cmAudioFormatDescription:)` makes an equal one.
    ///
    /// Apple: `AVAudioFormat.formatDescription`.
    public var formatDescription: CMAudioFormatDescription {
        CMFormatDescription(basicDescription, channelLayout, magicCookie: magicCookie)
    }
}
