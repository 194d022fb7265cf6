import AudioHost
import HeadlessServer
import Locks
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@Suite("A host whose server hangs", .limited) struct HangingHostTests {
    @Test(
        "The questions of one call share its 2 s", .judges(.time(seconds: 1)),
        arguments: HeadlessServer.Kind.allCases)
    func questions(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let host = try PulseHost(server: server.address, events: { _ in })
            try await offPool { try host.connect() }
            server.suspendProcess()
            defer { server.resumeProcess() }
            let start = ContinuousClock.now
            try await offPool {
                CallDeadline.share {
                    #expect(throws: SessionError.self) { try host.ports() }
                    #expect(throws: SessionError.self) { try host.isOtherAudioPlaying() }
                }
            }
            let time = ContinuousClock.now - start
            #expect(time > .seconds(1.9) && time < .seconds(3), "\(time)")
        }
    }
}
