internal import AudioFiles
internal import AudioRealtime

extension AudioFileFormat {
    /// The tags of common channel orders.
    private static let tags: [[Channel]: AudioChannelLayoutTag] = {
        let front: [Channel] = [.left, .right, .center]
        let rear: [Channel] = [.rearLeft, .rearRight]
        return [
            front: kAudioChannelLayoutTag_MPEG_3_0_A,
            [.center, .left, .right]: kAudioChannelLayoutTag_MPEG_3_0_B,
            [.left, .right] + rear: kAudioChannelLayoutTag_Quadraphonic,
            front + [.rearCenter]: kAudioChannelLayoutTag_MPEG_4_0_A,
            front + rear: kAudioChannelLayoutTag_MPEG_5_0_A,
            front + [.lfe] + rear: kAudioChannelLayoutTag_MPEG_5_1_A,
            front + [.lfe] + rear + [.rearCenter]: kAudioChannelLayoutTag_MPEG_6_1_A,
            front + [.lfe] + rear + [.frontLeftOfCenter, .frontRightOfCenter]: kAudioChannelLayoutTag_MPEG_7_1_A,
        ]
    }()

    /// The channel layout as it is played; nil for one or two channels, which need none.
    var layout: AVAudioChannelLayout? {
        guard channels > 2 else { return nil }
        var order = channelLayout?.map { Channel(rawValue: $0) ?? .aux } ?? ChannelMatrix.standard(channels)
        // Tags distinguish side and rear channels only if both exist.
        if !order.contains(.rearLeft) && !order.contains(.rearRight) {
            order = order.map { $0 == .sideLeft ? .rearLeft : $0 == .sideRight ? .rearRight : $0 }
        }
        return AVAudioChannelLayout(
            layoutTag: Self.tags[order] ?? kAudioChannelLayoutTag_Unknown | UInt32(channels))
    }
}
