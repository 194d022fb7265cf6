/// Which streams of programs outside the library played already when a session with ``Claim/Foreign/silence`` became
/// active.
///
/// Everybody who may come to lower streams keeps it, so that whoever has to take over knows. Who has connected since
/// does not: what somebody has written down as lowered is as good.
package struct SilencedStreams: Hashable, Sendable {
    /// One activation of one session: coming back from an interruption is another.
    private struct Activation: Hashable {
        let session: UInt32
        let ticket: UInt64
    }

    private var streams: [Activation: Set<UInt32>] = [:]
    private var hasLooked = false

    /// Nothing seen yet.
    package init() {}

    /// Takes note of who has become active, and forgets who is not any more.
    ///
    /// - Parameters:
    ///   - all: Everything on the server.
    ///   - arbitration: The sessions, and who of them is active.
    ///   - own: Our own client's index, if we have one.
    ///   - lowered: The playback streams that any process has written down as lowered.
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

    /// The streams that played when this session, which is active, became so.
    func streams(of session: Participant) -> Set<UInt32> {
        streams[Activation(session: session.id, ticket: session.claim.seq)] ?? []
    }

    private static func playing(_ streams: [ServerStream]) -> Set<UInt32> {
        Set(streams.lazy.filter { $0.direction == .playback && !$0.isCorked }.map(\.index))
    }
}
