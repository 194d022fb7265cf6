/// An explanation that was in force at a moment of the past.
package struct PastExplanation: Hashable, Sendable {
    /// The subject's name to display.
    package let title: String
    /// The state in one or two words.
    package let state: String
    /// The reasons in whole sentences.
    package let sentences: [String]
    /// The moment from which on it was in force.
    package let since: Moment
}

/// What a history tells about one moment.
package enum PastState: Hashable, Sendable {
    /// The explanations in force, in the order in which the subjects appeared; what made the desktop quiet comes last.
    case known([PastExplanation])
    /// No server was there.
    case noServer
    /// Nobody logged.
    case notLogged

    /// The state at a moment of the wall clock, from the events of the logger.
    ///
    /// A logger writes an `explanation` whenever one changes, with the state `gone` at the subject's end. Where the clock
    /// was set back, a time that it showed twice means the second one.
    package init(at wall: Double, events: [HistoryEvent]) {
        var subjects: [String] = []
        var texts: [String: PastExplanation] = [:]
        var quiet: [String: PastExplanation] = [:]
        var (isLogged, hasServer) = (false, true)
        let last = events.lastIndex { $0.moment.wall <= wall }
        for event in events.prefix(last.map { $0 + 1 } ?? 0) {
            // The beginning of the log may have been deleted for its age.
            isLogged = event.name != "logEnded"
            switch event.name {
            case "logBegan": (hasServer, texts, subjects, quiet) = (true, [:], [], [:])
            case "quiet":
                guard let reason = event.text("reason") else { continue }
                quiet[reason] = event.flag("on") ? Self.quiet(reason, since: event.moment) : nil
            case "mediaServicesWereLost": (hasServer, texts, subjects) = (false, [:], [])
            case "mediaServicesWereReset": hasServer = true
            case "explanation":
                guard let subject = event.text("subject") else { continue }
                subjects.removeAll { $0 == subject }
                texts[subject] = nil
                guard let state = event.text("state"), state != "gone" else { continue }
                subjects.append(subject)
                texts[subject] = PastExplanation(
                    title: event.text("title") ?? subject, state: state, sentences: event.texts("sentences"),
                    since: event.moment)
            default: break
            }
        }
        let known = subjects.compactMap { texts[$0] } + quiet.keys.sorted().compactMap { quiet[$0] }
        self = !isLogged ? .notLogged : !hasServer ? .noServer : .known(known)
    }

    private static func quiet(_ reason: String, since moment: Moment) -> PastExplanation {
        PastExplanation(
            title: reason == "locked" ? "The screen" : "The device", state: reason,
            sentences: ["Sessions of the categories ambient and soloAmbient go on in silence."], since: moment)
    }
}
