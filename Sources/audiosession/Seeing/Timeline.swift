import ArgumentParser
import CommandLineSupport
import SessionHistory
import SessionPolicy

/// `audiosession timeline`: the history as a picture.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Draws the history: a row for each session and stream, in the terminal or a file.",
        discussion: """
            Reads what `audiosession log` wrote; TIMEs are those of `audiosession history`. A FILE whose name ends in .html \
            is a page, any other one SVG; both are complete in themselves. Needs no sound server, unless --live shows what \
            happens there now.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var history: HistoryOptions

    @Flag(help: "Draw the last minute of the sound server, or since --since, anew after each change, until Ctrl-C.")
    var live = false

    @Flag(help: "With --live: draw the peak levels of the sinks, too, from their monitors.")
    var levels = false

    @Option(help: "The beginning (default: 15m, or the log's beginning if that is later).")
    var since: PastTime?

    @Option(help: "The end (default: now, or the log's end if that is earlier).")
    var until: PastTime?

    @Option(help: "Only what concerns programs whose name contains this text, and who did it.")
    var app: String?

    @Option(name: .shortAndLong, help: "Write a picture to this FILE.", completion: .file(extensions: ["svg", "html"]))
    var output: String?

    @Option(help: "The picture's width in pixels.")
    var width = 1_000

    func validate() throws {
        guard (320...20_000).contains(width) else { throw ValidationError("--width must be from 320 to 20000.") }
        if live, output != nil || until != nil || history.folder != nil {
            throw ValidationError("--live takes --since, --app and --levels only, and no log.")
        }
        if levels, !live {
            throw ValidationError("--levels is for --live; the past has what `audiosession log --levels` wrote.")
        }
        if !live, server.headless || server.server != nil {
            throw ValidationError("--server and --headless are for --live; the past is in the log.")
        }
        if let since, let until, until.wall <= since.wall { throw ValidationError("--until must be after --since.") }
    }

    func run() {
        if live {
            let seconds = since.map { HistoryClocks.system.now.wall - $0.wall } ?? 60
            TimelineScreen(seconds: max(1, seconds), app: app).run(on: server, withLevels: levels)
        }
        let story = StoryFold.story(of: history.found().eventsOrLeave())
        guard let (first, last) = story.range else {
            return show("There is no history (audiosession log writes one).\n")
        }
        let now = HistoryClocks.system.now.wall
        let hasEnded = story.marks.last?.kind == .logEnded
        let end = until?.wall ?? (hasEnded ? min(now, last.wall) : now)
        // The first event is later than the end where the clock was set back.
        let begin = since?.wall ?? (first.wall < end ? max(first.wall, end - 900) : end - 900)
        let range = TimeRange(begin, end)
        let shown = app.map { story.concerning(app: $0) } ?? story
        guard let output else {
            let chart = TimelineText(shown, range: range, now: min(now, end))
            return show(chart.lines(on: Paper()).map { $0 + "\n" }.joined())
        }
        let layout = TimelineLayout(shown, range: range, now: min(now, end), width: Double(width), measure: .terminal)
        let drawing = TimelineSVG(layout)
        OutputFile(output).save(output.hasSuffix(".html") ? drawing.page : drawing.text)
    }
}

extension TextMeasure {
    /// The columns of a terminal.
    static let terminal = TextMeasure(columns: { $0.columns }, cut: { $0.cut(toColumns: $1) })
}
