import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("What an interrupted app is told", .limited)
struct NotificationTests {
    @Test(
        "S30, S31, S34: began has a reason and no option, ended an option and no reason; and who it was is told",
        arguments: HeadlessServer.Kind.allCases)
    func contents(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("The Second", "playback")
            try await first.send("activate")
            try await second.send("activate")
            let began = try await first.waitForInterruption()
            #expect(began.number("reason") == 0 && began.number("option") == nil)
            #expect(began.string("originName") == "The Second")
            #expect(began.number("originPID") == Double(second.processID))
            #expect(began.bool("main") == true)
            try await second.send("deactivate notify")
            let ended = try await first.waitForEnd()
            #expect(ended.number("option") == 1 && ended.number("reason") == nil)
            #expect(ended.number("originPID") == nil)
            #expect(ended.bool("main") == true)
        }
    }

    @Test(
        "S32, S33: music that the user starts instead ends nothing; nothing is told until it ends itself",
        arguments: HeadlessServer.Kind.allCases)
    func otherMusic(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await second.send("play 1000")
            try await first.waitForInterruption()
            try await second.send("pause")
            try await second.send("resume")
            try await scene.wait(for: 1000, at: -12)
            #expect(first.interruptions == ["began"])
            #expect(first.events("resumptionRecommendation").isEmpty)
            // An app that gives up while it is interrupted does not hear of the end either.
            try await first.send("deactivate")
            try await second.attempt("deactivate notify")
            try await scene.letPass()
            #expect(first.interruptions == ["began"])
        }
    }

    @Test(
        "S37: an app that does not come back within 5 s passes the word on to those whom it had interrupted",
        arguments: HeadlessServer.Kind.allCases)
    func passedOn(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let a = try await scene.peer("A", "playback")
            let b = try await scene.peer("B", "playback")
            let c = try await scene.peer("C", "playback")
            for (end, option) in [("deactivate notify", 1.0), ("deactivate", 0.0)] {
                try await a.send("activate")
                try await b.send("activate")
                try await a.waitForInterruption()
                try await c.send("activate")
                try await b.waitForInterruption()
                try await c.send(end)
                let toldB = try await b.waitForEnd()
                #expect(toldB.number("option") == option)
                let toldA = try await a.waitForEnd()
                #expect(toldA.number("option") == option)
                let waited = try #require(toldA.number("t")) - (try #require(toldB.number("t")))
                // With the invitation it has its time, without it there is nothing to wait for.
                #expect(option == 1 ? waited > 4.5 : waited < 4.5, "after \(waited) s")
                try await a.send("deactivate")
            }
        }
    }

    @Test(
        "S39: players and recorders tell their delegate only if they were running",
        arguments: HeadlessServer.Kind.allCases)
    func delegates(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playAndRecord")
            let second = try await scene.peer("second", "playback")
            try await first.send("record \(scene.file("take.wav").path)")
            try await first.send("play 440")
            try await second.send("activate")
            try await first.wait(for: "recorderBegan")
            try await first.wait(for: "playerBegan")
            try await second.send("deactivate notify")
            #expect(try await first.wait(for: "recorderEnded").number("option") == 1)
            #expect(try await first.wait(for: "playerEnded").number("option") == 1)
            // Nothing runs now.
            try await first.send("activate")
            try await second.send("activate")
            // A session that ends before anybody has looked has interrupted nobody.
            try await waitUntil("the second beginning", timeout: hangLimit) { first.interruptions.count == 3 }
            try await second.send("deactivate notify")
            try await waitUntil("the second end", timeout: hangLimit) { first.interruptions.count == 4 }
            _ = try await first.state()
            let told = first.events("playerBegan", "playerEnded", "recorderBegan", "recorderEnded")
            #expect(told.count == 4)
        }
    }

    @Test(
        "S39: what an interruption stopped is not told of the next one, if the app gave the session up meanwhile",
        arguments: HeadlessServer.Kind.allCases)
    func delegatesAfterGivingUp(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playAndRecord")
            let second = try await scene.peer("second", "playback")
            try await first.send("record \(scene.file("take.wav").path)")
            try await first.send("also 1000")
            try await second.send("activate")
            try await first.wait(for: "recorderBegan")
            try await first.wait(for: "playerBegan")
            try await first.send("deactivate")
            try await second.send("deactivate notify")
            // Another player, and neither the first one nor the recorder.
            try await first.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await second.send("activate")
            try await first.wait(for: "playerBegan")
            try await second.send("deactivate notify")
            #expect(try await first.wait(for: "playerEnded").number("option") == 1)
            _ = try await first.state()
            let told = first.events("playerBegan", "playerEnded", "recorderBegan", "recorderEnded")
            let names = told.compactMap { $0.string("event") }.sorted()
            #expect(names == ["playerBegan", "playerBegan", "playerEnded", "recorderBegan"])
        }
    }

    @Test(
        "S39: what an interruption stopped is not told of the next one, if the app came back by itself without it",
        arguments: HeadlessServer.Kind.allCases)
    func delegatesAfterComingBack(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await second.send("activate")
            try await first.wait(for: "playerBegan")
            // Another player, which takes the session back.
            try await first.send("also 1000")
            try await second.waitForInterruption()
            try await scene.wait(for: 1000, at: -12)
            try await second.send("activate")
            try await first.wait(for: "playerBegan")
            try await second.send("deactivate notify")
            #expect(try await first.wait(for: "playerEnded").number("option") == 1)
            _ = try await first.state()
            let told = first.events("playerBegan", "playerEnded").compactMap { $0.string("event") }
            #expect(told == ["playerBegan", "playerBegan", "playerEnded"])
        }
    }

    @Test(
        "S33: a stream that the user ends from a mixer is an interruption without an end; play begins anew",
        arguments: HeadlessServer.Kind.allCases)
    func killedStream(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peer = try await scene.peer("app", "playback")
            try await peer.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let stream = try await scene.pactl.waitForSinkInput(of: peer.processID)
            let mixer = try PulseConnection(name: "mixer")
            try await mixer.connect(to: scene.server.address, timeout: .seconds(5))
            try await mixer.killSinkInput(at: UInt32(stream.index))
            let began = try await peer.waitForInterruption()
            #expect(began.bool("isPlaying") == false)
            try await scene.letPass()
            #expect(peer.interruptions == ["began"])
            try await peer.send("resume")
            try await scene.wait(for: 440, at: -12)
        }
    }

    @Test(
        "S34: the microphone muted by the user is an interruption of what only records, with its reason",
        arguments: HeadlessServer.Kind.allCases)
    func mutedMicrophone(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peer = try await scene.peer("recorder", "record")
            try await peer.send("record \(scene.file("take.wav").path)")
            // What was muted before the recording is not the user's word about it.
            try await waitUntil("something recorded", timeout: hangLimit) {
                try #require(await peer.state().number("recorded")) > 0.2
            }
            try await scene.pactl.run("set-source-mute", "@DEFAULT_SOURCE@", "1")
            let began = try await peer.waitForInterruption()
            #expect(began.number("reason") == 2)
            try await scene.pactl.run("set-source-mute", "@DEFAULT_SOURCE@", "0")
            #expect(try await peer.waitForEnd().number("option") == 1)
            try await peer.send("stop")
            // What plays as well takes zeros instead.
            try await peer.send("deactivate")
            try await peer.send("category playAndRecord")
            try await peer.send("record \(scene.file("second.wav").path)")
            try await scene.pactl.run("set-source-mute", "@DEFAULT_SOURCE@", "1")
            try await scene.letPass()
            #expect(peer.interruptions == ["began", "ended 1"])
        }
    }
}
