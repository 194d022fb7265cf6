import ArgumentParser
import CommandLineSupport
import Glibc

/// `audiosession run`: a command in a session.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs a command in an active session, and ends the session with it.",
        usage: "audiosession run [--category <category>] [--mode <mode>] [--option <option>] ... -- <command> ...",
        discussion: """
            The command belongs to the session: while that is interrupted its streams are silenced, and given back at \
            the end. Its exit status is passed on: 128 and the number of the signal if one ended it, 126 if it cannot \
            be run, 127 if it is not found; 1 if the session is refused (a call is in progress). The category is playback \
            unless another one is named.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var session: SessionOptions

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.", completion: .file())
    var command: [String] = []

    func validate() throws {
        if command.isEmpty {
            throw ValidationError(
                "say what to run, behind --: audiosession run --category playback -- paplay prompt.wav")
        }
    }

    func run() {
        // Looked up first: a word with a typing error must not interrupt anybody.
        let program: CommandProgram
        do throws(CommandProgram.Failure) {
            // Not ArgumentParser's words, which are text, as the names of files need not be.
            program = try CommandProgram(Array(CommandWord.ofCommandLine.suffix(command.count)))
        } catch {
            complain(error.message)
            Glibc.exit(error.status)
        }
        InterruptedEnd.register()
        let inherited = Signals.mask
        Signals.block(CommandSession.signals)
        let access = ServerAccess(server)
        let held = CommandSession(program: program, options: session.choice, access: access, signalMask: inherited)
        held.hold()
    }
}
