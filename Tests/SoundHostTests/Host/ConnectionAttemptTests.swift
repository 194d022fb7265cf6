import HeadlessServer
import TestSupport
import Testing

@testable import SoundHost

@Suite("An attempt to connect", .limited)
struct ConnectionAttemptTests {
    @Test("The connection to a server that does not say in time who it is ends with the attempt")
    func late() async throws {
        try await withServer(.pulseAudio) { server in
            let proxy = try CountingProxy(to: server, holdingAnswerTo: CountingProxy.serverInfo)
            defer { proxy.stop() }
            let host = try PulseHost(server: proxy.address) { _ in }
            host.beginToOpen()
            try await waitUntil("the question") { proxy.commands.contains(CountingProxy.serverInfo) }
            try await waitUntil("the attempt's end") { !host.link.isOpening }
            proxy.release()
            // It carries the session's claim from its beginning on.
            try await waitUntil("the connection's end") {
                try await Pactl(server).clients().allSatisfy { $0.properties["avaudiosession.claim"] == nil }
            }
            #expect(!host.isOpen)
        }
    }
}
