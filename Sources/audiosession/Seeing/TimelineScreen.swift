import CommandLineSupport
import Locks
import SessionHistory
import SoundHost

/// A timeline of a server's last seconds, drawn after each change and once a second.
final class TimelineScreen: ServerWatchReceiver {
    private struct State {
        var news = HistoryNews()
        var fold = StoryFold()
        var count = 0
    }

    /// The number of events after which the past is forgotten.
    private static let mostEvents = 20_000

    private let seconds: Double
    private let app: String?
    private let clocks = HistoryClocks.system
    private let state = Guarded(State())

    /// An empty screen.
    ///
    /// - Parameters:
    ///   - seconds: The seconds that it shows.
    ///   - app: A part of the name of the programs that it shows; nil for all.
    init(seconds: Double, app: String?) { (self.seconds, self.app) = (seconds, app) }

    /// Draws a server's timeline, with the levels of its sinks if asked for, until a signal asks for the end.
    func run(on server: ServerOptions, withLevels: Bool) -> Never {
        let access = ServerAccess.forDrawing(server)
        // The cursor stays on: Ctrl-Z stops this without asking, and the shell would be left without one.
        if Paper().isTerminal { show("\u{1B}[2J") }
        let quiet = QuietNews { event in self.state.withLock { $0.fold.add(event) } }
        defer { withExtendedLifetime(quiet) {} }
        let meters = withLevels ? LevelMeters { self.note($0, peak: $1) } : nil
        ServerWatch(access: access, pace: .live).run(MeteredReceiver(receiver: self, meters: meters))
    }

    func look(at snapshot: ServerSnapshot, age: Double) {
        let story = state.withLock { state -> Story in
            if state.count > Self.mostEvents { state = State() }
            let events = state.news.events(in: snapshot, told: clocks.now.earlier(by: age)).events
            for event in events { state.fold.add(event) }
            state.count += events.count
            return state.fold.story
        }
        draw(story)
    }

    func lose() {
        add("mediaServicesWereLost")
        state.withLock { $0.news.forget() }
        draw(state.withLock { $0.fold.story })
    }

    /// Takes the peak of a sink's last ``LevelMeters/interval``, in dBFS, for the next drawing.
    private func note(_ sink: String, peak: Double) {
        let event = LevelCurve.event(sink, peaks: [peak], seconds: LevelMeters.interval, end: clocks.now)
        state.withLock { state in
            state.fold.add(event)
            state.fold.forgetLevels(before: event.moment.wall - seconds - LevelMeters.interval)
        }
    }

    func find() { add("mediaServicesWereReset") }

    private func add(_ name: String) {
        state.withLock { $0.fold.add(HistoryEvent(name, at: clocks.now)) }
    }

    private func draw(_ story: Story) {
        let paper = Paper()
        let now = clocks.now.wall
        let shown = app.map { story.concerning(app: $0) } ?? story
        let chart = TimelineText(shown, range: TimeRange(now - seconds, now), now: now)
        show(paper.screen(of: chart.lines(on: paper)))
    }
}
