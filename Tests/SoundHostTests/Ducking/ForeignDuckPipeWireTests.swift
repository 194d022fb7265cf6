import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

/// The same processes on PipeWire, where soft volumes are lowered: judged by ear, since nothing shows them.
@Suite(.limited) struct ForeignDuckPipeWireTests {
    private struct Scene {
        let desk: DuckDesk
        let ear: MonitorRecording

        /// Waits until the tone has had a level (peak, dBFS) for a tenth of a second.
        func wait(forLevel level: Double, _ what: String) async throws {
            var last = 0.0
            do {
                try await waitUntil(what) {
                    let sound = ear.soFar(from: max(0, ear.frames - 4_410))
                    last = sound.level(ofFrequency: 441)
                    return abs(last - level) < 0.5
                }
            } catch { throw SupportError("\(what): \(level) dBFS expected, \(last) heard") }
        }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await withServer(.pipeWire) { server in
            let observer = try PulseConnection(name: "observer")
            try await observer.connect(to: server.address, timeout: .seconds(5))
            let music = try await ForeignStream.start(on: server, playing: .tone(frequency: 441, level: -12))
            let scene = Scene(
                desk: DuckDesk(server: server, observer: observer),
                ear: try await MonitorRecording.start(on: server))
            try await scene.wait(forLevel: -12, "the tone")
            try await body(scene)
            #expect(try await scene.desk.volume(of: music) == [DuckDesk.full, DuckDesk.full])
        }
    }

    @Test func lowersByTwentyDecibelsAndGivesBack() async throws {
        try await withScene { scene in
            let peer = try await scene.desk.peer("ducks")
            try await scene.wait(forLevel: -32, "a lowered tone")
            peer.send(SIGUSR2)
            try await scene.wait(forLevel: -12, "the tone as before")
            try await waitUntil("an empty ledger") { scene.desk.ledger()?.isEmpty ?? false }
        }
    }

    @Test func theGuardGivesBackWhatTheLastProcessHadLowered() async throws {
        try await withScene { scene in
            let peer = try await scene.desk.peer("--guard", DuckDesk.guardProgram, "ducks")
            try await scene.wait(forLevel: -32, "a lowered tone")
            peer.send(SIGKILL)
            try await scene.wait(forLevel: -12, "the tone as before")
            try await waitUntil("an empty ledger") { scene.desk.ledger()?.isEmpty ?? false }
        }
    }

    @Test func withoutAGuardTheNextProcessRepairs() async throws {
        try await withScene { scene in
            let peer = try await scene.desk.peer("ducks")
            try await scene.wait(forLevel: -32, "a lowered tone")
            peer.send(SIGKILL)
            try await peer.wait()
            let next = try await scene.desk.peer()
            try await scene.wait(forLevel: -12, "the tone as before")
            try await waitUntil("an empty ledger") { scene.desk.ledger()?.isEmpty ?? false }
            next.send(SIGTERM)
        }
    }

    @Test func aStoppedExecutorDoesNotHoldOthersDown() async throws {
        try await withScene { scene in
            let first = try await scene.desk.peer()
            let ducker = try await scene.desk.peer("ducks")
            try await scene.wait(forLevel: -32, "a lowered tone")
            first.send(SIGSTOP)
            ducker.send(SIGUSR2)
            try await scene.wait(forLevel: -12, "the tone as before")
            first.send(SIGCONT)
            ducker.send(SIGUSR1)
            try await scene.wait(forLevel: -32, "a lowered tone again")
            ducker.send(SIGUSR2)
            try await scene.wait(forLevel: -12, "the tone as before again")
        }
    }
}
