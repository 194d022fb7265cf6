import ArgumentParser
import CommandLineSupport
import Glibc
import SessionHistory
import SessionPolicy

/// A time of the command line.
struct PastTime: ExpressibleByArgument {
    /// The wall clock, in seconds since 1970.
    let wall: Double

    init?(argument: String) {
        guard let wall = TimeText.wall(of: argument, now: HistoryClocks.system.now.wall) else { return nil }
        self.wall = wall
    }
}

extension HistoryFolder {
    /// The events; ends the process if they cannot be read.
    func eventsOrLeave() -> [HistoryEvent] {
        do throws(HistoryError) {
            let reader = try HistoryReader(self)
            if reader.damagedLines > 0 { complain("\(reader.damagedLines) damaged lines of the history are left out") }
            return reader.events
        } catch {
            complain(error.description)
            Glibc.exit(ExitStatus.inputUnreadable.rawValue)
        }
    }
}

/// `audiosession history`: who was interrupted, lowered, muted or moved, by whom and for how long.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Who was interrupted, lowered, muted or moved, by whom, for how long and by which rule.",
        discussion: """
            Reads what `audiosession log` wrote. A TIME is a length before now (90s, 15m, 2h, 3d), a time of day (14:03, \
            14:03:12), today, yesterday, a date (2026-11-28), or both ("2026-11-28 14:03"). Needs no sound server.
            """)

    @OptionGroup var history: HistoryOptions

    @Option(help: "Leave out what ended before this TIME.")
    var since: PastTime?

    @Option(help: "Only what concerns programs whose name contains this text.")
    var app: String?

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    @Flag(help: "Delete the history.")
    var clear = false

    func validate() throws {
        if clear, json || app != nil || since != nil {
            throw ValidationError("--clear deletes all, and takes no filter.")
        }
    }

    func run() {
        let folder = history.found()
        if clear { return Self.clear(folder) }
        let story = StoryFold.story(of: folder.eventsOrLeave())
        let now = HistoryClocks.system.now
        let incidents = story.incidents.filter { incident in
            (since.map { incident.reaches(past: $0.wall) } ?? true) && (app.map(incident.concerns) ?? true)
        }
        if json {
            let printer = eventPrinter(isOn: true)
            for incident in incidents {
                printer.emit(incident.event, at: incident.moment.monotonic, fields: incident.fields(now: now))
            }
        } else if incidents.isEmpty {
            let reason = story.range == nil ? "There is no history (audiosession log writes one)." : "Nothing happened."
            show("\(reason)\n")
        } else {
            show(HistoryText(incidents, now: now).lines(on: Paper()).map { $0 + "\n" }.joined())
        }
    }

    private static func clear(_ folder: HistoryFolder) {
        do throws(HistoryError) {
            try folder.clear()
        } catch {
            complain(error.description)
            Glibc.exit(ExitStatus.failed.rawValue)
        }
    }
}

extension Incident {
    /// Whether a part of it is after a time of the wall clock.
    fileprivate func reaches(past wall: Double) -> Bool {
        switch content {
        case .disturbance(_, let span): span.end.map { $0.wall >= wall } ?? true
        case .mark(let mark, _): mark.moment.wall >= wall
        }
    }

    /// The name of the event for `--json`.
    fileprivate var event: String {
        switch content {
        case .disturbance(_, let span): span.state.rawValue
        case .mark(let mark, _): mark.kind.rawValue
        }
    }

    fileprivate func fields(now: Moment) -> Record.Fields {
        let begin: Record.Fields = [("begin", .number(moment.wall))]
        switch content {
        case .disturbance(let track, let span):
            return begin + track.identity + span.fields(now: now)
        case .mark(let mark, let track):
            return begin + (track?.identity ?? []) + [("text", .string(mark.text))]
        }
    }
}

extension Track {
    fileprivate var identity: Record.Fields {
        [("app", .string(name)), ("kind", .string(kind.rawValue))]
            + (process.map { [("pid", EventValue.integer($0))] } ?? [])
            + (host.isEmpty ? [] : [("host", .string(host))])
            + (stream.map { [("stream", EventValue.integer($0))] } ?? [])
    }
}

extension Span {
    fileprivate func fields(now: Moment) -> Record.Fields {
        var fields: Record.Fields = []
        if let end { fields.append(("end", .number(end.wall))) }
        fields.append(("seconds", .number(seconds(until: now))))
        if let culprit {
            fields.append(("by", .string(culprit.name)))
            if let process = culprit.process { fields.append(("byPid", .integer(process))) }
            if let stream = culprit.stream { fields.append(("byStream", .integer(stream))) }
        }
        if let rule { fields.append(("rule", .string(rule))) }
        return fields + [("ending", .string(ending.rawValue)), ("older", .boolean(isOlder))]
    }
}
