import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What the user wants to become of other programs (`AVAUDIOSESSION_FOREIGN`), with sessions in processes of their own.
@Suite("Programs outside beside a session that does not mix", .limited)
struct ForeignModeTests {
    /// A program that plays 1500 Hz on a server that remembers volumes, and a session that is there to lower it.
    private static func withForeigner(
        _ kind: HeadlessServer.Kind, _ body: (Scene, _ executor: Peer) async throws -> Void
    ) async throws {
        try await withScene(kind, modules: kind == .pulseAudio ? ["module-stream-restore restore_device=false"] : []) {
            scene in
            let executor = try await scene.peer("executor", "ambient")
            try await executor.send("activate")
            try await executor.send("deactivate notify")
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            try await scene.wait(for: 1500, at: -12)
            try await body(scene, executor)
            // The last step of the ramp comes after it sounds right.
            try await waitUntil("it is given back exactly") {
                try await scene.pactl.sinkInputs().filter { $0.index == foreign.index }.map(\.volume) == [1]
            }
        }
    }

    private static func peer(_ foreign: String, on scene: Scene) async throws -> Peer {
        let peer = try await Peer.start(
            on: scene.server, name: foreign, environment: ["AVAUDIOSESSION_FOREIGN": foreign])
        try await peer.send("category playback")
        return peer
    }

    @Test(
        "silence: what plays already is not heard, what starts later is; the next process takes that over",
        arguments: HeadlessServer.Kind.allCases)
    func silence(kind: HeadlessServer.Kind) async throws {
        try await Self.withForeigner(kind) { scene, executor in
            let peer = try await Self.peer("silence", on: scene)
            try await peer.send("play 440")
            try await scene.wait(for: 1500, at: nil)
            try await scene.wait(for: 440, at: -12)
            #expect(try await scene.claim(of: peer)["foreign"] == "silence")
            let later = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 2200))
            try await scene.wait(for: 2200, at: -12)
            let mute = try await scene.pactl.sinkInputs().map(\.isMuted)
            #expect(mute.allSatisfy { !$0 }, "servers remember a mute")
            executor.process.send(SIGKILL)
            try await scene.letPass(1.5)
            try await scene.wait(for: 2200, at: -12)
            try await scene.wait(for: 1500, at: nil)
            try await later.stop()
            // Nothing was paused, so nobody is to be notified.
            try await peer.attempt("deactivate")
            try await scene.wait(for: 1500, at: -12)
        }
    }

    @Test(
        "silence: while the session is interrupted the other program is heard, and not when it has come back",
        arguments: HeadlessServer.Kind.allCases)
    func interrupted(kind: HeadlessServer.Kind) async throws {
        try await Self.withForeigner(kind) { scene, _ in
            let peer = try await Self.peer("silence", on: scene)
            let other = try await Self.peer("ignore", on: scene)
            try await peer.send("play 440")
            try await scene.wait(for: 1500, at: nil)
            try await other.send("play 1000")
            try await peer.waitForInterruption()
            try await scene.wait(for: 1500, at: -12)
            #expect(try await scene.claim(of: other)["foreign"] == nil)
            try await other.attempt("deactivate notify")
            try await peer.waitForEnd()
            try await peer.send("resume")
            try await scene.wait(for: 1500, at: nil)
            try await scene.wait(for: 440, at: -12)
            // The last word of a process that goes without one.
            peer.process.send(SIGKILL)
            try await scene.wait(for: 1500, at: -12)
        }
    }

    @Test("duck: everything outside is 20 dB quieter while it is active", arguments: HeadlessServer.Kind.allCases)
    func duck(kind: HeadlessServer.Kind) async throws {
        try await Self.withForeigner(kind) { scene, _ in
            let peer = try await Self.peer("duck", on: scene)
            try await peer.send("play 440")
            try await scene.wait(for: 1500, at: -32)
            try await scene.wait(for: 440, at: -12)
            let later = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 2200))
            try await scene.wait(for: 2200, at: -32)
            // It mixes now, as any app that does not mind.
            try await peer.send("category playback default mixWithOthers")
            try await scene.wait(for: 1500, at: -12)
            try await scene.wait(for: 2200, at: -12)
            try await peer.send("category playback")
            try await scene.wait(for: 1500, at: -32)
            try await peer.attempt("deactivate")
            try await scene.wait(for: 1500, at: -12)
            try await later.stop()
        }
    }

    @Test(
        "silence after a prompt's ducking, and before its end: the deeper one counts",
        arguments: HeadlessServer.Kind.allCases)
    func deeper(kind: HeadlessServer.Kind) async throws {
        try await Self.withForeigner(kind) { scene, _ in
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1500, at: -32)
            let peer = try await Self.peer("silence", on: scene)
            try await peer.send("activate")
            try await scene.wait(for: 1500, at: nil)
            try await peer.attempt("deactivate")
            try await scene.wait(for: 1500, at: -32)
            try await prompt.attempt("deactivate")
            try await scene.wait(for: 1500, at: -12)
        }
    }
}
