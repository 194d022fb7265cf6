import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

/// A command in a session whose sound server goes away.
@Suite("run, and a server that is lost", .serialized, .limited) struct RunServerTests {
    @Test(
        "refused after the server's return, it is silent there, too, and heard when the call is over",
        arguments: HeadlessServer.Kind.allCases)
    func silencedOnTheNextServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            // Until the test's folder is gone, should it fail. A player that went on after SIGTERM would keep the output
            // open that the test reads to its end.
            let script = """
                trap 'kill $!; exit' TERM
                while [ -e \(server.directory.path) ]; do "$@" 2>/dev/null & wait $! || sleep 0.05; done
                """
            let talk = try await session(
                "--category", "playAndRecord", named: "Talk", on: server,
                playing: ["sh", "-c", script, "sh"] + (try tone(500, on: server)))
            let before = try await MonitorRecording.start(on: server)
            try await before.waitForSound()
            let call = try await session(
                "--category", "playAndRecord", "--mode", "voiceChat", named: "Call", on: server)
            try await before.waitForSilence(from: before.frames)
            // It comes back second, to a call.
            talk.send(SIGSTOP)
            server.kill()
            try await offPool { try server.restart() }
            try await waitUntil("the call's return", timeout: hangLimit) {
                try await audiosession("status", "--json", on: server).event("session", app: "Call")?
                    .string("state") == "active"
            }
            let after = try await MonitorRecording.start(on: server)
            try await after.waitForSound()
            talk.send(SIGCONT)
            try await after.waitForSilence(from: after.frames)
            try await after.wait(seconds: 1)
            try await after.waitForSilence(from: after.frames)
            call.send(SIGTERM)
            try await after.waitForSound(from: after.frames)
            talk.send(SIGTERM)
            try await talk.wait()
        }
    }

    @Test(
        "a session of its command that comes back to the server first is not interrupted",
        arguments: HeadlessServer.Kind.allCases)
    func commandFirst(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let (outer, after) = try await commandBackFirst(on: server)
            try await waitUntil("its return", timeout: hangLimit) {
                try await audiosession("status", "--json", on: server).event("session", app: "Outer") != nil
            }
            // Longer than it waits until it tries again.
            let end = after.frames
            try await after.wait(seconds: 2)
            #expect(after.soFar(from: end).level(ofFrequency: 500, channel: 0) > -20)
            outer.send(SIGTERM)
            try await outer.wait()
        }
    }

    @Test("refused after its connection was lost, it is silent, and heard when the call is over")
    func lostConnection() async throws {
        try await withServer(.pulseAudio) { server in
            let talk = try await session(
                "--category", "playAndRecord", named: "Talk", on: server, playing: try tone(500, on: server))
            let monitor = try await MonitorRecording.start(on: server)
            try await monitor.waitForSound()
            let call = try await session(
                "--category", "playAndRecord", "--mode", "voiceChat", named: "Call", on: server)
            try await monitor.waitForSilence(from: monitor.frames)
            let witness = try PulseConnection(name: "witness")
            try await witness.connect(to: server.address, timeout: .seconds(5))
            // The process's connections and what they claim.
            func claims() async throws -> [UInt32: String?] {
                let own = try await witness.clients().filter {
                    $0.properties["application.process.id"] == "\(talk.processID)"
                }
                return Dictionary(uniqueKeysWithValues: own.map { ($0.index, $0.properties["avaudiosession.claim"]) })
            }
            let before = try await claims()
            #expect(!before.isEmpty)
            for client in before.keys { try await witness.killClient(at: client) }
            try await waitUntil("the claim on the next connection") {
                try await claims().contains {
                    before[$0.key] == nil && $0.value?.contains("state=idle") == true
                        && $0.value?.contains("process=silent") == true
                }
            }
            try await monitor.waitForSilence(from: monitor.frames)
            call.send(SIGTERM)
            try await monitor.waitForSound(from: monitor.frames)
            talk.send(SIGTERM)
            try await talk.wait()
        }
    }

    @Test("silenced behind its volumes, it stays so and is heard afterwards, though that connection was lost meanwhile")
    func lostNativeConnection() async throws {
        try await withServer(.pipeWire) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let music = try await session(named: "Music", on: server, playing: try tone(500, on: server))
            try await monitor.waitForSound()
            let film = try await session(named: "Film", on: server)
            try await monitor.waitForSilence(from: monitor.frames)
            let witness = try PulseConnection(name: "witness")
            try await witness.connect(to: server.address, timeout: .seconds(5))
            // The process's connections to PipeWire itself.
            func natives() async throws -> [UInt32] {
                try await witness.clients().filter { client in
                    client.properties["client.api"] != "pipewire-pulse"
                        && ["application.process.id", "pipewire.sec.pid"].contains {
                            client.properties[$0] == "\(music.processID)"
                        }
                }.map(\.index)
            }
            let before = try await natives()
            #expect(!before.isEmpty)
            for client in before { try await witness.killClient(at: client) }
            try await waitUntil("the next connection", timeout: hangLimit) {
                let now = try await natives()
                return !now.isEmpty && now.allSatisfy { !before.contains($0) }
            }
            try await monitor.waitForSilence(from: monitor.frames)
            #expect(try await Pactl(server).sinkInputs().allSatisfy { !$0.isMuted })
            film.send(SIGTERM)
            try await monitor.waitForSound(from: monitor.frames, timeout: hangLimit)
            music.send(SIGTERM)
            try await music.wait()
            await witness.close()
        }
    }
}
