/// One line of `audiosession history`: a disturbance of a session or stream, or a mark.
package struct Incident: Hashable, Sendable {
    /// The content of an incident.
    package enum Content: Hashable, Sendable {
        /// An interruption, a ducking or a mute of a track.
        case disturbance(Track, Span)
        /// A mark, with the moved stream's track.
        case mark(Mark, Track?)
    }

    /// The content.
    package let content: Content

    /// The beginning.
    package var moment: Moment {
        switch content {
        case .disturbance(_, let span): span.begin
        case .mark(let mark, _): mark.moment
        }
    }

    /// Whether a program's name, as victim or culprit, contains a text; case is ignored.
    package func concerns(app: String) -> Bool {
        let names: [String] =
            switch content {
            case .disturbance(let track, let span): [track.name, span.culprit?.name].compactMap { $0 }
            case .mark(_, let track): [track?.name].compactMap { $0 }
            }
        return names.contains { $0.lowercased().contains(app.lowercased()) }
    }
}

extension Story {
    /// The interruptions, duckings, mutes and stops of all tracks, and the marks, in the order in which they began.
    package var incidents: [Incident] {
        let disturbances = tracks.flatMap { track in
            track.spans.filter { [.interrupted, .ducked, .muted, .stopped].contains($0.state) }
                .map { Incident(content: .disturbance(track, $0)) }
        }
        let marks = marks.map { mark in Incident(content: .mark(mark, mark.track.map { tracks[$0] })) }
        // The wall clock may have jumped back; the order of writing is that of one boot's monotonic clock.
        return (disturbances + marks).enumerated().sorted { left, right in
            let (first, second) = (left.element.moment, right.element.moment)
            let isSameBoot = first.boot == second.boot
            let (a, b) = isSameBoot ? (first.monotonic, second.monotonic) : (first.wall, second.wall)
            return (a, left.offset) < (b, right.offset)
        }.map(\.element)
    }
}

extension Story {
    /// The story without the tracks that have nothing to do with a program whose name contains a text.
    ///
    /// The program's own tracks, those of its culprits and of its victims stay, and so do the marks.
    package func concerning(app: String) -> Story {
        func names(_ text: String) -> Bool { text.lowercased().contains(app.lowercased()) }
        let own = Set(tracks.filter { names($0.name) }.map(\.number))
        let culprits = tracks.filter { own.contains($0.number) }.flatMap { $0.spans.compactMap { $0.culprit?.track } }
        let victims = tracks.filter { track in
            track.spans.contains { $0.culprit?.track.map(own.contains) ?? false }
        }.map(\.number)
        let kept = own.union(culprits).union(victims)
        var story = self
        for number in tracks.indices where !kept.contains(number) { story.tracks[number].spans = [] }
        return story
    }
}
