import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("What is announced, but does not happen", .limited)
struct SimulationTests {
    @Test("Two announcements that come in one moment are both told of, in their order")
    func atOnce() async throws {
        try await withServer(.pulseAudio) { server in
            let events = HostEvents()
            let host = try PulseHost(server: server.address) { events.add($0) }
            try host.open()
            host.withLock {
                let claim = host.board.claim
                let address = "pid=\(claim.pid);host=\(claim.host)"
                // A device that is suspended, and at once is so no more.
                let stranger: UInt32 = 4711
                host.clientChanged(stranger, [Simulation.property: "suspend;\(address);nonce=1"])
                host.clientChanged(stranger, nil)
            }
            let all: [HostEvent] = [
                .interruptionBegan(.deviceSuspended), .interruptionEnded(.deviceSuspended, shouldResume: true),
            ]
            try await waitUntil("both") { events.all.count >= 2 }
            #expect(events.all == all)
        }
    }
}
