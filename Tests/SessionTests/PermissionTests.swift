import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

/// Whether an app may listen, on a desktop that says so.
@Suite("Permission to record", .limited)
struct PermissionTests {
    private static let dialog = "AccessDialog session-peer"
    private static let stored = "SetPermission devices microphone session-peer"

    @Test("S82: where it is decided the answer comes at once, and otherwise after the dialog")
    func request() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            try await desktop.order("store session-peer no")
            let app = try await desktop.peer("app")
            #expect(try await app.send("permission").string("value") == "denied denied")
            try await app.send("ask")
            #expect(try await app.wait(for: "asked").bool("granted") == false)
            #expect(desktop.count(of: Self.dialog) == 0)

            try await desktop.order("store session-peer nothing")
            try await waitUntil("what the store says now", timeout: hangLimit) {
                try await app.send("permission").string("value") == "undetermined undetermined"
            }
            // Two questions at once are one dialog.
            try await app.send("ask")
            try await app.send("ask")
            try await desktop.told("AccessDialog session-peer: Allow app to use the microphone?")
            #expect(app.events("asked").count == 1)
            try await desktop.order("answer 0")
            for _ in 0..<2 { #expect(try await app.wait(for: "asked").bool("granted") == true) }
            try await desktop.told(Self.stored + " yes")
            #expect(desktop.count(of: Self.dialog) == 1)
            try await waitUntil("the answer", timeout: hangLimit) {
                try await app.send("permission").string("value") == "granted granted"
            }
            // The next run of the same app is not asked again.
            let again = try await desktop.peer("app")
            try await again.send("ask")
            #expect(try await again.wait(for: "asked").bool("granted") == true)
            #expect(desktop.count(of: Self.dialog) == 1)
        }
    }

    @Test("S82: a dialog that is waved away decides nothing, and one that is denied is kept")
    func dismissed() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            let app = try await desktop.peer("app")
            try await app.send("ask")
            try await desktop.told(Self.dialog)
            try await desktop.order("answer 2")
            #expect(try await app.wait(for: "asked").bool("granted") == false)
            #expect(try await app.send("permission").string("value") == "undetermined undetermined")
            try await app.send("ask")
            try await desktop.told(Self.dialog, times: 2)
            try await desktop.order("answer 1")
            #expect(try await app.wait(for: "asked").bool("granted") == false)
            try await desktop.told(Self.stored + " no")
            #expect(try await app.send("permission").string("value") == "denied denied")
        }
    }

    @Test(
        "S83: the first use of the input asks, and the recording is silence until the user allows it",
        .judges(.time(seconds: 0.3)), arguments: HeadlessServer.Kind.allCases)
    func firstUse(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "store", "dialog") { desktop in
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            try await desktop.told(Self.dialog)
            #expect(try await app.send("permission").string("value") == "undetermined undetermined")
            try await desktop.letRecord(0.5, by: app)
            let silent = try await desktop.wait(until: app, hears: false)
            #expect(try await app.state().bool("isRecording") == true)
            try await desktop.order("answer 0")
            try await desktop.wait(until: app, hears: true)
            try await desktop.letRecord(0.3, by: app)
            try await app.send("stop")
            let take = try desktop.contents("take.wav")
            let sound = try #require(take.soundRange(threshold: -120))
            #expect(Double(sound.lowerBound) / 44_100 > silent - 0.3, "nothing was heard before the answer")
            let lines = app.process.errorText.split(separator: "\n")
            #expect(lines.count == 1 && lines.first?.contains("silent until") == true, "\(lines)")
        }
    }

    @Test(
        "S83: denied, recording works and captures silence, with one line on stderr",
        arguments: HeadlessServer.Kind.allCases)
    func denied(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "store", "dialog") { desktop in
            try await desktop.order("store session-peer no")
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            // Its delegate hears that nothing is heard.
            #expect(try await app.wait(for: "input").bool("flat") == true)
            #expect(try await app.state().bool("isRecording") == true)
            try await app.send("stop")
            try await app.send("record \(desktop.scene.file("second.wav").path)")
            try await desktop.letRecord(0.3, by: app)
            try await app.send("stop")
            for name in ["take.wav", "second.wav"] {
                let take = try desktop.contents(name)
                #expect(take.duration > 0.25 && take.soundRange(threshold: -120) == nil)
            }
            #expect(try await app.send("permission").string("value") == "denied denied")
            let lines = app.process.errorText.split(separator: "\n")
            #expect(lines.count == 1 && lines.first?.contains("may not use the microphone") == true, "\(lines)")
            #expect(desktop.count(of: Self.dialog) == 0)
        }
    }

    @Test(
        "S83: a change in the store while recording takes effect at once", .judges(.time(seconds: 1)),
        arguments: HeadlessServer.Kind.allCases)
    func change(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind, owning: "store", "dialog") { desktop in
            try await desktop.order("store session-peer yes")
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            try await desktop.wait(until: app, hears: true)
            try await desktop.letRecord(0.5, by: app)
            #expect(app.process.errorText == "")

            try await desktop.order("store session-peer no")
            let changed = try await desktop.recorded(by: app)
            try await desktop.wait(until: app, hears: false)
            try await desktop.letRecord(0.5, by: app)
            try await desktop.order("store session-peer yes")
            let allowed = try await desktop.recorded(by: app)
            try await desktop.wait(until: app, hears: true)
            try await desktop.letRecord(0.3, by: app)
            try await app.send("stop")

            let take = try desktop.contents("take.wav")
            let gaps = take.gaps(threshold: -120, minimumFrames: 4410)
            #expect(gaps.count == 1, "\(gaps)")
            let gap = try #require(gaps.first)
            // By the recording's own time, and by more than the tenth of a second that it takes: the machine may be
            // slow.
            let (late, lateAgain) = (
                Double(gap.lowerBound) / 44_100 - changed, Double(gap.upperBound) / 44_100 - allowed
            )
            #expect(late < 1 && lateAgain < 1, "sound for \(late) s more, and silence for \(lateAgain) s more")
        }
    }

    @Test("S83: no entry and nobody to ask counts as granted, and nothing is printed", arguments: [[], ["store"]])
    func nobodyToAsk(services: [String]) async throws {
        try await withDesktop(.pulseAudio) { desktop in
            for service in services { try await desktop.order("own \(service)") }
            let app = try await desktop.peer("app")
            #expect(try await app.send("permission").string("value") == "granted granted")
            try await app.send("ask")
            #expect(try await app.wait(for: "asked").bool("granted") == true)
            try await desktop.record("take.wav", by: app)
            try await desktop.wait(until: app, hears: true)
            #expect(app.process.errorText == "")
        }
    }

    @Test(
        "Without any bus everything works, and the settings decide",
        arguments: ["", "allow", "deny", "deny:session-peer"])
    func withoutBus(setting: String) async throws {
        try await withScene(.pulseAudio) { scene in
            let variables = ["AVAUDIOSESSION_MICROPHONE": setting]
            let app = try await Peer.start(on: scene.server, name: "app", environment: variables)
            let isDenied = setting.hasPrefix("deny")
            let permission = isDenied ? "denied denied" : "granted granted"
            #expect(try await app.send("permission").string("value") == permission)
            try await app.send("ask")
            #expect(try await app.wait(for: "asked").bool("granted") == !isDenied)
            try await app.send("category playAndRecord")
            try await app.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await app.send("record \(scene.file("take.wav").path)")
            try await waitUntil("what is recorded", timeout: hangLimit) {
                let level = try #require(try await app.send("level").number("value"))
                return isDenied ? level <= -120 : level > -20
            }
            #expect(app.process.errorText.split(separator: "\n").count == (isDenied ? 1 : 0))
        }
    }

    @Test("S84: an app that says nothing of why it records is asked for all the same, and lives")
    func withoutDescription() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            let app = try await desktop.peer("app")
            try await app.send("ask")
            try await desktop.told(Self.dialog)
            try await desktop.order("answer 0")
            #expect(try await app.wait(for: "asked").bool("granted") == true)
            #expect(app.process.exit == nil)
        }
    }

    @Test("A player asks nothing of the desktop's permissions")
    func player() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            let app = try await desktop.peer("app", "ambient")
            try await app.send("play 440")
            try await desktop.scene.wait(for: 440, at: -12)
            #expect(desktop.count(of: "Lookup") == 0 && desktop.count(of: Self.dialog) == 0)
        }
    }

    @Test(
        "S85: a muted input captures zeros, and is told with an active input session, or else at activation",
        arguments: HeadlessServer.Kind.allCases)
    func inputMute(kind: HeadlessServer.Kind) async throws {
        try await withDesktop(kind) { desktop in
            let app = try await desktop.peer("app")
            // Neither an inactive session nor one without input tells.
            #expect(try await app.send("mute-input 1").bool("value") == true)
            try await app.send("category playback")
            try await app.send("activate")
            _ = try await app.state()
            #expect(app.events("inputMute").isEmpty)
            try await app.send("deactivate")
            try await desktop.record("take.wav", by: app)
            let told = try await app.wait(for: "inputMute")
            #expect(told.number("muted") == 1 && told.bool("main") == true)
            try await desktop.letRecord(0.5, by: app)
            try await desktop.wait(until: app, hears: false)
            #expect(try await app.send("mute-input 0").bool("value") == false)
            #expect(try await app.wait(for: "inputMute").number("muted") == 0)
            try await desktop.wait(until: app, hears: true)
            try await desktop.letRecord(0.3, by: app)
            try await app.send("mute-input 1")
            try await desktop.wait(until: app, hears: false)
            #expect(try await app.state().bool("isRecording") == true)
            try await app.send("stop")
            // The tone goes on, and only what was captured unmuted is in the file.
            let take = try desktop.contents("take.wav")
            let sound = try #require(take.soundRange(threshold: -120))
            #expect(sound.lowerBound > 44_100 / 4 && sound.upperBound < take.frames)
            #expect(app.events("inputMute").map { $0.number("muted") } == [1, 0, 1])
        }
    }
}
