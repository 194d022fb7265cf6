import ArgumentParser
import ExampleSupport
import Glibc
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession status`: every session, the streams outside, and the route.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Every session on this server, the streams outside, and the route.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    @Flag(help: "Show it anew whenever something changes, until Ctrl-C (for programs: monitor --json).")
    var watch = false

    func validate() throws {
        if json, watch { throw ValidationError("--watch is for people; programs take monitor --json.") }
    }

    func run() {
        if watch { return follow() }
        let access = ServerAccess(server)
        let json = json
        access.run {
            let snapshot = await access.snapshot()
            if json {
                let printer = eventPrinter(isOn: true)
                for record in snapshot.records { printer.emit(record.event, fields: record.fields) }
            } else {
                show(StatusTable(snapshot).lines(on: Paper()).map { $0 + "\n" }.joined())
            }
        }
    }

    private func follow() {
        let isTerminal = Paper().isTerminal
        Signals.block()
        let access = ServerAccess(server)
        Signals.receive { _ in
            if isTerminal { show("\n") }
            access.leave()
        }
        endWithReader()
        access.run {
            let observer = await access.observer()
            // The cursor stays on: Ctrl-Z stops this without asking, and the shell would be left without one.
            if isTerminal { show("\u{1B}[2J") }
            do throws(PulseError) {
                try await observer.follow { snapshot in
                    show(Self.picture(of: snapshot))
                    return true
                }
            } catch {
                if isTerminal { show("\n") }
                await access.fail("the sound server cannot be watched", error, on: observer.connection)
            }
        }
    }

    /// The table; on a terminal drawn over the last one, so that nothing flickers.
    private static func picture(of snapshot: ServerSnapshot) -> String {
        let paper = Paper()
        var lines = StatusTable(snapshot).lines(on: paper)
        guard paper.isTerminal else { return lines.map { $0 + "\n" }.joined() + "\n" }
        if let rows = paper.size?.rows { lines = Array(lines.prefix(rows - 1)) }
        return "\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    }
}
