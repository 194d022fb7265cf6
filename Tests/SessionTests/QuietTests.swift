import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Apps on a desktop whose screen is locked, or that is silent.
@Suite("The silent switch and the locked screen", .limited)
struct QuietTests {
    /// Each way of being quiet: the service, what begins it and what ends it.
    private static let ways = [
        ("login", "login 1", "login 0"), ("saver", "saver 1", "saver 0"), ("gnome", "gnome 1", "gnome 0"),
        ("feedback", "feedback silent", "feedback full"),
    ]

    @Test(
        "S86: ambient and soloAmbient fall silent with the switch and when the screen locks; the others continue",
        arguments: HeadlessServer.Kind.allCases)
    func falls(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind) { desktop in
            let scene = desktop.scene
            let game = try await desktop.peer("game", "ambient")
            let app = try await desktop.peer("app", "soloAmbient")
            let music = try await desktop.peer("music", "playback default mixWithOthers")
            for (peer, tone) in [(game, 440), (app, 1000), (music, 1760)] {
                try await peer.send("play \(tone) 120 -16")
                try await scene.wait(for: Double(tone), at: -16)
            }
            for (service, lock, unlock) in Self.ways {
                try await desktop.order("own \(service)")
                try await desktop.order(lock)
                try await scene.wait(for: 440, at: nil)
                try await scene.wait(for: 1000, at: nil)
                try await scene.wait(for: 1760, at: -16)
                // They go on in silence, and are told nothing.
                let before = try await game.state()
                #expect(before.bool("isPlaying") == true)
                let position = try #require(before.number("position"))
                try await waitUntil("time passes in silence", timeout: hangLimit) {
                    try #require(try await game.send("position").number("value")) > position
                }
                #expect(try await scene.level(of: 440) < -55)
                try await desktop.order(unlock)
                try await scene.wait(for: 440, at: -16)
                try await scene.wait(for: 1000, at: -16)
            }
            #expect(game.interruptions + app.interruptions + music.interruptions == [])
            #expect(game.process.errorText + app.process.errorText + music.process.errorText == "")
        }
    }

    @Test(
        "S86: who starts behind a locked screen is silent until it is unlocked", arguments: HeadlessServer.Kind.allCases
    )
    func startsLocked(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "login", "saver") { desktop in
            try await desktop.order("login 1")
            try await desktop.order("saver 1")
            let game = try await desktop.peer("game", "ambient")
            try await game.send("play 440 120")
            try await waitUntil("it plays", timeout: hangLimit) {
                try #require(try await game.send("position").number("value")) > 0.5
            }
            try await desktop.scene.wait(for: 440, at: nil)
            // Of two witnesses one is enough.
            try await desktop.order("saver 0")
            try await desktop.scene.letPass()
            #expect(try await desktop.scene.level(of: 440) < -55)
            try await desktop.order("login 0")
            try await desktop.scene.wait(for: 440, at: -12)
        }
    }

    @Test(
        "S86: an app that changes its category behind a locked screen is heard by its new one",
        arguments: HeadlessServer.Kind.allCases)
    func changesCategory(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "gnome") { desktop in
            try await desktop.order("gnome 1")
            let app = try await desktop.peer("app", "playback")
            try await app.send("play 440 120")
            try await desktop.scene.wait(for: 440, at: -12)
            try await app.send("category ambient")
            try await desktop.scene.wait(for: 440, at: nil)
            try await app.send("category playback")
            try await desktop.scene.wait(for: 440, at: -12)
        }
    }

    @Test("A lock whose witness dies is no lock any more, and neither is one on a bus that is gone")
    func witnessDies() async throws {
        try await withDesktop(.pulseAudio, owning: "saver", "gnome") { desktop in
            let game = try await desktop.peer("game", "ambient")
            try await game.send("play 440 120")
            try await desktop.scene.wait(for: 440, at: -12)
            try await desktop.order("saver 1")
            try await desktop.scene.wait(for: 440, at: nil)
            try await desktop.order("disown saver")
            try await desktop.scene.wait(for: 440, at: -12)
            try await desktop.order("gnome 1")
            try await desktop.scene.wait(for: 440, at: nil)
            desktop.bus.send(SIGKILL)
            try await desktop.scene.wait(for: 440, at: -12)
            #expect(game.process.errorText == "")
        }
    }

    @Test(
        "S87: going on behind a locked screen needs no declaration: playback is heard, and a recording goes on",
        .judges(.gap(frames: 4410)), arguments: HeadlessServer.Kind.allCases)
    func background(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "login") { desktop in
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            try await desktop.wait(until: app, hears: true)
            try await desktop.order("login 1")
            try await desktop.scene.letPass()
            try await desktop.scene.wait(for: 440, at: -12)
            try await desktop.wait(until: app, hears: true)
            try await desktop.letRecord(0.5, by: app)
            try await app.send("stop")
            #expect(try desktop.contents("take.wav").gaps(minimumFrames: 4410).isEmpty)
        }
    }

    @Test("Suspend and wake leave what plays where it is", arguments: HeadlessServer.Kind.allCases)
    func suspend(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "login") { desktop in
            let game = try await desktop.peer("game", "ambient")
            let music = try await desktop.peer("music", "playback default mixWithOthers")
            try await game.send("play 440 120")
            try await music.send("play 1000 120")
            try await desktop.scene.wait(for: 440, at: -12)
            // As desktops do it: locked before the machine sleeps, and unlocked by the person after it.
            try await desktop.order("login 1")
            try await desktop.order("sleep 1")
            try await desktop.order("sleep 0")
            try await desktop.scene.wait(for: 440, at: nil)
            try await desktop.scene.wait(for: 1000, at: -12)
            try await desktop.order("login 0")
            try await desktop.scene.wait(for: 440, at: -12)
            #expect(game.interruptions + music.interruptions == [])
        }
    }

    @Test(
        "audiosession silent turns the user's own switch, which outlasts processes",
        arguments: HeadlessServer.Kind.allCases)
    func silentCommand(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind) { desktop in
            let game = try await desktop.peer("game", "ambient")
            let music = try await desktop.peer("music", "playback default mixWithOthers")
            try await game.send("play 440")
            try await music.send("play 1000")
            try await desktop.scene.wait(for: 440, at: -12)
            #expect(try await desktop.audiosession("silent") == "off\n")
            // The folder of the switch is made with the first turn.
            for _ in 0..<2 {
                #expect(try await desktop.audiosession("silent", "on") == "")
                try await desktop.scene.wait(for: 440, at: nil)
                #expect(try await desktop.audiosession("silent") == "on\n")
                #expect(try await desktop.audiosession("silent", "off") == "")
                try await desktop.scene.wait(for: 440, at: -12)
            }
            _ = try await desktop.audiosession("silent", "on")
            try await game.exit()
            let next = try await desktop.peer("next", "ambient")
            try await next.send("play 1760 120")
            try await waitUntil("it plays", timeout: hangLimit) {
                try #require(try await next.send("position").number("value")) > 0.3
            }
            #expect(try await desktop.scene.level(of: 1760) < -55)
            try await desktop.scene.wait(for: 1000, at: -12)
            let json = try #require(JSONLine(try await desktop.audiosession("silent", "off", "--json")))
            #expect(json.string("event") == "silent" && json.bool("on") == false && json.string("by") == "user")
            try await desktop.scene.wait(for: 1760, at: -12)
        }
    }

    @Test("audiosession silent sets the profile where feedbackd is")
    func silentProfile() async throws {
        try await withDesktop(.pulseAudio, owning: "feedback") { desktop in
            let game = try await desktop.peer("game", "ambient")
            try await game.send("play 440")
            try await desktop.scene.wait(for: 440, at: -12)
            _ = try await desktop.audiosession("silent", "on")
            try await desktop.told("profile silent")
            try await desktop.scene.wait(for: 440, at: nil)
            #expect(try await desktop.audiosession("silent") == "on\n")
            _ = try await desktop.audiosession("silent", "off")
            try await desktop.told("profile full")
            try await desktop.scene.wait(for: 440, at: -12)
            #expect(!FileManager.default.fileExists(atPath: desktop.scene.file("state/avaudiosession").path))
        }
    }

    @Test(
        "audiosession simulate lock and silent reach one process, until they end",
        arguments: HeadlessServer.Kind.allCases)
    func simulate(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let game = try await scene.peer("game", "ambient")
            let other = try await scene.peer("other", "ambient")
            try await game.send("play 440")
            try await other.send("play 1000")
            try await scene.wait(for: 440, at: -12)
            for event in ["lock", "silent"] {
                let simulation = try ChildProcess(
                    "audiosession", ["simulate", event, "--pid", "\(game.processID)", "--json"], on: scene.server)
                try await simulation.event("announced")
                try await scene.wait(for: 440, at: nil)
                try await scene.wait(for: 1000, at: -12)
                simulation.send(SIGINT)
                #expect(try await simulation.wait().status == 0)
                try await scene.wait(for: 440, at: -12)
            }
            #expect(game.process.errorText + other.process.errorText == "")
        }
    }
}
