import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Activation, seen from outside", .limited)
struct ActivationTests {
    @Test("S3: activate and deactivate do not block, even if the server does", arguments: HeadlessServer.Kind.allCases)
    func doesNotBlock(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let peer = try await Peer.start(on: server)
            try await peer.send("category playback")
            // Connecting is a matter of its own.
            try await peer.send("hint")
            server.suspendProcess()
            defer { server.resumeProcess() }
            try await peer.send("activate-async")
            #expect(peer.events("activated").isEmpty, "the server has not said a word yet")
            server.resumeProcess()
            #expect(try await peer.wait(for: "activated").bool("value") == true)
            try await peer.send("deactivate-async notify")
            #expect(try await peer.wait(for: "deactivated").bool("value") == true)
            #expect(try await peer.state().bool("active") == false)
        }
    }

    @Test("S3: activate without blocking fails as setActive does, too", arguments: HeadlessServer.Kind.allCases)
    func failsWithoutBlocking(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let call = try await scene.peer("call", "playAndRecord voiceChat")
            try await call.send("activate")
            let peer = try await scene.peer("recorder", "record")
            try await peer.send("activate-async")
            let event = try await peer.wait(for: "activated")
            #expect(event.bool("value") == false)
            #expect(event.string("fourCC") == "!pri")
        }
    }

    @Test("S4: activating an active session tells others nothing new", arguments: HeadlessServer.Kind.allCases)
    func twice(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("activate")
            try await second.send("activate")
            try await first.waitForInterruption()
            let claim = try await scene.claim(of: second)
            try await second.send("activate")
            try await scene.letPass()
            #expect(try await scene.claim(of: second) == claim)
            #expect(first.interruptions == ["began"])
            #expect(second.events("didBecomeActive").count == 1)
        }
    }

    @Test(
        "S6, S33: playing again after an interruption activates again, before its end and after it",
        arguments: HeadlessServer.Kind.allCases)
    func playsAgain(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await second.send("activate")
            try await first.waitForInterruption()
            try await first.send("resume")
            try await second.waitForInterruption()
            try await scene.wait(for: 440, at: -12)
            #expect(try await first.state().bool("active") == true)
            // It ended the interruption itself, and is not told so.
            #expect(first.interruptions == ["began"])
            try await second.send("activate")
            try await first.waitForInterruption()
            try await second.send("deactivate notify")
            try await first.waitForEnd()
            try await first.send("resume")
            try await scene.wait(for: 440, at: -12)
            #expect(try await first.state().bool("active") == true)
        }
    }

    @Test(
        "S9, S10, S31, S32: shouldResume is told if the interrupter says notify at its end, and only then",
        arguments: HeadlessServer.Kind.allCases)
    func notify(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            for (activation, deactivation, option) in [
                ("activate", "deactivate", 0.0), ("activate notify", "deactivate", 0.0),
                ("activate", "deactivate notify", 1.0),
            ] {
                try await first.send("play 440")
                try await second.send(activation)
                try await first.waitForInterruption()
                try await second.send(deactivation)
                #expect(try await first.waitForEnd().number("option") == option, "\(activation), \(deactivation)")
                let recommended = try await first.wait(for: "resumptionRecommendation")
                #expect(recommended.number("recommendation") == option, "S38")
            }
        }
    }

    @Test(
        "S12, S13, S35, S38: becoming active and inactive is told on the main thread, and by whom",
        arguments: HeadlessServer.Kind.allCases)
    func lifecycle(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("activate")
            #expect(try await first.wait(for: "didBecomeActive").bool("empty") == true)
            try await first.send("deactivate")
            let own = try await first.wait(for: "didBecomeInactive")
            #expect(own.string("source") == "app" && own.number("reason") == nil)
            try await first.send("activate")
            try await first.wait(for: "didBecomeActive")
            try await second.send("activate")
            let foreign = try await first.wait(for: "didBecomeInactive")
            #expect(foreign.string("source") == "system" && foreign.number("reason") == 0)
            try await second.send("deactivate notify")
            try await first.wait(for: "resumptionRecommendation")
            let told = first.events(
                "didBecomeActive", "didBecomeInactive", "interruption", "resumptionRecommendation")
            #expect(told.count == 7)
            #expect(told.allSatisfy { $0.bool("main") == true })
        }
    }

    @Test(
        "S12: a session that is interrupted is inactive already; giving it up is not told once more",
        arguments: HeadlessServer.Kind.allCases)
    func givenUp(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("activate")
            try await second.send("activate")
            try await first.waitForInterruption()
            try await first.send("deactivate")
            _ = try await first.state()
            #expect(first.events("didBecomeInactive").map { $0.string("source") } == ["system"])
        }
    }

    @Test(
        "S5: a session that its player activated ends with it, and lets others go on",
        arguments: HeadlessServer.Kind.allCases)
    func implicit(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await second.send("play 1000 0.2")
            try await first.waitForInterruption()
            #expect(try await first.waitForEnd().number("option") == 1)
            // Nothing says which of two processes hears of it first.
            try await second.wait(for: "playerFinished")
            #expect(second.events("playerFinished").count == 1)
            #expect(try await second.state().bool("active") == false)
        }
    }
}
