import CommandLineSupport
import PulseClient
import SessionPolicy
import SoundHost

/// An event of the server for `monitor` and `log`.
struct NewsItem {
    let record: Record
    let words: String
    /// Whether the event only tells what was there at the first look.
    let isOlder: Bool
}

/// The comparison of successive snapshots of one server.
struct ServerNews {
    private(set) var last: ServerSnapshot?

    /// The events between the last snapshot and this one, which becomes the last.
    mutating func items(in snapshot: ServerSnapshot) -> [NewsItem] {
        let isFirst = last == nil
        let (new, old) = (snapshot.state, last?.state ?? .empty)
        let paper = Paper()
        var items = new.changes(since: old).map { change in
            NewsItem(
                record: new.record(of: change, since: old),
                words: paper.worded(new).words(for: change, since: paper.worded(old)), isOlder: isFirst)
        }
        items += Self.lateCauses(new, since: old)
        if let last { items += Self.route(from: last, to: snapshot) + Self.moves(from: last, to: snapshot) }
        last = snapshot
        return items
    }

    /// The causes of interruptions that began in an earlier look, in which they were not seen yet.
    ///
    /// PulseAudio corks a session's stream before it tells others of the call's stream.
    private static func lateCauses(_ new: ServerState, since old: ServerState) -> [NewsItem] {
        new.participants.compactMap { participant in
            guard let earlier = old.arbitration.participant(participant.id), earlier.claim.uid == participant.claim.uid,
                new.condition(of: participant) == .interrupted, old.hindrances(of: earlier).contains(.unseen),
                case let hindrances = new.hindrances(of: participant), !hindrances.contains(.unseen)
            else { return nil }
            let fields: Record.Fields = [("type", "cause")]
            let causes = new.culprits(hindrances)
            let culprit = causes.first { $0.key == "by" }.map { $0.value }
            guard case .string(let name)? = culprit else { return nil }
            return NewsItem(
                record: Record(event: "interruption", fields: fields + new.identity(of: participant) + causes),
                words: "\(new.name(of: participant.id)) (\(participant.claim.pid)) is interrupted by \(name)",
                isOlder: false)
        }
    }

    private static func route(from old: ServerSnapshot, to new: ServerSnapshot) -> [NewsItem] {
        let pairs = [
            (old.server.defaultSink, new.server.defaultSink), (old.server.defaultSource, new.server.defaultSource),
        ]
        return pairs.filter { $0 != $1 }.map { before, now in
            let fields: Record.Fields = [
                ("reason", "routeConfigurationChange"), ("previous", .string(before ?? "")),
                ("current", .string(now ?? "")),
            ]
            return NewsItem(
                record: Record(event: "routeChange", fields: fields), words: "route: \(way(before, now))",
                isOlder: false)
        }
    }

    /// The streams of any program that play or record on another device than before.
    private static func moves(from old: ServerSnapshot, to new: ServerSnapshot) -> [NewsItem] {
        new.state.programStreams.compactMap { stream in
            let isKnown = old.state.programStreams.contains {
                $0.index == stream.index && $0.direction == stream.direction && $0.client == stream.client
                    && $0.device != stream.device
            }
            // A stream without a device is on its way.
            guard isKnown, let now = new.deviceName(of: stream) else { return nil }
            let before = old.state.programStreams.first {
                $0.index == stream.index && $0.direction == stream.direction
            }.flatMap(old.deviceName)
            let fields: Record.Fields = [("previous", .string(before ?? "")), ("current", .string(now))]
            return NewsItem(
                record: Record(event: "moved", fields: new.state.subject(of: stream) + fields),
                words: "\(new.state.title(of: stream)) is moved: \(way(before, now))", isOlder: false)
        }
    }

    private static func way(_ before: String?, _ now: String?) -> String {
        let longest = Paper().longestDevice
        return [before, now].map { $0?.cut(toColumns: longest) ?? "nothing" }.joined(separator: " -> ")
    }
}

extension ServerState {
    /// The fields of the session that plays a stream itself, or else of the stream.
    fileprivate func subject(of stream: ServerStream) -> Record.Fields {
        stream.client.flatMap { arbitration.participant($0) }.map(identity) ?? fields(of: stream)
    }
}
