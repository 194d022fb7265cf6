import CommandLineSupport
import SessionPolicy

extension ServerState {
    /// A change as an event of the command-line contract; `old` has the sessions that are gone.
    func record(of change: ServerStateChange, since old: ServerState) -> Record {
        func session(_ id: UInt32) -> Record.Fields {
            if let here = arbitration.participant(id) { return identity(of: here) }
            return old.arbitration.participant(id).map(old.identity) ?? []
        }
        switch change {
        case .active(let id):
            return Record(event: "active", fields: arbitration.participant(id).map(fields) ?? [])
        case .inactive(let id, let notify):
            let end: Record.Fields = notify.map { [("notify", .boolean($0))] } ?? [("vanished", true)]
            return Record(event: "inactive", fields: session(id) + end)
        case .stopped(let id): return Record(event: "stopped", fields: session(id))
        case .continued(let id): return Record(event: "continued", fields: session(id))
        case .interruptionBegan(let id, let hindrances):
            let fields: Record.Fields = [("type", "began"), ("reason", "default")]
            return Record(event: "interruption", fields: fields + session(id) + culprits(hindrances))
        case .interruptionEnded(let id, let shouldResume):
            let fields: Record.Fields = [("type", "ended"), ("shouldResume", .boolean(shouldResume))]
            return Record(event: "interruption", fields: fields + session(id))
        case .ducked(let id, let isDucked, let duckers):
            let names: Record.Fields = [("by", .list(duckers.map { isDucked ? name(of: $0) : old.name(of: $0) }))]
            let first = isDucked ? duckers.first.map { culprit($0, "duckOthers") } ?? [] : []
            return Record(event: isDucked ? "ducked" : "unducked", fields: session(id) + names + first)
        case .muted(let id, let isMuted):
            let recorder = isMuted ? recorder(against: id) : nil
            let by: Record.Fields = recorder.map { [("by", .string(name(of: $0)))] + culprit($0, "recording") } ?? []
            return Record(event: isMuted ? "muted" : "unmuted", fields: session(id) + by)
        case .started(let id): return Record(event: "started", fields: session(id))
        case .paused(let id): return Record(event: "paused", fields: session(id))
        case .streamStarted(let stream): return Record(event: "started", fields: fields(of: stream))
        case .streamPaused(let stream): return Record(event: "paused", fields: fields(of: stream))
        case .streamFinished(let stream): return Record(event: "finished", fields: old.fields(of: stream))
        case .streamDucked(let stream, let isDucked, let duckers):
            let names: Record.Fields = isDucked ? [("by", .list(duckers.map(name)))] : []
            let first = duckers.first.map { culprit($0, "duckOthers") } ?? []
            return Record(event: isDucked ? "ducked" : "unducked", fields: fields(of: stream) + names + first)
        case .streamMuted(let stream, let isMuted, let call):
            let by: Record.Fields = call.map { culprits([.foreignCall($0)]) } ?? []
            return Record(event: isMuted ? "muted" : "unmuted", fields: fields(of: stream) + by)
        }
    }

    /// The fields of a session that lowers or mutes another one, and of its rule.
    private func culprit(_ id: UInt32, _ rule: String) -> Record.Fields {
        let process = (arbitration.participant(id)?.claim.pid).map { [("byPid", EventValue.integer(Int($0)))] } ?? []
        return [("rule", .string(rule))] + process
    }

    /// The first session that mutes another one by recording.
    private func recorder(against id: UInt32) -> UInt32? {
        for hindrance in arbitration.participant(id).map(hindrances) ?? [] {
            if case .recording(let recorder) = hindrance { return recorder }
        }
        return nil
    }

    /// A change in words.
    func words(for change: ServerStateChange, since old: ServerState) -> String {
        func who(_ id: UInt32) -> String {
            let here = arbitration.participant(id) == nil ? old : self
            return "\(here.name(of: id)) (\(here.arbitration.participant(id)?.claim.pid ?? 0))"
        }
        switch change {
        case .active(let id):
            let settings = arbitration.participant(id)?.claim.settings ?? .default
            let options = ([settings.category.name, settings.mode.name] + settings.optionNames).joined(separator: " ")
            return "\(who(id)) is active: \(options)"
        case .inactive(let id, nil): return "\(who(id)) is gone"
        case .inactive(let id, let notify):
            return "\(who(id)) is inactive, others " + (notify == true ? "may resume" : "are not asked to resume")
        case .stopped(let id): return "\(who(id)) was stopped and counts as inactive"
        case .continued(let id): return "\(who(id)) goes on"
        case .interruptionBegan(let id, let hindrances):
            return "\(who(id)) is interrupted" + (culprit(hindrances).map { " by \($0)" } ?? "")
        case .interruptionEnded(let id, let shouldResume):
            return "\(who(id)) is not interrupted any more" + (shouldResume ? " and should resume" : "")
        case .ducked(let id, let isDucked, let duckers):
            let names = duckers.map { name(of: $0) }.joined(separator: ", ")
            return isDucked ? "\(who(id)) is lowered for \(names)" : "\(who(id)) is as loud as before"
        case .muted(let id, let isMuted): return "\(who(id)) is \(isMuted ? "muted for a recording" : "audible again")"
        case .started(let id): return "\(who(id)) plays or records"
        case .paused(let id): return "\(who(id)) has paused"
        case .streamStarted(let stream):
            return "\(title(of: stream)) \(stream.direction == .playback ? "plays" : "records")"
        case .streamPaused(let stream): return "\(title(of: stream)) has paused"
        case .streamFinished(let stream): return "\(old.title(of: stream)) is gone"
        case .streamDucked(let stream, true, let duckers):
            return "\(title(of: stream)) is lowered for \(duckers.map { name(of: $0) }.joined(separator: ", "))"
        case .streamDucked(let stream, false, _): return "\(title(of: stream)) is as loud as before"
        case .streamMuted(let stream, true, let call):
            return "\(title(of: stream)) is muted" + (call.map { " by the server for \(name(of: $0))" } ?? "")
        case .streamMuted(let stream, false, _): return "\(title(of: stream)) is not muted any more"
        }
    }

    private func culprit(_ hindrances: [Hindrance]) -> String? {
        for hindrance in hindrances {
            switch hindrance {
            case .session(let id, _): return name(of: id)
            case .foreignCall(let stream): return title(of: stream)
            case .unseen, .ducking, .recording: continue
            }
        }
        return nil
    }

    func title(of stream: ServerStream) -> String {
        let role = role(of: stream).map { ", role \($0)" } ?? ""
        return "stream \(stream.index) of \(name(of: stream))\(role)"
    }
}
