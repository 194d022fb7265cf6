import SessionHistory
import TestSupport
import Testing

/// The fold of events into intervals.
@Suite("Events as intervals", .limited) struct StoryTests {
    @Test("an interruption is told with its culprit, its rule, its length and what came after")
    func interruption() throws {
        var script = Script()
        script.at(0, "logBegan")
        script.at(1, "active", "Music", 1, ["category": "playback", "mode": "default", "state": "active"])
        script.at(1, "started", "Music", 1)
        script.at(5, "active", "Call", 2, ["category": "playAndRecord", "mode": "voiceChat", "state": "active"])
        script.at(5, "interruption", "Music", 1, ["type": "began", "by": "Call", "byPid": .number(2), "rule": "call"])
        script.at(5.5, "paused", "Music", 1)
        script.at(65, "inactive", "Call", 2, ["notify": .flag(true)])
        script.at(65, "interruption", "Music", 1, ["type": "ended", "shouldResume": .flag(true)])
        script.at(65.5, "active", "Music", 1, ["state": "active"])
        let story = script.story
        let music = try #require(story.track("Music"))
        #expect(
            music.summary == [
                "active 1.0-5.0 changed", "playing 1.0-5.5 changed", "interrupted 5.0-65.0 resumes",
                "waiting 65.0-65.5 changed", "active 65.5-… open",
            ])
        let span = try #require(music.spans.first { $0.state == .interrupted })
        #expect(span.culprit?.track == story.track("Call")?.number)
        #expect(span.rule == "call" && span.seconds(until: Script.moment(100)) == 60)
        #expect(music.detail == "playback")
        #expect(story.track("Call")?.summary == ["active 5.0-65.0 ended"])
    }

    @Test("a culprit that is told of after its deed is found: a call's stream starts in the same look")
    func foreignCall() throws {
        var script = Script()
        script.at(0, "active", "Music", 1)
        script.at(
            2, "interruption", "Music", 1,
            ["type": "began", "by": "Phone", "byPid": .number(9), "byStream": .number(7), "rule": "foreignCall"])
        script.at(2, "started", ["app": "Phone", "pid": .number(9), "stream": .number(7), "direction": "playback"])
        script.at(4, "finished", ["app": "Phone", "pid": .number(9), "stream": .number(7), "direction": "playback"])
        let story = script.story
        let culprit = try #require(story.track("Music")?.spans.last?.culprit)
        #expect(culprit.track == story.track("Phone")?.number)
        #expect(story.track("Phone")?.summary == ["playing 2.0-4.0 ended"])
    }

    @Test("a cause that is told later belongs to the interruption that is under way")
    func lateCause() throws {
        var script = Script()
        script.at(0, "interruption", "Music", 1, ["type": "began"])
        script.at(
            1, "interruption", "Music", 1, ["type": "cause", "by": "Phone", "byPid": .number(9), "rule": "foreignCall"])
        script.at(2, "active", "Music", 1)
        let music = try #require(script.story.track("Music"))
        #expect(music.summary == ["interrupted 0.0-2.0 resumes", "active 2.0-… open"])
        #expect(music.spans[0].culprit?.name == "Phone" && music.spans[0].rule == "foreignCall")
    }

    @Test("a second culprit begins an interval of its own, and the same one told twice does not")
    func twoCulprits() {
        var script = Script()
        script.at(0, "active", "Music", 1)
        for (time, culprit) in [(1.0, "Film"), (2.0, "Film"), (3.0, "Call")] {
            script.at(
                time, "interruption", "Music", 1, ["type": "began", "by": .text(culprit), "rule": "newerSession"])
        }
        #expect(
            script.story.track("Music")?.summary == [
                "active 0.0-1.0 changed", "interrupted 1.0-3.0 changed", "interrupted 3.0-… open",
            ])
    }

    @Test("lowering, muting and stops are intervals beside the others")
    func lanes() {
        var script = Script()
        script.at(0, "active", "Game", 1)
        script.at(
            1, "ducked", "Game", 1, ["by": .list(["Prompt", "Other"]), "byPid": .number(2), "rule": "duckOthers"])
        script.at(2, "muted", "Game", 1, ["by": "Recorder", "rule": "recording"])
        script.at(3, "unducked", "Game", 1)
        script.at(4, "unmuted", "Game", 1)
        script.at(5, "stopped", "Game", 1)
        script.at(6, "continued", "Game", 1)
        let game = script.story.track("Game")
        #expect(
            game?.summary == [
                "active 0.0-5.0 changed", "ducked 1.0-3.0 changed", "muted 2.0-4.0 changed", "stopped 5.0-6.0 changed",
                "active 6.0-… open",
            ])
        #expect(game?.spans[1].culprit?.name == "Prompt")
    }

    @Test("a crash ends everything of its session as vanished")
    func vanished() {
        var script = Script()
        script.at(0, "active", "Music", 1)
        script.at(0, "started", "Music", 1)
        script.at(3, "inactive", "Music", 1, ["vanished": .flag(true)])
        #expect(
            script.story.track("Music")?.summary == ["active 0.0-3.0 vanished", "playing 0.0-3.0 vanished"])
    }

    @Test("a restart of the server ends all intervals, and the same numbers are others after it")
    func restart() {
        var script = Script()
        script.at(0, "active", "Music", 1)
        script.at(2, "mediaServicesWereLost")
        script.at(3, "mediaServicesWereReset")
        script.at(4, "active", "Music", 1)
        script.at(5, "interruption", "Music", 1, ["type": "began", "by": "Call", "byPid": .number(2)])
        let story = script.story
        #expect(
            story.tracks.map(\.summary) == [
                ["active 0.0-2.0 serverLost"],
                [
                    "active 4.0-5.0 changed", "interrupted 5.0-… open",
                ],
            ])
        #expect(story.marks.map(\.kind) == [.serverLost, .serverReset])
        #expect(story.tracks.last?.spans.last?.culprit?.track == nil, "nobody of that name is there")
    }

    @Test("a logger that was killed leaves ends that are unknown, not intervals until now")
    func killedLogger() {
        var script = Script()
        script.at(0, "logBegan")
        script.at(1, "active", "Music", 1, ["existing": .flag(true)])
        script.at(4, "routeChange", ["previous": "one", "current": ""])
        script.at(100, "logBegan")
        script.at(101, "active", "Music", 1)
        let story = script.story
        #expect(story.tracks.map(\.summary) == [["active 1.0-4.0 unknown"], ["active 101.0-… open"]])
        #expect(story.tracks.map { $0.spans.first?.isOlder } == [true, false])
        #expect(story.marks.map(\.text) == ["the log begins", "one -> nothing", "the log begins"])
    }

    @Test("a jump of the clock changes no length")
    func jump() throws {
        var fold = StoryFold()
        let fields: [String: HistoryValue] = ["app": "Music", "pid": .number(1), "client": .number(1)]
        let (before, after) = (
            Moment(wall: 2_000, monotonic: 10, boot: "b"), Moment(wall: 500, monotonic: 14, boot: "b")
        )
        fold.add(HistoryEvent("interruption", at: before, fields.merging(["type": "began", "by": "Call"]) { $1 }))
        fold.add(HistoryEvent("interruption", at: after, fields.merging(["type": "ended"]) { $1 }))
        let span = try #require(fold.story.tracks.first?.spans.first)
        #expect(span.seconds(until: after) == 4)
    }

    @Test("a locked screen and a silent device are marks")
    func quiet() {
        var script = Script()
        script.at(1, "quiet", ["reason": "locked", "on": .flag(true)])
        script.at(2, "quiet", ["reason": "silent", "on": .flag(true)])
        script.at(3, "quiet", ["reason": "locked", "on": .flag(false)])
        let marks = script.story.marks
        #expect(marks.map(\.kind) == [.locked, .silent, .locked])
        #expect(marks.map(\.text) == ["the screen is locked", "the device is silent", "the screen is unlocked"])
    }

    @Test("incidents come in their order, with what an app did and what was done to it")
    func incidents() {
        var script = Script()
        script.at(0, "active", "Music", 1)
        script.at(1, "interruption", "Music", 1, ["type": "began", "by": "Call", "rule": "call"])
        script.at(2, "routeChange", ["previous": "one", "current": "two"])
        script.at(3, "ducked", "Game", 3, ["by": .list(["Prompt"]), "rule": "duckOthers"])
        let incidents = script.story.incidents
        #expect(incidents.map { $0.moment.monotonic - 1_000 } == [1, 2, 3])
        #expect(incidents.filter { $0.concerns(app: "call") }.count == 1)
        #expect(incidents.filter { $0.concerns(app: "GAME") }.count == 1)
    }
}

