internal import PulseClient

/// Tells mutes that the server's policy may have made from the user's, by what else changed when they came.
///
/// `module-role-cork` looks at a sink's streams when one of them comes, goes, moves, stops or starts, is unmuted, or has
/// other properties (as with each title of a player), and at nothing else; a mixer's mute comes alone. Who muted a
/// stream before we first looked nobody can know: it stays the user's.
struct MuteHistory {
    private struct Seen: Hashable {
        let sink: UInt32?
        let isCorked: Bool
        let isMuted: Bool
        let properties: PropertyList

        init(_ stream: SinkInput) {
            sink = stream.sink
            isCorked = stream.isCorked
            isMuted = stream.isMuted
            properties = stream.properties
        }

        /// What the policy looks at: being muted is its work, being unmuted is not.
        func stirs(since before: Seen) -> Bool {
            sink != before.sink || isCorked != before.isCorked || properties != before.properties
                || (before.isMuted && !isMuted)
        }
    }

    /// The streams of the last list; nil before the first.
    private var seen: [UInt32: Seen]?
    /// The last stream that came before the first list.
    private var arrival: UInt32?

    /// Whether no list was seen yet.
    var isEmpty: Bool { seen == nil }

    /// A stream came to the server.
    mutating func arrived(_ index: UInt32) { if isEmpty { arrival = index } }

    /// The streams that were muted since the last list, and not by a user alone.
    mutating func newlyMuted(in streams: [SinkInput]) -> Set<UInt32> {
        let now = Dictionary(streams.map { ($0.index, Seen($0)) }) { $1 }
        defer { seen = now }
        guard let seen else {
            // Nothing stirred until now: a call that is the first to come is why others are muted.
            guard let call = arrival.flatMap({ now[$0] }), call.properties["media.role"] == "phone" else { return [] }
            return Set(now.filter { $1.isMuted && $1.sink == call.sink }.keys)
        }
        var sinks = Set(seen.filter { now[$0.key] == nil }.map(\.value.sink))
        for (index, stream) in now where seen[index].map(stream.stirs) ?? true {
            // One that moves stirs both.
            sinks.formUnion([stream.sink, seen[index]?.sink ?? stream.sink])
        }
        return Set(now.filter { $1.isMuted && seen[$0]?.isMuted != true && sinks.contains($1.sink) }.keys)
    }
}
