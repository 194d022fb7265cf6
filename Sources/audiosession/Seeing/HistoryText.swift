import CommandLineSupport
import SessionHistory
import SessionPolicy

/// The incidents of a history for people: a line each, under the date of its day.
struct HistoryText {
    private let incidents: [Incident]
    private let now: Moment

    init(_ incidents: [Incident], now: Moment) {
        self.incidents = incidents
        self.now = now
    }

    func lines(on paper: Paper) -> [String] {
        var lines: [String] = []
        var day = ""
        for incident in incidents {
            let date = TimeText.date(incident.moment.wall)
            if date != day { lines.append(paper.tinted(date, .bold)) }
            day = date
            let time = TimeText.time(incident.moment.wall, milliseconds: true)
            let words = Self.words(for: incident, now: now).withoutControls
            let room = paper.size.map { max(0, $0.columns - time.columns - 2) } ?? .max
            lines.append("\(paper.tinted(time, .faint))  \(words.cut(toColumns: room))")
        }
        return lines
    }

    private static func words(for incident: Incident, now: Moment) -> String {
        switch incident.content {
        case .disturbance(let track, let span):
            let cause = [cause(of: span), span.rule.map { "(\($0))" }].compactMap { $0 }.map { " " + $0 }.joined()
            let since = span.isOlder ? " since before the log" : ""
            return "\(title(of: track)) \(span.state.words)\(cause)\(since), \(length(of: span, now: now))"
        case .mark(let mark, let track):
            if mark.kind == .simulated {
                return [track.map(title), mark.text].compactMap { $0 }.joined(separator: ": ")
            }
            guard mark.kind == .route || mark.kind == .moved else { return mark.text }
            return track.map { "\(title(of: $0)) moved: \(mark.text)" } ?? "route: \(mark.text)"
        }
    }

    private static func title(of track: Track) -> String {
        let process = track.process.map { " (\($0))" } ?? ""
        return track.stream.map { "stream \($0) of \(track.name)\(process)" } ?? track.name + process
    }

    private static func cause(of span: Span) -> String? {
        span.culprit.map { culprit in
            "by \(culprit.name)" + (culprit.process.map { " (\($0))" } ?? "")
        }
    }

    private static func length(of span: Span, now: Moment) -> String {
        let length = TimeText.length(span.seconds(until: now))
        return switch span.ending {
        case .open: "for \(length) so far"
        case .resumes: "for \(length), then it might resume"
        case .doesNotResume: "for \(length), then it was not to resume"
        case .changed: "for \(length)"
        case .ended: "for \(length), until it ended"
        case .vanished: "for \(length), until its process vanished"
        case .serverLost: "for \(length), until the server was gone"
        case .unknown: "for \(length) at least, until the log ended"
        }
    }
}

extension Span.State {
    /// The state as part of a sentence.
    fileprivate var words: String {
        switch self {
        case .ducked: "lowered"
        default: rawValue
        }
    }
}