/// What was in force at a moment.
@Suite("The state of the past", .limited) struct PastStateTests {
    private func text(_ subject: String, _ state: String) -> [String: HistoryValue] {
        ["subject": .text(subject), "title": .text("\(subject)!"), "state": .text(state), "sentences": .list(["So."])]
    }

    private var script: Script {
        var script = Script()
        script.at(0, "logBegan")
        script.at(1, "explanation", text("Music", "active"))
        script.at(5, "explanation", text("Call", "active"))
        script.at(5, "explanation", text("Music", "interrupted"))
        script.at(9, "explanation", text("Call", "gone"))
        script.at(12, "mediaServicesWereLost")
        script.at(14, "mediaServicesWereReset")
        script.at(15, "explanation", text("Music", "active"))
        script.at(20, "logEnded")
        return script
    }

    private func state(at seconds: Double) -> PastState {
        PastState(at: 1_790_000_000 + seconds, events: script.events)
    }

    @Test("the last explanation of each subject until then is the one in force")
    func explanations() throws {
        guard case .known(let texts) = state(at: 6) else { throw SupportError("nothing is known") }
        #expect(texts.map(\.title) == ["Call!", "Music!"])
        #expect(texts.map(\.state) == ["active", "interrupted"])
        #expect(texts[1].since == Script.moment(5) && texts[1].sentences == ["So."])
        guard case .known(let later) = state(at: 10) else { throw SupportError("nothing is known") }
        #expect(later.map(\.title) == ["Music!"])
    }

