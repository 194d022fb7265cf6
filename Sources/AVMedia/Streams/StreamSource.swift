internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Locks

/// The source of a stream player's sound: the feed's ring, and the player as the receiver of the host's requests.
final class StreamSource: SoundSource {
    let ring: Voice
    let refillThreshold: Int
    private let channels: [Channel]
    private let reference: Guarded<Reference>
    private let flag: InterruptedFlag

    init(_ feed: StreamFeed, channels: [Channel], of player: StreamPlayer) {
        ring = feed.ring
        refillThreshold = feed.refillThreshold
        self.channels = channels
        reference = Guarded(Reference(player: player))
        flag = player.interrupted
    }

    private struct Reference { weak var player: StreamPlayer? }

    private var player: StreamPlayer? { reference.withLock { $0.player } }

    func matrix(to output: [Channel]) -> ChannelMatrix { ChannelMatrix(from: channels, to: output) }

    func refill() { player?.progressed() }

    func finished() { player?.heardToEnd() }

    func interrupted() { flag.set() }

    /// Never called: another rate restarts the voice, so no frames are decoded anew.
    func redecode() {}
}
