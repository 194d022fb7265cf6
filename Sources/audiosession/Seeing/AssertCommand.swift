import ArgumentParser
import CommandLineSupport
import Glibc
import SessionHistory
import SessionPolicy

/// `audiosession assert`: sentences about what must happen while a command runs.
struct AssertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assert",
        abstract: "Runs a command on a private sound server, and checks what happened to its sessions.",
        usage: "audiosession assert [--timeline <file>] [--timeout <seconds>] <sentence> ... -- <command> ...",
        discussion: """
            A sentence is: [never] PROGRAM STATE [within LENGTH]. PROGRAM is a part of a name, in quotation marks if it has \
            spaces. STATE is interrupted, ducked or muted, each also with -by and another PROGRAM, or resumes, plays or active. \
            LENGTH is the most time since the cause, such as 50ms or 2s. Example: \
            audiosession assert 'player interrupted-by call within 50ms' -- sh scene.sh. \
            If all hold, one line on stdout says so. Exit status: 1 if a sentence does not hold, and else that of the command.
            """)

    @Option(help: "Sound server to use, as in PULSE_SERVER (default: a private one with null sinks).")
    var server: String?

    @Option(help: "Draw what happened to this FILE, SVG or .html, if a sentence does not hold.", completion: .file())
    var timeline: String?

    @Option(help: "The seconds after which the command is ended.")
    var timeout = 60.0

    // ArgumentParser takes no second list behind `--`.
    @Argument(help: "What must happen, and the command with its arguments after --.", completion: .file())
    var words: [String] = []

    /// The number of the words that are the command's.
    private var commandCount: Int {
        let all = CommandWord.ofCommandLine.map(\.text)
        return all.firstIndex(of: "--").map { all.count - $0 - 1 } ?? 0
    }

    private var sentences: [String] { words.dropLast(commandCount) }

    func validate() throws {
        guard !sentences.isEmpty else { throw ValidationError("say what must happen, such as 'player plays'.") }
        guard commandCount > 0 else { throw ValidationError("say what to run, behind --.") }
        guard timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout must be more than 0, and at most 86400.")
        }
        do throws(Assertion.Mistake) {
            for sentence in sentences { _ = try Assertion(sentence) }
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() {
        let program = CommandProgram.named(words: commandCount)
        InterruptedEnd.register()
        let inherited = Signals.mask
        Signals.block()
        var options = ServerOptions()
        (options.server, options.headless) = (server, server == nil)
        let access = ServerAccess(options)
        let (timeline, timeout) = (timeline, timeout)
        // They were read before.
        let sentences = sentences.compactMap { try? Assertion($0) }
        Observation(access, program: program, signalMask: inherited, limit: timeout) { outcome in
            let failed = sentences.compactMap { sentence -> String? in
                let judgement = sentence.judge(outcome.trace)
                return judgement.holds ? nil : "\(sentence.text): \(judgement.words)"
            }
            let late = outcome.isTimedOut ? ["the command was ended after \(timeout) s"] : []
            guard !(failed + late).isEmpty else {
                show(sentences.count == 1 ? "the sentence holds\n" : "all \(sentences.count) sentences hold\n")
                return outcome.status
            }
            for line in failed + late { complain(line.withoutControls) }
            Self.draw(outcome.trace, to: timeline)
            return ExitStatus.failed.rawValue
        }.run()
    }

    /// Draws what happened on stdout, and to a file if one is named.
    private static func draw(_ trace: Trace, to file: String?) {
        let story = StoryFold.story(of: trace.events)
        guard let (first, last) = story.range else { return }
        let range = TimeRange(first.wall, last.wall)
        show(TimelineText(story, range: range, now: range.end).lines(on: Paper()).map { $0 + "\n" }.joined())
        guard let file else { return }
        let layout = TimelineLayout(story, range: range, now: range.end, width: 1_000, measure: .terminal)
        let drawing = TimelineSVG(layout)
        OutputFile(absolutePath(file)).save(file.hasSuffix(".html") ? drawing.page : drawing.text)
    }
}