    @Test("what makes the desktop quiet is told as long as it does")
    func quiet() throws {
        var script = Script()
        script.at(0, "logBegan")
        script.at(1, "quiet", ["reason": "locked", "on": .flag(true)])
        script.at(5, "quiet", ["reason": "locked", "on": .flag(false)])
        script.at(9, "logEnded")
        func texts(_ seconds: Double) throws -> [String] {
            guard case .known(let texts) = PastState(at: 1_790_000_000 + seconds, events: script.events) else {
                throw SupportError("nothing is known")
            }
            return texts.map { "\($0.title) \($0.state)" }
        }
        #expect(try texts(0.5) == [])
        #expect(try texts(3) == ["The screen locked"])
        #expect(try texts(6) == [])
    }

    @Test("where the clock was set back, a time that it showed twice is the later one")
    func setBack() throws {
        var events: [HistoryEvent] = []
        func at(_ wall: Double, _ since: Double, _ name: String, _ fields: [String: HistoryValue] = [:]) {
            events.append(HistoryEvent(name, at: Moment(wall: wall, monotonic: since, boot: "boot"), fields))
        }
        at(5_000, 10, "logBegan")
        at(5_010, 20, "explanation", text("Music", "active"))
        at(1_000, 30, "clockJumped", ["seconds": .number(-4_020)])
        at(1_010, 40, "explanation", text("Music", "interrupted"))
        at(1_020, 50, "explanation", text("Call", "active"))
        func states(_ wall: Double) throws -> [String] {
            guard case .known(let texts) = PastState(at: wall, events: events) else {
                throw SupportError("nothing is known")
            }
            return texts.map { "\($0.title) \($0.state)" }
        }
        #expect(try states(1_005) == ["Music! active"])
        #expect(try states(1_015) == ["Music! interrupted"])
        #expect(try states(1_025) == ["Music! interrupted", "Call! active"])
        #expect(PastState(at: 900, events: events) == .notLogged)
    }

    @Test("without a server, and while nobody logged, that is the answer")
    func gaps() {
        #expect(state(at: -1) == .notLogged)
        #expect(state(at: 13) == .noServer)
        #expect(state(at: 21) == .notLogged)
    }
}

/// Times of people.
@Suite("Times as people write them", .limited) struct TimeTextTests {
    /// 14:30 of some day, local time.
    private var now: Double { TimeText.wall(of: "2026-11-28 14:30", now: 0) ?? 0 }

    @Test("lengths, times of day, days and dates")
    func accepted() {
        let now = now
        func past(_ text: String) -> Double? { TimeText.wall(of: text, now: now).map { now - $0 } }
        #expect(past("90s") == 90 && past("15m") == 900 && past("2h") == 7_200 && past("1.5h") == 5_400)
        #expect(past("3d") == 259_200 && past("now") == 0)
        #expect(past("14:03") == 27 * 60 && past("14:29:58.5") == 1.5)
        #expect(past("15:00") == 23.5 * 3_600, "yesterday's")
        #expect(past("today") == 14.5 * 3_600 && past("yesterday") == 38.5 * 3_600)
        #expect(past("2026-11-28T14:00") == 1_800 && past("2026-11-28") == 14.5 * 3_600)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "h", "-3m", "25:00", "14:60", "1:2:3:4", "2026-13-01", "2026-06-31", "12", "nan s", "2026-11-28 x",
        ])
    func refused(text: String) { #expect(TimeText.wall(of: text, now: now) == nil) }

    @Test("what is printed is read back")
    func printed() {
        let wall = now + 12.345
        #expect(TimeText.date(wall) == "2026-11-28" && TimeText.time(wall) == "14:30:12")
        #expect(TimeText.time(wall, milliseconds: true) == "14:30:12.345")
        #expect(TimeText.time(now + 59.9996, milliseconds: true) == "14:31:00.000")
        let lengths = [0.0124, 12.34, 59.96, 192, 7_500, 180_000].map(TimeText.length)
        #expect(lengths == ["0.012 s", "12.3 s", "1 min 0 s", "3 min 12 s", "2 h 5 min", "2 d 2 h"])
    }
}
