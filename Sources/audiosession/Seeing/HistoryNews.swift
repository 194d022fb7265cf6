import CommandLineSupport
import SessionHistory
import SessionPolicy
import SoundHost

/// The events of a history that successive snapshots of a server show, with the moments at which the server told of them.
struct HistoryNews {
    private var news = ServerNews()
    /// The simulated events that clients announced at the last look, by the clients' indices.
    private var simulations: [UInt32: Simulation] = [:]
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
        return (events + simulated(in: snapshot, at: moment), moment)
    }

    /// Forgets a server that is gone.
    mutating func forget() { (news, simulations) = (ServerNews(), [:]) }

    /// The `simulated` events: of announcements that are new since the last look, and of lasting ones that are gone.
    private mutating func simulated(in snapshot: ServerSnapshot, at moment: Moment) -> [HistoryEvent] {
        let (new, old) = (snapshot.simulations, simulations)
        simulations = new
        let ended = old.filter { $0.value.event.lasts && new[$0.key] != $0.value }.map { ($0.key, $0.value, false) }
        let begun = new.filter { old[$0.key] != $0.value }.map { ($0.key, $0.value, true) }
        return (ended + begun).sorted { $0.0 < $1.0 }.map { _, simulation, isOn in
            var fields = snapshot.state.identity(of: simulation).historyFields
            fields["what"] = .text(simulation.event.rawValue)
            fields["on"] = .flag(isOn)
            return HistoryEvent("simulated", at: moment, fields)
        }
    }
}

extension Record.Fields {
    /// The fields of a line of the history.
    fileprivate var historyFields: [String: HistoryValue] {
        Dictionary(map { ($0.key, HistoryValue($0.value)) }) { first, _ in first }
    }
}

extension ServerState {
    /// The fields that identify the session that a simulation is for, or the process if it has none.
    fileprivate func identity(of simulation: Simulation) -> Record.Fields {
        participants.first { simulation.isFor($0.claim) }.map(identity)
            ?? [("pid", .integer(Int(simulation.process))), ("host", .string(simulation.host))]
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
