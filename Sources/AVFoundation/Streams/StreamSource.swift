internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Locks

/// The source of a stream player's sound: its feed's ring, with the host's requests handed on to the player.
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

    /// A stream asks for no frames to be decoded anew: another rate begins anew.
    func redecode() {}
}
