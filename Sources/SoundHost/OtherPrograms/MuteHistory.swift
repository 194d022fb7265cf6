internal import PulseClient

/// The recent changes of streams, by which mutes of the server's policy are distinguished from the user's.
///
/// `module-role-cork` evaluates a sink's streams only when one of them appears, ends, moves, is corked, uncorked or
/// unmuted, or changes its properties (as with each title of a player); a mute from a mixer comes without any of these. A
/// mute from before the first look counts as the user's.
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

        /// Whether the policy evaluates its rules after this change; a mute is its effect, an unmute is not.
        func stirs(since before: Seen) -> Bool {
            sink != before.sink || isCorked != before.isCorked || properties != before.properties
                || (before.isMuted && !isMuted)
        }
    }

    /// The streams at the last look; nil before the first.
    private var seen: [UInt32: Seen]?
    /// The last stream that appeared before the first look.
    private var arrival: UInt32?

    /// Whether there was no look yet.
    var isEmpty: Bool { seen == nil }

    /// Notes a new stream.
    mutating func arrived(_ index: UInt32) { if isEmpty { arrival = index } }

    /// The streams that were muted since the last look, possibly by the policy.
    mutating func newlyMuted(in streams: [SinkInput]) -> Set<UInt32> {
        let now = Dictionary(streams.map { ($0.index, Seen($0)) }) { $1 }
        defer { seen = now }
        guard let seen else {
            // Nothing has changed until now. If the first new stream is a call, it is the reason for the other streams'
            // mutes.
            guard let call = arrival.flatMap({ now[$0] }), call.properties["media.role"] == "phone" else { return [] }
            return Set(now.filter { $1.isMuted && $1.sink == call.sink }.keys)
        }
        var sinks = Set(seen.filter { now[$0.key] == nil }.map(\.value.sink))
        for (index, stream) in now where seen[index].map(stream.stirs) ?? true {
            // A move affects both sinks.
            sinks.formUnion([stream.sink, seen[index]?.sink ?? stream.sink])
        }
        return Set(now.filter { $1.isMuted && seen[$0]?.isMuted != true && sinks.contains($1.sink) }.keys)
    }
}
