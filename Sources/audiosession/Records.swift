import CommandLineSupport
import PulseClient
import SessionPolicy
import SoundHost

/// One line of `--json`: an event and its fields.
struct Record {
    /// The fields in the order in which they are printed.
    typealias Fields = [(key: String, value: EventValue)]

    let event: String
    let fields: Fields
}

extension ServerSnapshot {
    /// The records of the server, the route, the sessions and the streams of other programs.
    var records: [Record] {
        let head = Record(
            event: "server", fields: [("name", .string(serverTitle)), ("sessions", .integer(state.participants.count))])
        return [head, Record(event: "route", fields: routeFields)]
            + state.participants.map { Record(event: "session", fields: state.fields(of: $0)) }
            + state.foreignStreams.map { stream in
                let device = deviceName(of: stream).map { [("device", EventValue.string($0))] } ?? []
                return Record(event: "stream", fields: state.fields(of: stream) + device)
            }
    }

    private var routeFields: Record.Fields {
        [("output", server.defaultSink), ("input", server.defaultSource)].compactMap { key, name in
            name.map { (key, .string($0)) }
        }
    }
}

extension ServerState {
    /// The fields that identify a session.
    func identity(of participant: Participant) -> Record.Fields {
        let claim = participant.claim
        return [
            ("app", .string(name(of: participant.id))), ("pid", .integer(Int(claim.pid))),
            ("host", .string(claim.host)), ("client", .integer(Int(participant.id))),
        ]
    }

    /// All fields of a session.
    func fields(of participant: Participant) -> Record.Fields {
        let claim = participant.claim
        let verdict = arbitration.verdict(on: participant.id)
        return identity(of: participant) + [
            ("category", .string(claim.settings.category.name)), ("mode", .string(claim.settings.mode.name)),
            ("options", .list(claim.settings.optionNames)), ("state", .string(condition(of: participant).rawValue)),
            ("playing", .boolean(claim.isPlaying)), ("ducked", .boolean(verdict.isDucked)),
            ("muted", .boolean(verdict.isMutedByRecording)),
        ] + culprits(hindrances(of: participant))
    }

    /// The fields that identify a stream.
    func identity(of stream: ServerStream) -> Record.Fields {
        [("stream", .integer(Int(stream.index))), ("app", .string(name(of: stream)))]
            + (stream.pid.map { [("pid", .integer(Int($0)))] } ?? [])
            + (owner(of: stream).map { [("session", .string(name(of: $0.id)))] } ?? [])
    }

    /// All fields of a stream.
    func fields(of stream: ServerStream) -> Record.Fields {
        identity(of: stream) + [
            ("direction", .string(stream.direction == .playback ? "playback" : "capture")),
            ("role", .string(stream.role ?? "")), ("title", .string(stream.title ?? "")),
            ("corked", .boolean(stream.isCorked)), ("muted", .boolean(stream.isMuted)),
        ]
    }

    /// The fields of the interrupter and its rule, of ducking and of recording sessions.
    func culprits(_ hindrances: [Hindrance]) -> Record.Fields {
        var fields: Record.Fields = []
        var duckers: [String] = []
        var isInterruptionTold = false
        for hindrance in hindrances {
            switch hindrance {
            case .session(let id, let rule) where !isInterruptionTold:
                isInterruptionTold = true
                fields += [("by", .string(name(of: id))), ("rule", .string("\(rule)"))]
                if let pid = arbitration.participant(id)?.claim.pid { fields.append(("byPid", .integer(Int(pid)))) }
            case .foreignCall(let stream) where !isInterruptionTold:
                isInterruptionTold = true
                fields += [("by", .string(name(of: stream))), ("rule", "foreignCall")]
                if let pid = stream.pid { fields.append(("byPid", .integer(Int(pid)))) }
                fields.append(("byStream", .integer(Int(stream.index))))
            case .session, .foreignCall, .unseen: break
            case .ducking(let id): duckers.append(name(of: id))
            case .recording(let id): fields.append(("mutedBy", .string(name(of: id))))
            }
        }
        return duckers.isEmpty ? fields : fields + [("duckedBy", .list(duckers))]
    }
}
