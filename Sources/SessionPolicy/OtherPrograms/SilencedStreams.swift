/// The streams of other programs that were playing when a session with ``Claim/Foreign/silence`` became active.
///
/// Every process that may be elected to lower streams keeps this set, so that it can take over. A process that connected
/// later uses the streams in the others' ledgers instead.
package struct SilencedStreams: Hashable, Sendable {
    /// One activation of one session; the return from an interruption is another activation.
    private struct Activation: Hashable {
        let session: UInt32
        let ticket: UInt64
    }

    private var streams: [Activation: Set<UInt32>] = [:]
    private var hasLooked = false

    /// An empty set, before the first look.
    package init() {}

    /// Updates the set: adds the activations that are new, removes those that have ended.
    ///
    /// - Parameters:
    ///   - all: Everything on the server.
    ///   - arbitration: The sessions and the verdicts on them.
    ///   - own: This process's client index; nil while it is not connected.
    ///   - lowered: The playback streams that are lowered according to any process's ledger.
    package mutating func look(
        at all: [ServerStream], arbitration: Arbitration, own: UInt32?, lowered: Set<UInt32>
    ) {
        var new: [Activation: Set<UInt32>] = [:]
        for session in arbitration.treating(foreign: .silence) {
            let activation = Activation(session: session.id, ticket: session.claim.seq)
            new[activation] =
                streams[activation] ?? (hasLooked || session.id == own ? Self.playing(all) : lowered)
        }
        streams = new
        // Before the claims are known, ours among them, nothing has been seen.
        hasLooked = hasLooked || !arbitration.participants.isEmpty
    }

    /// The streams that were playing when this active session became active.
    func streams(of session: Participant) -> Set<UInt32> {
        streams[Activation(session: session.id, ticket: session.claim.seq)] ?? []
    }

    private static func playing(_ streams: [ServerStream]) -> Set<UInt32> {
        Set(streams.lazy.filter { $0.direction == .playback && !$0.isCorked }.map(\.index))
    }
}
