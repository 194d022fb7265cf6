import ArgumentParser
import CommandLineSupport
import Glibc
import Locks
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession status`: all sessions, the streams of other programs, and the route.
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
        let access = ServerAccess.forDrawing(server)
        access.run {
            var observer = await access.observer()
            // The cursor stays on: Ctrl-Z stops this without asking, and the shell would be left without one.
            if isTerminal { show("\u{1B}[2J") }
            while true {
                let screen = StatusScreen()
                do throws(PulseError) {
                    try await observer.follow { snapshot in
                        screen.draw(snapshot)
                        return true
                    }
                } catch {
                    // What a server that is there refuses at once it would refuse again, for ever.
                    if await observer.connection.state == .ready, !screen.hasDrawn {
                        if isTerminal { show("\n") }
                        await access.fail("the sound server cannot be watched", error, on: observer.connection)
                    }
                }
                await observer.close()
                access.unlessLeaving { screen.drawLoss() }
                observer = await ServerObserver.reconnected()
            }
        }
    }
}

/// The screen of `--watch`.
private final class StatusScreen: Sendable {
    private let drawn = Guarded(false)

    /// Whether a table was drawn.
    var hasDrawn: Bool { drawn.value }

    func draw(_ snapshot: ServerSnapshot) {
        drawn.withLock { $0 = true }
        let paper = Paper()
        show(paper.screen(of: StatusTable(snapshot).lines(on: paper)))
    }

    /// Draws that there is no server.
    func drawLoss() { show(Paper().screen(of: ["No sound server."])) }
}
