/// The channels of a stream, and their order.
///
/// Apple: `AVAudioChannelLayout`
public final class AVAudioChannelLayout: NSObject, Sendable {
    /// The channels and their order, as one of the `kAudioChannelLayoutTag_` constants.
    ///
    /// Apple: `AVAudioChannelLayout.layoutTag`
    public let layoutTag: AudioChannelLayoutTag

    /// The number of channels.
    ///
    /// Apple: `AVAudioChannelLayout.channelCount`
    public var channelCount: AVAudioChannelCount { AudioChannelLayoutTag_GetNumberOfChannels(layoutTag) }

    /// A layout with a tag; nil for tags without a number of channels.
    ///
    /// Apple: `AVAudioChannelLayout.init(layoutTag:)`
    public init?(layoutTag: AudioChannelLayoutTag) {
        guard AudioChannelLayoutTag_GetNumberOfChannels(layoutTag) > 0 else { return nil }
        self.layoutTag = layoutTag
    }

    /// Whether the other object is a layout with the same tag.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAudioChannelLayout)?.layoutTag == layoutTag
    }

    /// A hash of the tag.
    public override var hash: Int { layoutTag.hashValue }

    /// The tag and the number of channels, for logs.
    public override var description: String { "<AVAudioChannelLayout: tag \(layoutTag), \(channelCount) ch>" }
}
