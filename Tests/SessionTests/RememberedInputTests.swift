import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Servers remember where streams were moved to, and begin the next streams of the kind there.
@Suite("What servers remember of recordings", .serialized, .limited)
struct RememberedInputTests {
    private enum End: CaseIterable { case exit, interrupt, kill, stop }

    private static let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]

    @Test(
        "However a recording ends that was moved to another input, nobody's next one is recorded from there",
        arguments: HeadlessServer.Kind.allCases)
    func ends(kind: HeadlessServer.Kind) async throws {
        let modules = kind == .pulseAudio ? ["module-stream-restore"] : []
        try await withServer(kind, sinks: Self.sinks, modules: modules) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(source: "desk.monitor")
            let sources = try await pactl.sources()
            func input(of process: ChildProcess) async throws -> String? {
                let device = try await pactl.sourceOutputs().first { $0.processID == process.processID }?.device
                return sources.first { $0.index == device }?.name
            }
            for end in ends(on: server) {
                let peer = try await Peer.start(on: server)
                try await peer.send("category record")
                try await peer.send("record \(server.directory.path)/\(end).wav")
                #expect(try await input(of: peer.process) == "desk.monitor", "before \(end)")
                try await peer.send("prefer-input hall.monitor")
                try await waitUntil("the hall") { try await input(of: peer.process) == "hall.monitor" }
                switch end {
                case .stop: try await peer.send("stop")
                case .exit: try await peer.exit()
                case .interrupt: peer.process.send(SIGINT)
                case .kill: peer.process.send(SIGKILL)
                }
                if end == .stop { try await peer.exit() } else { try await peer.process.wait() }
                // WirePlumber remembers targets by role.
                let role = "--property=media.role=production"
                let other = try ChildProcess(tool: "parec", [role, "--raw", "/dev/null"], on: server)
                try await waitUntil("another recording") { try await input(of: other) != nil }
                #expect(try await input(of: other) == "desk.monitor", "after \(end)")
                other.send(SIGTERM)
                try await other.wait()
            }
        }
    }

    /// WirePlumber 0.4 remembers the target of every stream, and forgets it only for who closes it.
    private func ends(on server: HeadlessServer) -> [End] {
        server.isPipeWire(before: "1.0") ? [.stop] : End.allCases
    }
}
