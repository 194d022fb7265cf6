import CommandLineSupport
import Glibc
import Locks
import SessionHistory
import SessionPolicy
import SoundHost

/// The writer of what a server tells into a history: the events of `monitor`, and each explanation that changes.
final class HistoryRecorder: ServerWatchReceiver {
    private struct State {
        var news = HistoryNews()
        /// The explanations that were written last, by their subjects.
        var explanations: [String: SessionPolicy.Explanation] = [:]
        var filesBegun = 0
        var levels = LevelBatches(seconds: LevelMeters.interval)
        /// The trouble that was complained of; nil while everything is written.
        var trouble: HistoryError?
        var hasEnded = false
    }

    private let store: HistoryStore
    private let folder: HistoryFolder
    private let clocks = HistoryClocks.system
    private let state = Guarded(State())

    init(_ store: HistoryStore, in folder: HistoryFolder) {
        self.store = store
        self.folder = folder
        write("logBegan", at: clocks.now)
    }

    // MARK: Events

    func look(at snapshot: ServerSnapshot, age: Double) {
        let told = clocks.now.earlier(by: age)
        state.withLock { state in
            let isFirst = state.news.last == nil
            let (events, moment) = state.news.events(in: snapshot, told: told)
            for event in events { write(event, &state) }
            explain(snapshot.state, at: moment, &state)
            if isFirst { show("writing to \(folder.path.withoutControls)\n") }
        }
    }

    func lose() {
        state.withLock { state in
            for event in state.levels.flush() { write(event, &state) }
            write("mediaServicesWereLost", at: clocks.now, &state)
            state.news.forget()
            state.explanations = [:]
        }
    }

    func find() { write("mediaServicesWereReset", at: clocks.now) }

    /// Takes the peak of a sink's last ``LevelMeters/interval``, in dBFS; written with those of ten seconds.
    func note(_ sink: String, peak: Double) {
        let now = clocks.now
        state.withLock { state in
            for event in state.levels.add(sink, peak: peak, end: now) { write(event, &state) }
        }
    }

    /// Writes an event that ``QuietNews`` reports.
    func note(_ event: HistoryEvent) { state.withLock { write(event, &$0) } }

    /// Writes that the log ends, once and as the last event.
    func end() {
        state.withLock { state in
            for event in state.levels.flush() { write(event, &state) }
            write("logEnded", at: clocks.now, &state)
            state.hasEnded = true
        }
    }

    /// Writes the explanations that differ from the last ones, and all at the beginning of a file.
    private func explain(_ server: ServerState, at moment: Moment, _ state: inout State) {
        if store.filesBegun != state.filesBegun {
            state.filesBegun = store.filesBegun
            state.explanations = [:]
        }
        var gone = state.explanations
        for text in SessionPolicy.explain(server) {
            let subject = text.subjectName
            gone[subject] = nil
            guard state.explanations[subject] != text else { continue }
            state.explanations[subject] = text
            write(
                "explanation", at: moment, &state,
                [
                    "subject": .text(subject), "title": .text(text.title), "state": .text(text.state),
                    "sentences": .list(text.sentences),
                ])
        }
        for (subject, text) in gone {
            state.explanations[subject] = nil
            write(
                "explanation", at: moment, &state,
                ["subject": .text(subject), "title": .text(text.title), "state": "gone"])
        }
    }

    // MARK: Writing

    private func write(_ name: String, at moment: Moment) {
        state.withLock { write(name, at: moment, &$0) }
    }

    private func write(
        _ name: String, at moment: Moment, _ state: inout State, _ fields: [String: HistoryValue] = [:]
    ) {
        write(HistoryEvent(name, at: moment, fields), &state)
    }

    private func write(_ event: HistoryEvent, _ state: inout State) {
        guard !state.hasEnded else { return }
        switch store.append(event) {
        case .written:
            if state.trouble != nil { complain("the history is written again") }
            state.trouble = nil
        case .waiting(let error):
            if state.trouble != error { complain("\(error); events wait in memory until there is room") }
            state.trouble = error
        }
    }
}

extension SessionPolicy.Explanation {
    /// The subject as a text, such as `session 12`.
    fileprivate var subjectName: String {
        switch subject {
        case .session(let client): "session \(client)"
        case .stream(.playback, let index): "playback \(index)"
        case .stream(.capture, let index): "capture \(index)"
        }
    }
}
