import ArgumentParser
import CommandLineSupport
import Glibc
import SessionHistory

/// `audiosession trace`: what the server tells and what libraries do, in a file.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Writes what sessions do, step by step, into a file for a viewer of traces.",
        usage: "audiosession trace -o <file> [--jsonl] [-- <command> ...]",
        discussion: """
            The file is in the Chrome trace format, which ui.perfetto.dev shows, or with --jsonl one JSON object a line. The \
            command's programs write the steps of their library too: activation, claim, echo, decision, cork and delivery. \
            Without a command, the server is watched until Ctrl-C. The command's exit status is passed on.
            """)

    @OptionGroup var server: ServerOptions

    @Option(name: .shortAndLong, help: "The file to write.", completion: .file())
    var output: String

    @Flag(help: "Write one JSON object a line.")
    var jsonl = false

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.", completion: .file())
    var command: [String] = []

    func run() {
        let program = CommandProgram.named(words: command.count)
        let file = OutputFile(absolutePath(output))
        InterruptedEnd.register()
        let inherited = Signals.mask
        Signals.block()
        let access = ServerAccess(server)
        Observation(access, program: program, signalMask: inherited) { [jsonl] outcome in
            if outcome.otherLines > 0 { complain("\(outcome.otherLines) lines of the libraries' steps are left out") }
            file.save(jsonl ? outcome.trace.lines : ChromeTrace(outcome.trace).text)
            return outcome.status
        }.run()
    }
}
