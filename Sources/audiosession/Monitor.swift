import ArgumentParser
import CommandLineSupport
import Glibc
import Locks
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession monitor`: the events of the server, as they happen.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "What sessions and streams do, one line for each event, until Ctrl-C.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func run() {
        Signals.block()
        let access = ServerAccess(server)
        Signals.receive { _ in access.leave() }
        endWithReader()
        let printer = eventPrinter(isOn: json)
        let isPlain = !json
        access.run {
            var observer = await access.observer()
            while true {
                let follower = Follower(printer: printer, isPlain: isPlain)
                let error = await follower.follow(observer)
                // What a server that is there refuses at once it would refuse again, for ever.
                if await observer.connection.state == .ready, !follower.hasLooked {
                    await access.fail("the sound server cannot be watched", error, on: observer.connection)
                }
                await observer.close()
                access.unlessLeaving {
                    follower.report(Record(event: "mediaServicesWereLost", fields: []), "the sound server is gone")
                }
                observer = await ServerObserver.reconnected()
                follower.report(Record(event: "mediaServicesWereReset", fields: []), "a sound server is there again")
            }
        }
    }
}

extension ServerObserver {
    /// Reconnects to the server, however long that takes.
    static func reconnected() async -> ServerObserver {
        var policy = ReconnectPolicy()
        while true {
            if let observer = try? await ServerObserver(name: "audiosession") { return observer }
            try? await Task.sleep(for: policy.next())
        }
    }
}

/// The printer of the changes between successive snapshots of the server.
private final class Follower: Sendable {
    private let printer: EventPrinter
    private let isPlain: Bool
    private let last = Guarded<ServerSnapshot?>(nil)

    init(printer: EventPrinter, isPlain: Bool) {
        self.printer = printer
        self.isPlain = isPlain
    }

    /// Whether there was a snapshot.
    var hasLooked: Bool { last.value != nil }

    /// Prints changes until the connection ends, and returns the reason of its end.
    func follow(_ observer: ServerObserver) async -> PulseError {
        do throws(PulseError) {
            try await observer.follow { [self] snapshot in
                look(at: snapshot)
                return true
            }
            return PulseError(.connectionTerminated, in: "pa_context_subscribe")
        } catch {
            return error
        }
    }

    private func look(at snapshot: ServerSnapshot) {
        let last = last.value
        let (new, old) = (snapshot.state, last?.state ?? .empty)
        let paper = Paper()
        for change in new.changes(since: old) {
            report(new.record(of: change, since: old), paper.worded(new).words(for: change, since: paper.worded(old)))
        }
        if let last { reportRoute(from: last, to: snapshot) }
        self.last.withLock { $0 = snapshot }
    }

    func report(_ record: Record, _ words: String) {
        printer.emit(record.event, fields: record.fields)
        guard isPlain else { return }
        show("\(timeOfDay())  \(words.withoutControls)\n")
    }

    private func reportRoute(from old: ServerSnapshot, to new: ServerSnapshot) {
        let (before, after) = (old.server, new.server)
        let pairs = [(before.defaultSink, after.defaultSink), (before.defaultSource, after.defaultSource)]
        for (before, now) in pairs where before != now {
            let fields: Record.Fields = [
                ("reason", "routeConfigurationChange"), ("previous", .string(before ?? "")),
                ("current", .string(now ?? "")),
            ]
            let longest = Paper().longestDevice
            let words = [before, now].map { $0?.cut(toColumns: longest) ?? "nothing" }.joined(separator: " -> ")
            report(Record(event: "routeChange", fields: fields), "route: \(words)")
        }
    }
}

/// The local time of day, such as `17:04:09`.
private func timeOfDay() -> String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
}
