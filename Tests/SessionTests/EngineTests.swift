import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Two apps, at least one of which has an engine.
@Suite("Engines and other apps", .serialized, .limited)
struct EngineTests {
    /// Which of the two apps play with an engine, on a server.
    struct Pair: CustomTestStringConvertible {
        let kind: HeadlessServer.Kind
        let first: String
        let second: String
        var testDescription: String { "\(first), \(second) on \(kind.rawValue)" }

        static let all = HeadlessServer.Kind.allCases.flatMap { kind in
            [("engine", "player"), ("player", "engine"), ("engine", "engine")].map {
                Pair(kind: kind, first: $0, second: $1)
            }
        }
    }

    private func play(_ peer: Peer, _ what: String, _ frequency: Int) async throws {
        try await peer.send(what == "engine" ? "engine play \(frequency)" : "play \(frequency) 30")
    }

    private func goOn(_ peer: Peer, _ what: String) async throws {
        try await peer.send("activate")
        try await peer.send(what == "engine" ? "engine start" : "resume")
    }

    private func isRunning(_ peer: Peer, _ what: String) async throws -> Bool? {
        if what == "engine" { return try await peer.send("engine running").bool("value") }
        return try await peer.state().bool("isPlaying")
    }

    @Test(
        "E50, E57: an app with an engine and another one interrupt each other, and go on when the other one ends",
        arguments: Pair.all)
    func interrupt(pair: Pair) async throws {
        try await withScene(pair.kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await play(first, pair.first, 500)
            try await scene.wait(for: 500, at: -12)
            try await play(second, pair.second, 900)
            try await first.waitForInterruption()
            #expect(try await isRunning(first, pair.first) == false)
            try await scene.wait(for: 900, at: -12)
            try await scene.wait(for: 500, at: nil)
            // E58: the other way round.
            try await goOn(first, pair.first)
            try await second.waitForInterruption()
            #expect(try await isRunning(second, pair.second) == false)
            try await scene.wait(for: 500, at: -12)
            try await scene.wait(for: 900, at: nil)
            try await first.attempt("deactivate notify")
            try await second.waitForEnd()
            try await goOn(second, pair.second)
            try await scene.wait(for: 900, at: -12)
            #expect(try await isRunning(second, pair.second) == true)
        }
    }

    @Test(
        "E57: who interrupts is killed, and who was interrupted goes on; who is interrupted is killed, and nobody minds",
        arguments: Pair.all)
    func killed(pair: Pair) async throws {
        try await withScene(pair.kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await play(first, pair.first, 500)
            try await scene.wait(for: 500, at: -12)
            try await play(second, pair.second, 900)
            try await first.waitForInterruption()
            try await second.kill()
            try await first.waitForEnd()
            try await scene.wait(for: 900, at: nil)
            try await goOn(first, pair.first)
            try await scene.wait(for: 500, at: -12)
            let third = try await scene.peer("third", "playback")
            try await play(third, pair.second, 1300)
            try await first.waitForInterruption()
            try await first.kill()
            try await scene.wait(for: 1300, at: -12)
            #expect(third.interruptions == [])
            // Killed while it is heard: what comes next interrupts nobody.
            try await third.kill()
            let fourth = try await scene.peer("fourth", "playback")
            try await play(fourth, pair.first, 700)
            try await scene.wait(for: 700, at: -12)
            #expect(fourth.interruptions == [])
        }
    }

    @Test(
        "E50: a prompt ducks an engine, and an engine's prompt ducks a player, until it ends or is killed",
        arguments: Pair.all)
    func duck(pair: Pair) async throws {
        try await withScene(pair.kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback voicePrompt duckOthers")
            try await play(first, pair.first, 500)
            try await scene.wait(for: 500, at: -12)
            try await play(second, pair.second, 900)
            try await scene.wait(for: 500, at: -32)
            try await scene.wait(for: 900, at: -12)
            try await second.attempt("deactivate")
            try await scene.wait(for: 500, at: -12)
            try await goOn(second, pair.second)
            try await scene.wait(for: 500, at: -32)
            try await second.kill()
            try await scene.wait(for: 500, at: -12)
            #expect(first.interruptions == [])
        }
    }
}
