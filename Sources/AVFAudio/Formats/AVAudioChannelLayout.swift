/// Which channels a stream has, in which order.
///
/// Apple: `AVAudioChannelLayout`
public final class AVAudioChannelLayout: NSObject, Sendable {
    /// The order, as one of the `kAudioChannelLayoutTag_` constants.
    ///
    /// Apple: `AVAudioChannelLayout.layoutTag`
    public let layoutTag: AudioChannelLayoutTag

    /// The count of channels.
    ///
    /// Apple: `AVAudioChannelLayout.channelCount`
    public var channelCount: AVAudioChannelCount { AudioChannelLayoutTag_GetNumberOfChannels(layoutTag) }

    /// A layout with this tag; `nil` for tags that do not say how many channels there are.
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

    /// The tag and the count, for logs.
    public override var description: String { "<AVAudioChannelLayout: tag \(layoutTag), \(channelCount) ch>" }
}
