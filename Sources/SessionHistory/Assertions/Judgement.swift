/// The outcome of a sentence on what happened.
package struct Judgement: Hashable, Sendable {
    /// Whether the sentence is true.
    package let holds: Bool
    /// What happened instead, or what made it true, in words.
    package let words: String
}

extension Assertion {
    /// A state that fits the sentence but for its time limit.
    private struct Match {
        let track: Track
        let span: Span
        /// The seconds since the cause; nil if that is not known.
        let seconds: Double?
    }

    /// Judges the sentence on what a server and libraries told.
    ///
    /// The time of an interruption is that between the cause's claim and the moment at which the victim's app was told, if the
    /// libraries of both wrote their steps. Otherwise the server's word counts, and for the cause the beginning of its
    /// session's or stream's last state.
    package func judge(_ trace: Trace) -> Judgement {
        let story = StoryFold.story(of: trace.events)
        let tracks = story.tracks.filter { Self.names(name, $0.name) }
        guard !tracks.isEmpty else {
            return Judgement(holds: false, words: "there was no session and no stream of '\(name)'")
        }
        let matches = tracks.flatMap { self.matches(on: $0, story, trace) }
        let inTime = matches.filter { match in limit.map { (match.seconds ?? .infinity) <= $0 } ?? true }
        let words = (inTime.first ?? matches.first).map(Self.told)
        let holds = inTime.isEmpty == isNever
        return Judgement(holds: holds, words: words ?? others(tracks))
    }

    private static func names(_ part: String, _ name: String) -> Bool { name.lowercased().contains(part.lowercased()) }

    private func matches(on track: Track, _ story: Story, _ trace: Trace) -> [Match] {
        switch state {
        case .plays: track.spans.filter { $0.state == .playing }.map { Match(track: track, span: $0, seconds: nil) }
        case .active: track.spans.filter { $0.state == .active }.map { Match(track: track, span: $0, seconds: nil) }
        case .resumes: resumptions(of: track)
        case .interrupted, .ducked, .muted:
            track.spans.filter { span in
                guard span.state.rawValue == state.rawValue else { return false }
                return cause.map { Self.names($0, span.culprit?.name ?? "") } ?? true
            }.map { Match(track: track, span: $0, seconds: seconds(of: $0, track, story, trace)) }
        }
    }

    /// The interruptions after which the program went on, with the seconds until it did.
    private func resumptions(of track: Track) -> [Match] {
        track.spans.filter { $0.state == .interrupted && $0.ending == .resumes }.compactMap { span in
            guard let end = span.end else { return nil }
            let next = track.spans.first {
                [.active, .playing].contains($0.state) && $0.begin.monotonic >= end.monotonic
            }
            return next.map { Match(track: track, span: span, seconds: $0.begin.seconds(since: end)) }
        }
    }

    /// The seconds between the cause and the state.
    private func seconds(of span: Span, _ track: Track, _ story: Story, _ trace: Trace) -> Double? {
        let begin = span.begin.monotonic
        let passage = trace.passages.filter { passage in
            let isOfCulprit = passage.culprit.map { $0 == span.culprit?.process } ?? true
            return passage.victim == track.process && isOfCulprit
        }.min { abs($0.steps[0].begin - begin) < abs($1.steps[0].begin - begin) }
        let told = state == .interrupted ? passage.flatMap { $0.steps.last?.begin } : nil
        if let told, let passage, passage.culprit != nil { return told - passage.steps[0].begin }
        guard let culprit = span.culprit?.track else { return nil }
        let effect = told ?? begin
        // The server may tell of the state before it tells of its cause.
        let began = story.tracks[culprit].spans.filter { [.active, .playing].contains($0.state) }
        let last = began.last { $0.begin.monotonic <= effect } ?? began.first
        return last.map { max(0, effect - $0.begin.monotonic) }
    }

    private static func told(_ match: Match) -> String {
        let title = match.track.process.map { "\(match.track.name) (\($0))" } ?? match.track.name
        let cause = match.span.culprit.map { " by \($0.name)" } ?? ""
        let time = match.seconds.map { " after \((($0 * 1e4).rounded() / 10)) ms" } ?? ""
        return "\(title) \(match.span.state.rawValue)\(cause)\(time)"
    }

    /// What was done to the programs instead.
    private func others(_ tracks: [Track]) -> String {
        let states = tracks.flatMap { track in
            track.spans.map { Match(track: track, span: $0, seconds: nil) }
        }.map(Self.told)
        let distinct = states.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return distinct.isEmpty ? "nothing happened to '\(name)'" : distinct.prefix(5).joined(separator: "; ")
    }
}
