// What sessions there are, why they are heard or not, and any command as if it had one.
//
// Each subcommand has a file of its own.
import ArgumentParser
import CommandLineSupport
import Glibc

keepStandardDescriptors()
runProgramOfLink()
AudioSessionCommand.start()

struct AudioSessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiosession",
        abstract: "Shows the sound sessions on this machine, explains them, and runs commands in one.",
        discussion: """
            Exit status: 0 done, 1 failed, 64 bad usage, 69 no sound server; `run` passes on that of its command. `play` and \
            `record` have more.
            Completions: `audiosession --generate-completion-script bash` (or zsh, fish).
            """,
        version: programVersion,
        subcommands: [
            StatusCommand.self, MonitorCommand.self, ExplainCommand.self, DoctorCommand.self, DevicesCommand.self,
            PlayCommand.self, RecordCommand.self, RunCommand.self, EndCommand.self, SimulateCommand.self,
            SilentCommand.self, GuardCommand.self, LogCommand.self, HistoryCommand.self, TimelineCommand.self,
            TraceCommand.self, AssertCommand.self,
        ],
        defaultSubcommand: StatusCommand.self)

    /// Runs the command of the command line, and ends the process.
    static func start() -> Never {
        do {
            runProgramOfCommand(arguments)
            var command = try parseAsRoot(arguments)
            try command.run()
            Glibc.exit(ExitStatus.done.rawValue)
        } catch {
            // Asking for help or the version is an "error" too, with status 0 and an answer on stdout.
            guard exitCode(for: error) != .success else {
                show(answer(to: error) + "\n")
                Glibc.exit(ExitStatus.done.rawValue)
            }
            if let word = unknownCommand {
                complain("there is no command '\(word)' (audiosession --help lists them)")
            } else {
                complain("\(inOneLine(message(for: error))) (audiosession --help says more)")
            }
            Glibc.exit(ExitStatus.usage.rawValue)
        }
    }

    /// The text for a help, version or completion request.
    private static func answer(to error: any Error) -> String {
        let text = fullMessage(for: error)
        let isScript = arguments.contains { $0.hasPrefix("--generate-completion-script") }
        return isScript ? RunCompletions.added(to: text) : text
    }

    /// The first word if it is no known command; ArgumentParser would take it for an argument of `status`.
    private static var unknownCommand: String? {
        guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
        return (["help"] + commands).contains(word) ? nil : word
    }

    private static var commands: [String] { configuration.subcommands.map { $0._commandName } }

    /// The command line with the options of all commands moved behind the command.
    ///
    /// In front of it, where they are often written, ArgumentParser would take them for options of `status`.
    private static var arguments: [String] {
        let given = argumentsOfCommandLine
        var rest = given[...]
        while let word = rest.first,
            ["--headless", "--json", "--server"].contains(word) || word.hasPrefix("--server=")
        {
            rest = rest.dropFirst(word == "--server" ? 2 : 1)
        }
        guard let command = rest.first, commands.contains(command) else { return given }
        return [command] + given[..<rest.startIndex] + rest.dropFirst()
    }
}

/// Prints an error in one line on stderr.
func complain(_ message: String) { complain("audiosession", message) }
