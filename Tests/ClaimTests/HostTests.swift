import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// What a session makes of where it runs: what it can do there, and which streams are its own.
@Suite("A session's own process", .limited)
struct HostTests {
    @Test("A session that PipeWire's own socket is out of reach for does not say that it lowers streams")
    func cannotDuck() async throws {
        try await withServer(.pipeWire) { server in
            // As in a sandbox that is let at PulseAudio's socket only.
            let sandbox = server.directory.appendingPathComponent("sandbox")
            try FileManager.default.createDirectory(at: sandbox, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path + "/pulse", withDestinationPath: server.directory.path + "/pulse")
            let outside = try PulseHost(server: "unix:\(sandbox.path)/pulse/native") { _ in }
            try outside.open()
            try await waitUntil("its finding that it cannot lower others") {
                !outside.withLock { outside.board.claim.canDuck }
            }
            let able = try BareSession(on: server)
            #expect(able.read { $0.claim.canDuck })
            try outside.activate(.music) {}
            let claims = try await participants(on: server).map(\.claim)
            #expect(claims.filter { $0.state == .active }.map(\.canDuck) == [false])
            #expect(claims.filter { $0.state == .idle }.map(\.canDuck) == [true])
            try await waitUntil("the election", timeout: hangLimit) {
                able.read { $0.participants.count == 2 && executor(of: $0.participants) == $0.id }
            }
        }
    }

    @Test(
        "A stream of another machine's process that has our number is somebody else's",
        arguments: HeadlessServer.Kind.allCases)
    func equalNumber(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try BareSession(on: server, process: getpid())
            #expect(try !session.host.isOtherAudioPlaying())
            let properties = ["application.process.id=\(getpid())", "application.process.host=elsewhere"]
            let other = try ChildProcess(
                tool: "pacat", properties.map { "--property=\($0)" } + ["--raw", "/dev/zero"], on: server)
            try await waitUntil("its sound", timeout: hangLimit) { try session.host.isOtherAudioPlaying() }
            other.send(SIGTERM)
            try await other.wait()
        }
    }
}
