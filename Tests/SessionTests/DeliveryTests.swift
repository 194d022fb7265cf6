import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Where an app is told of things", .limited)
struct DeliveryTests {
    @Test(
        "An app that does not run its main queue is told where it wants to be: interruptions, their ends, its players",
        arguments: HeadlessServer.Kind.allCases, ["queue", "function"])
    func elsewhere(kind: HeadlessServer.Kind, place: String) async throws {
        try await withServer(kind) { server in
            let app = try await Peer.start(on: server, name: "app")
            let other = try await Peer.start(on: server, name: "other")
            try await app.send("hold-main")
            try await app.send("deliver \(place)")
            try await app.send("category playback")
            try await app.send("play 440 120")
            #expect(try await app.wait(for: "didBecomeActive").bool("main") == false)
            try await other.send("category playback")
            try await other.send("activate")
            #expect(try await app.waitForInterruption().bool("main") == false)
            try await app.wait(for: "playerBegan")
            try await other.send("deactivate notify")
            #expect(try await app.waitForEnd().number("option") == 1)
            try await app.send("play 440 0.1")
            #expect(try await app.wait(for: "playerFinished").bool("successfully") == true)
            #expect(!app.process.errorText.contains("main queue"))
            // The one that holds it.
            #expect(try await app.send("main-operations").number("value") == 1)
        }
    }

    @Test(
        "An app whose main queue does not run while it is interrupted is told why it hears nothing, once",
        arguments: HeadlessServer.Kind.allCases)
    func complaint(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await Peer.start(on: server, name: "app")
            let other = try await Peer.start(on: server, name: "other")
            try await app.send("hold-main")
            try await app.send("category playback")
            try await app.send("play 440 120")
            try await other.send("category playback")
            for _ in 0..<2 {
                try await other.send("activate")
                try await waitUntil("it is said") { app.process.errorText.contains("AVAudioSession.deliver(on:)") }
                try await other.send("deactivate notify")
                try await app.send("play 440 120")
            }
            #expect(app.interruptions.isEmpty)
            #expect(app.process.errorText.split(separator: "\n").count == 1, "\(app.process.errorText)")
            try await app.send("release-main")
            #expect(try await app.waitForInterruption().bool("main") == true)
        }
    }

    @Test(
        "An app whose main queue stops just after it has told of something is told so too",
        arguments: HeadlessServer.Kind.allCases)
    func complaintAfterNews(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await Peer.start(on: server, name: "app")
            let other = try await Peer.start(on: server, name: "other")
            try await app.send("category playback")
            try await app.send("play 440 120")
            try await other.send("category playback")
            try await other.send("activate")
            try await app.waitForInterruption()
            try await app.send("hold-main")
            // While it is still looked whether the main queue came to the interruption, which it did.
            try await other.send("deactivate notify")
            try await waitUntil("it is said") { app.process.errorText.contains("AVAudioSession.deliver(on:)") }
            try await app.send("release-main")
            try await app.waitForEnd()
        }
    }

    @Test("An app that plays, sleeps and asks for nothing is told nothing", arguments: HeadlessServer.Kind.allCases)
    func sleeper(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await Peer.start(on: server, name: "app")
            try await app.send("hold-main")
            try await app.send("category playback default mixWithOthers")
            try await app.send("play 440 120")
            // By the time that one which is interrupted later is told why it hears nothing, this one would have been.
            let interrupted = try await Peer.start(on: server, name: "interrupted")
            let other = try await Peer.start(on: server, name: "other")
            try await interrupted.send("hold-main")
            for peer in [interrupted, other] {
                try await peer.send("category playback")
                try await peer.send("activate")
            }
            try await waitUntil("it is said") { interrupted.process.errorText.contains("deliver(on:)") }
            #expect(app.process.errorText.isEmpty)
        }
    }
}
