/// The fold of a history's events into a story.
package struct StoryFold: Sendable {
    private enum Key: Hashable {
        case session(client: Int, process: Int?, host: String)
        case stream(Track.Kind, Int)
    }

    /// The story so far; culprits are resolved by ``story``.
    private var draft = Story()
    /// The tracks of the present server.
    private var present: [Key: Int] = [:]
    /// The number of the first track of the present server, by the number of a track.
    private var epochs: [Int] = []
    private var epoch = 0

    /// An empty fold.
    package init() {}

    /// The story of some events.
    package static func story(of events: some Sequence<HistoryEvent>) -> Story {
        var fold = StoryFold()
        for event in events { fold.add(event) }
        return fold.story
    }

    /// The story so far, with the tracks of culprits.
    package var story: Story {
        var story = draft
        for track in story.tracks.indices {
            for span in story.tracks[track].spans.indices {
                guard let culprit = story.tracks[track].spans[span].culprit else { continue }
                story.tracks[track].spans[span].culprit?.track = place(of: culprit, epoch: epochs[track])
            }
        }
        return story
    }

    private func place(of culprit: Span.Culprit, epoch: Int) -> Int? {
        draft.tracks.last { track in
            epochs[track.number] == epoch && track.name == culprit.name && track.process == culprit.process
                && track.stream == culprit.stream
        }?.number
    }

    // MARK: Events

    /// Takes the next event.
    package mutating func add(_ event: HistoryEvent) {
        if event.name == "logBegan" { endAll(at: draft.range?.last ?? event.moment, .unknown) }
        draft.range = (draft.range?.first ?? event.moment, event.moment)
        switch event.name {
        case "active", "inactive", "stopped", "continued": changeStanding(event)
        case "interruption": interrupt(event)
        case "started": begin(.playing, event)
        case "paused": end(.sound, of: event, .changed)
        case "finished": endTrack(of: event, .ended)
        case "ducked": begin(.ducked, event)
        case "unducked": end(.level, of: event, .changed)
        case "muted": begin(.muted, event)
        case "unmuted": end(.mute, of: event, .changed)
        case "moved": mark(.moved, event, Self.way(event), track: track(of: event))
        default: addMark(event)
        }
    }

    private mutating func addMark(_ event: HistoryEvent) {
        switch event.name {
        case "routeChange": mark(.route, event, Self.way(event))
        case "mediaServicesWereLost":
            endAll(at: event.moment, .serverLost)
            mark(.serverLost, event, "the server is gone")
        case "mediaServicesWereReset": mark(.serverReset, event, "a server is there again")
        case "logBegan": mark(.logBegan, event, "the log begins")
        case "logEnded":
            endAll(at: event.moment, .unknown)
            mark(.logEnded, event, "the log ends")
        case "clockJumped": mark(.clockJumped, event, "the clock jumped by \(event.number("seconds") ?? 0) s")
        case "quiet": addQuiet(event)
        case "simulated":
            let what = event.text("what") ?? "event"
            mark(.simulated, event, "simulated \(what)" + (event.flag("on") ? "" : " ends"), track: track(of: event))
        case "levels": addLevels(event)
        case "eventsLost": mark(.eventsLost, event, "\(event.integer("count") ?? 0) events could not be written")
        default: break
        }
    }

    private mutating func addQuiet(_ event: HistoryEvent) {
        switch event.text("reason") {
        case "locked": mark(.locked, event, "the screen is \(event.flag("on") ? "locked" : "unlocked")")
        case "silent": mark(.silent, event, "the device is \(event.flag("on") ? "silent" : "not silent any more")")
        default: break
        }
    }

    private mutating func addLevels(_ event: HistoryEvent) {
        guard let name = event.text("sink") else { return }
        let points = LevelCurve.points(of: event)
        if let place = draft.curves.firstIndex(where: { $0.name == name }) {
            draft.curves[place].points += points
        } else {
            draft.curves.append(LevelCurve(name: name, points: points))
        }
    }

    /// Forgets the levels that were measured before a time of the wall clock.
    package mutating func forgetLevels(before wall: Double) {
        for place in draft.curves.indices { draft.curves[place].points.removeAll { $0.begin.wall < wall } }
        draft.curves.removeAll { $0.points.isEmpty }
    }

    private static func way(_ event: HistoryEvent) -> String {
        let ends = [event.text("previous"), event.text("current")].map {
            $0.flatMap { $0.isEmpty ? nil : $0 } ?? "nothing"
        }
        return ends.joined(separator: " -> ")
    }

    private mutating func mark(_ kind: Mark.Kind, _ event: HistoryEvent, _ text: String, track: Int? = nil) {
        draft.marks.append(Mark(kind: kind, moment: event.moment, text: text, track: track))
    }

    private mutating func changeStanding(_ event: HistoryEvent) {
        switch event.name {
        case "active": begin(event.text("state") == "interrupted" ? .interrupted : .active, event)
        case "inactive": endTrack(of: event, event.flag("vanished") ? .vanished : .ended)
        case "stopped":
            endTrack(of: event, .changed)
            begin(.stopped, event)
        default: begin(.active, event)
        }
    }

    private mutating func interrupt(_ event: HistoryEvent) {
        if event.text("type") == "began" { return begin(.interrupted, event) }
        if event.text("type") == "cause" { return addCause(event) }
        guard let track = track(of: event), let open = openSpan(.standing, of: track),
            draft.tracks[track].spans[open].state == .interrupted
        else { return }
        end(.standing, of: event, event.flag("shouldResume") ? .resumes : .doesNotResume)
        begin(.waiting, event)
    }

    /// Adds the cause of an interruption that was told later than its beginning.
    private mutating func addCause(_ event: HistoryEvent) {
        guard let track = track(of: event), let open = openSpan(.standing, of: track),
            draft.tracks[track].spans[open].state == .interrupted, draft.tracks[track].spans[open].culprit == nil
        else { return }
        draft.tracks[track].spans[open].culprit = Self.culprit(of: event, .interrupted)
        draft.tracks[track].spans[open].rule = Self.rule(of: event, .interrupted)
    }

    // MARK: Spans

    private mutating func begin(_ state: Span.State, _ event: HistoryEvent) {
        guard let track = track(of: event) else { return }
        let culprit = Self.culprit(of: event, state)
        if let open = openSpan(state.lane, of: track) {
            let span = draft.tracks[track].spans[open]
            let isSame = span.state == state && (span.culprit == culprit || culprit == nil)
            if isSame { return }
            // A server may let a session go on before it tells that the call has ended.
            let hasResumed = span.state == .interrupted && state == .active
            end(state.lane, of: event, hasResumed ? .resumes : .changed)
        }
        draft.tracks[track].spans.append(
            Span(
                state: state, begin: event.moment, isOlder: event.flag("existing"), end: nil, ending: .open,
                culprit: culprit, rule: Self.rule(of: event, state)))
    }

    private mutating func end(_ lane: Span.State.Lane, of event: HistoryEvent, _ ending: Span.Ending) {
        guard let track = track(of: event) else { return }
        end(lane, track, at: event.moment, ending)
    }

    private mutating func end(_ lane: Span.State.Lane, _ track: Int, at moment: Moment, _ ending: Span.Ending) {
        guard let open = openSpan(lane, of: track) else { return }
        draft.tracks[track].spans[open].end = moment
        draft.tracks[track].spans[open].ending = ending
    }

    private mutating func endTrack(of event: HistoryEvent, _ ending: Span.Ending) {
        guard let track = track(of: event) else { return }
        for lane in [Span.State.Lane.standing, .sound, .level, .mute] { end(lane, track, at: event.moment, ending) }
        // A stream's number may be given to another one.
        if event.name == "finished" { present[Self.key(of: event)] = nil }
    }

    private mutating func endAll(at moment: Moment, _ ending: Span.Ending) {
        for track in present.values {
            for lane in [Span.State.Lane.standing, .sound, .level, .mute] { end(lane, track, at: moment, ending) }
        }
        present = [:]
        epoch += 1
    }

    /// The place of the open span of a lane.
    private func openSpan(_ lane: Span.State.Lane, of track: Int) -> Int? {
        draft.tracks[track].spans.lastIndex { $0.end == nil && $0.state.lane == lane }
    }

    // MARK: Tracks

    /// The track of an event, which is made if it is new; nil for an event without a session or stream.
    private mutating func track(of event: HistoryEvent) -> Int? {
        guard let name = event.text("app") else { return nil }
        let key = Self.key(of: event)
        let detail = Self.detail(of: event)
        if let number = present[key] {
            if !detail.isEmpty { draft.tracks[number].detail = detail }
            return number
        }
        let number = draft.tracks.count
        draft.tracks.append(
            Track(
                number: number, kind: Self.kind(of: event), name: name, process: event.integer("pid"),
                host: event.text("host") ?? "", stream: event.integer("stream"), detail: detail))
        epochs.append(epoch)
        present[key] = number
        return number
    }

    private static func kind(of event: HistoryEvent) -> Track.Kind {
        guard event.integer("stream") != nil else { return .session }
        return event.text("direction") == "capture" ? .capture : .playback
    }

    private static func key(of event: HistoryEvent) -> Key {
        if let stream = event.integer("stream") { return .stream(kind(of: event), stream) }
        return .session(
            client: event.integer("client") ?? -1, process: event.integer("pid"), host: event.text("host") ?? "")
    }

    private static func detail(of event: HistoryEvent) -> String {
        let words = [event.text("category"), event.text("mode"), event.text("role")].compactMap { $0 }
        return words.filter { !$0.isEmpty && $0 != "default" }.joined(separator: " ")
    }

    private static func culprit(of event: HistoryEvent, _ state: Span.State) -> Span.Culprit? {
        guard [.interrupted, .ducked, .muted].contains(state), let name = event.texts("by").first else { return nil }
        return Span.Culprit(
            name: name, process: event.integer("byPid"), stream: event.integer("byStream"), track: nil)
    }

    private static func rule(of event: HistoryEvent, _ state: Span.State) -> String? {
        [.interrupted, .ducked, .muted].contains(state) ? event.text("rule") : nil
    }
}
