import CommandLineSupport
import SessionHistory
import SessionPolicy

/// `audiosession explain --at`: the explanations that were in force at a moment.
struct PastReport {
    private let wall: Double
    private let state: PastState

    init(at time: PastTime, folder: HistoryFolder) {
        wall = time.wall
        state = PastState(at: wall, events: folder.eventsOrLeave())
    }

    func show(asJSON: Bool) {
        if asJSON {
            let printer = eventPrinter(isOn: true)
            for text in texts { printer.emit("explanation", at: text.since.monotonic, fields: Self.fields(of: text)) }
        } else {
            audiosession.show(words(on: Paper()))
        }
    }

    private var texts: [PastExplanation] {
        if case .known(let texts) = state { texts } else { [] }
    }

    private func words(on paper: Paper) -> String {
        let time = "\(TimeText.date(wall)) \(TimeText.time(wall, milliseconds: true))"
        switch state {
        case .notLogged: return "Nobody logged at \(time) (audiosession log writes the history).\n"
        case .noServer: return "There was no sound server at \(time).\n"
        case .known(let texts) where texts.isEmpty: return "There were no sessions and no streams at \(time).\n"
        case .known(let texts):
            return texts.map { text in
                let since =
                    "since \(TimeText.date(text.since.wall)) \(TimeText.time(text.since.wall, milliseconds: true))"
                return ExplanationHead(
                    title: text.title.withoutControls, verb: "was", state: "\(text.state)",
                    sentences: text.sentences.map(\.withoutControls) + ["This was so \(since)."]
                ).text(on: paper)
            }.joined(separator: "\n")
        }
    }

    private static func fields(of text: PastExplanation) -> Record.Fields {
        [
            ("title", .string(text.title)), ("state", .string(text.state)), ("sentences", .list(text.sentences)),
            ("since", .number(text.since.wall)),
        ]
    }
}
