import ArgumentParser
import CommandLineSupport
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession explain`: why each session and stream is in its state.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Why each session and stream is in its state: the rule, the culprit, and what undoes it.")

    @OptionGroup var server: ServerOptions

    @OptionGroup var history: HistoryOptions

    @Option(help: "Explain the state at this TIME of the past, from the history (`audiosession history --help`).")
    var at: PastTime?

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func run() {
        if let at { return PastReport(at: at, folder: history.found()).show(asJSON: json) }
        let access = ServerAccess(server)
        let json = json
        access.run {
            let state = await access.snapshot().state
            let paper = Paper()
            let explanations = SessionPolicy.explain(json ? state : paper.worded(state))
            if json {
                let printer = eventPrinter(isOn: true)
                for text in explanations { printer.emit("explanation", fields: text.fields) }
            } else if explanations.isEmpty {
                show("No sessions and no streams: nobody is heard.\n")
            } else {
                show(explanations.map { $0.paragraph(on: paper) }.joined(separator: "\n"))
            }
        }
    }
}

extension Explanation {
    fileprivate var fields: Record.Fields {
        let subject: (key: String, value: EventValue)
        switch self.subject {
        case .session(let client): subject = ("client", .integer(Int(client)))
        case .stream(_, let index): subject = ("stream", .integer(Int(index)))
        }
        return [
            subject, ("title", .string(title)), ("state", .string(state)), ("sentences", .list(sentences)),
            ("remedies", .list(remedies.map(\.effect))), ("commands", .list(remedies.compactMap(\.command))),
        ]
    }

    fileprivate func paragraph(on paper: Paper) -> String {
        var text = ExplanationHead(title: title, verb: "is", state: state, sentences: sentences).text(on: paper)
        for remedy in remedies {
            guard let command = remedy.command else {
                text += "  -> \(remedy.effect)\n"
                continue
            }
            text += "  -> \(paper.tinted(command, .cyan))   (\(remedy.effect))\n"
        }
        return text
    }
}

/// The beginning of a paragraph about a session or stream: its state, and the reasons.
struct ExplanationHead {
    let title: String
    /// `is` or `was`.
    let verb: String
    let state: String
    let sentences: [String]

    func text(on paper: Paper) -> String {
        "\(paper.tinted(title, .bold)) \(verb) \(paper.tinted(state, tint)).\n"
            + sentences.map { "  \($0)\n" }.joined()
    }

    private var tint: Tint {
        switch state {
        case "active", "playing", "recording": .green
        case "idle", "stopped", "paused": .faint
        default: .yellow
        }
    }
}
