internal import AudioHost
internal import AudioRealtime
internal import AudioSession

/// The source of a stream player's sound: its feed's ring, with the host's requests handed on to the player.
// SAFETY: everything is set before others have it; weak references are loaded atomically.
final class StreamSource: SoundSource, @unchecked Sendable {
    let ring: Voice
    let refillThreshold: Int
    private let channels: [Channel]
    private weak var player: StreamPlayer?
    private let flag: InterruptedFlag

    init(_ feed: StreamFeed, channels: [Channel], of player: StreamPlayer) {
        ring = feed.ring
        refillThreshold = feed.refillThreshold
        self.channels = channels
        self.player = player
        flag = player.interrupted
    }

    func matrix(to output: [Channel]) -> ChannelMatrix { ChannelMatrix(from: channels, to: output) }

    func refill() { player?.progressed() }

    func finished() { player?.heardToEnd() }

    func interrupted() { flag.set() }

    /// A stream asks for no frames to be decoded anew: another rate begins anew.
    func redecode() {}
}
