import CommandLineSupport
import SessionHistory
import SoundHost

/// The events of a history that successive snapshots of a server show, with the moments at which the server told of them.
struct HistoryNews {
    private var news = ServerNews()
    /// The moment of the last look; nil before the first one.
    private(set) var last: Moment?

    /// The events between the last snapshot and this one, and their moment.
    ///
    /// - Parameter told: The moment at which the server told of the first change that the snapshot shows.
    mutating func events(in snapshot: ServerSnapshot, told: Moment) -> (events: [HistoryEvent], moment: Moment) {
        // News that came during the last look are part of it or of this one.
        let moment = last.map { told.monotonic < $0.monotonic ? $0 : told } ?? told
        last = moment
        let events = news.items(in: snapshot).map { item in
            var fields = item.record.fields.historyFields
            if item.isOlder { fields["existing"] = .flag(true) }
            return HistoryEvent(item.record.event, at: moment, fields)
        }
        return (events, moment)
    }

    /// Forgets a server that is gone.
    mutating func forget() { news = ServerNews() }
}

extension Record.Fields {
    /// The fields of a line of the history.
    fileprivate var historyFields: [String: HistoryValue] {
        Dictionary(map { ($0.key, HistoryValue($0.value)) }) { first, _ in first }
    }
}

extension HistoryValue {
    fileprivate init(_ value: EventValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .number(let number): self = .number(number)
        case .integer(let number): self = .number(Double(number))
        case .boolean(let flag): self = .flag(flag)
        case .list(let texts): self = .list(texts)
        }
    }
}
