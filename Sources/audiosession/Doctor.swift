import ArgumentParser
import CommandLineSupport
import Locks
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession doctor`: checks of this machine and its server, with remedies.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the server, its modules, permissions and settings, and says what to do.",
        discussion: "Exit status: 0 if nothing fails (warnings are no failures), 1 if something does, 69 no server.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func run() {
        let access = ServerAccess(server)
        let report = Report(isJSON: json)
        access.run {
            // What can be said without a server comes first: it may explain why there is none.
            report.add(Finding.ofMachine())
            do throws(PulseError) {
                let observer = try await ServerObserver(name: "audiosession")
                report.add(Finding.ofServer(try await ServerSnapshot.read(observer.connection)))
                await observer.close()
            } catch {
                let what = error.code == .access ? "it refuses this program" : "none answers"
                report.add([.fail("server", "\(what): \(error)", "see the line below")])
                access.noServer(error)
            }
            access.leave(report.hasFailures ? .failed : .done)
        }
    }
}

/// The result of one check.
struct Finding {
    /// The severity of a result.
    enum Level: String { case ok, warn, fail }

    let level: Level
    /// The subject of the check, in a word or two.
    let topic: String
    /// The result in words.
    let text: String
    /// The remedy; nil if none is needed.
    let advice: String?

    static func ok(_ topic: String, _ text: String) -> Finding {
        Finding(level: .ok, topic: topic, text: text, advice: nil)
    }

    static func warn(_ topic: String, _ text: String, _ advice: String) -> Finding {
        Finding(level: .warn, topic: topic, text: text, advice: advice)
    }

    static func fail(_ topic: String, _ text: String, _ advice: String) -> Finding {
        Finding(level: .fail, topic: topic, text: text, advice: advice)
    }
}

/// The printer of results, one after the other.
private final class Report: Sendable {
    private let failed = Guarded(false)
    private let isJSON: Bool
    private let paper = Paper()

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Whether a check has failed.
    var hasFailures: Bool { failed.value }

    func add(_ findings: [Finding]) {
        for finding in findings {
            if finding.level == .fail { failed.withLock { $0 = true } }
            if isJSON { emit(finding) } else { print(finding) }
        }
    }

    private func emit(_ finding: Finding) {
        let advice: Record.Fields = finding.advice.map { [("advice", .string($0))] } ?? []
        let fields: Record.Fields = [
            ("level", .string(finding.level.rawValue)), ("topic", .string(finding.topic)),
            ("message", .string(finding.text)),
        ]
        eventPrinter(isOn: true).emit("check", fields: fields + advice)
    }

    private func print(_ finding: Finding) {
        let tint: Tint =
            switch finding.level {
            case .ok: .green
            case .warn: .yellow
            case .fail: .red
            }
        let level = finding.level.rawValue + (finding.level == .ok ? "  " : "")
        let topic = paper.tinted(finding.topic, .bold)
        let text = (finding.text + (finding.advice.map { "; \($0)" } ?? "")).withoutControls
        show("\(paper.tinted(level, tint))  \(topic): \(text)\n")
    }
}
