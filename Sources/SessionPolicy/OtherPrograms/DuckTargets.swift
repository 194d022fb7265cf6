/// The streams of other programs that are to be lowered or silenced at present.
///
/// | stream | lowered while a session ducks |
/// |---|---|
/// | records, or is a sample of the server's cache, a loopback or a filter | no |
/// | is a participant's own, over its control connection | no: it lowers itself |
/// | belongs to a participant otherwise (the command of `audiosession run`, SDL beside the library) | as the verdict on that one says |
/// | has the role `phone`: a call must be heard | no |
/// | has the role `a11y`: a screen reader must be heard | no |
/// | any other program's, on a sink where a ducker is heard | yes, also while paused or muted: it may go on at any time |
/// | the same, being moved between sinks | yes, so as not to go up and down on the way |
/// | on another sink | no: it disturbs nobody |
/// | in a sink for its role, which the sink of a ducker's role lowers or cuts off now (``RolePolicy``) | no: the server does it |
///
/// A session without a stream counts as heard on the default sink.
///
/// While a session is active whose claim says ``Claim/Foreign``, programs that belong to no session are treated alike:
/// they are lowered, or silenced if they were playing when that session became active (``SilencedStreams``).
///
/// Streams that belong to a session and that it cannot stop itself are silenced while its claim says so
/// (``Claim/isProcessSilent``), whatever their role and sink: what other libraries (SDL, OpenAL) play in its process, and
/// what the command of `audiosession run` plays.
package struct DuckTargets: Hashable, Sendable {
    /// The level that a stream is to be brought to.
    package enum Level: Hashable, Sendable {
        /// Lowered by the depth of ducking.
        case lowered
        /// Silent, after a ramp.
        case silenced
        /// Silent without a ramp, and back without one, as the session itself stops and resumes.
        case stopped
    }

    /// The levels, by the server's indexes of the playback streams.
    package private(set) var levels: [UInt32: Level] = [:]

    /// The server's indexes of the playback streams.
    package var streams: Set<UInt32> { Set(levels.keys) }

    /// An empty set of targets.
    package init() {}

    /// The targets among all streams.
    ///
    /// - Parameters:
    ///   - streams: All streams on the server, of any direction and kind.
    ///   - arbitration: The sessions and the verdicts on them.
    ///   - defaultSink: The sink that new streams go to.
    ///   - silenced: The streams that were playing when the sessions with ``Claim/Foreign/silence`` became active.
    ///   - rolePolicy: The server's policy for roles.
    package init(
        among streams: [ServerStream], arbitration: Arbitration, defaultSink: UInt32?,
        silenced: SilencedStreams = SilencedStreams(), rolePolicy: RolePolicy = RolePolicy()
    ) {
        guard arbitration.concernsStreamsOfOthers else { return }
        let sorted = StreamsByOwner(streams, arbitration, defaultSink)
        let duckers = Set(arbitration.duckers)
        let louder = duckers.union(arbitration.treating(foreign: .duck).map(\.id))
        let sinks = sorted.sinks(of: louder)
        let roleSinks = sorted.roleSinks(of: louder)
        func isLeftToServer(_ stream: ServerStream) -> Bool {
            guard !roleSinks.isEmpty, let rule = rolePolicy.rule(over: stream, among: streams) else { return false }
            return rule.ruler.roleSink.map(roleSinks.contains) == true
        }
        for stream in sorted.foreign where stream.isHeard(on: sinks) && !isLeftToServer(stream) {
            levels[stream.index] = .lowered
        }
        let duckedSinks = sorted.sinks(of: duckers)
        for stream in sorted.ducked where stream.isHeard(on: duckedSinks) && !isLeftToServer(stream) {
            levels[stream.index] = .lowered
        }
        for session in arbitration.treating(foreign: .silence) {
            let sinks = sorted.sinks(of: [session.id])
            let played = silenced.streams(of: session)
            for stream in sorted.foreign where played.contains(stream.index) && stream.isHeard(on: sinks) {
                levels[stream.index] = .silenced
            }
        }
        for stream in sorted.stranded { levels[stream.index] = .stopped }
    }

    /// The sessions, of those given, that are heard on the sink of a stream and therefore lower or silence it.
    package static func sessions(
        _ ids: [UInt32], heardWith stream: ServerStream, among streams: [ServerStream], arbitration: Arbitration,
        defaultSink: UInt32?
    ) -> [UInt32] {
        let sorted = StreamsByOwner(streams, arbitration, defaultSink)
        return ids.filter { stream.isHeard(on: sorted.sinks(of: [$0])) }
    }

    /// The playback streams, grouped by owner.
    private struct StreamsByOwner {
        /// Streams that belong to no session.
        private(set) var foreign: [ServerStream] = []
        /// Streams of ducked sessions that those cannot lower themselves.
        private(set) var ducked: [ServerStream] = []
        /// Streams of silent sessions that those cannot stop themselves.
        private(set) var stranded: [ServerStream] = []
        private var sinks: [UInt32: Set<UInt32>] = [:]
        private var roleSinks: [UInt32: Set<UInt32>] = [:]
        private let defaultSink: UInt32?

        init(_ streams: [ServerStream], _ arbitration: Arbitration, _ defaultSink: UInt32?) {
            self.defaultSink = defaultSink
            for stream in streams where stream.direction == .playback {
                guard let owner = stream.participant(among: arbitration.participants)?.id else {
                    if stream.mayBeLowered { foreign.append(stream) }
                    continue
                }
                if stream.mayBeLowered, stream.client != owner, arbitration.verdict(on: owner).isDucked {
                    ducked.append(stream)
                }
                if arbitration.isStranded(stream) { stranded.append(stream) }
                if let sink = stream.device { sinks[owner, default: []].insert(sink) }
                if let sink = stream.roleSink { roleSinks[owner, default: []].insert(sink) }
            }
        }

        /// The sinks for roles that these sessions play into.
        func roleSinks(of sessions: Set<UInt32>) -> Set<UInt32> {
            sessions.reduce(into: []) { all, session in all.formUnion(roleSinks[session] ?? []) }
        }

        /// The sinks on which these sessions are heard, or will be.
        func sinks(of sessions: Set<UInt32>) -> Set<UInt32> {
            sessions.reduce(into: []) { all, session in
                all.formUnion(sinks[session] ?? Set([defaultSink].compactMap { $0 }))
            }
        }
    }
}

extension Arbitration {
    /// Whether a stream belongs to a session that cannot stop it and wants such streams silent.
    fileprivate func isStranded(_ stream: ServerStream) -> Bool {
        stream.unmanagedStreamOwner(among: participants)?.isProcessSilent ?? false
    }
}

extension ServerStream {
    fileprivate var mayBeLowered: Bool { kind == .program && role != "phone" && role != "a11y" }

    fileprivate func isHeard(on sinks: Set<UInt32>) -> Bool { device.map(sinks.contains) ?? !sinks.isEmpty }
}
