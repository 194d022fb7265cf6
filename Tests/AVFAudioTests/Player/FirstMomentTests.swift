import AVFAudio
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("The first moment of a session", .limited)
struct FirstMomentTests {
    @Test(
        "Rule 4: a call of another program that begins in the moment after an activation interrupts, too",
        arguments: HeadlessServer.Kind.allCases)
    func calledAtOnce(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let events = SessionEvents(of: session)
            let telephone = try PulseConnection(name: "telephone")
            try await telephone.connect(to: server.address, timeout: .seconds(5))
            for round in 1...5 {
                // Not of this process, which has a session.
                let call = PlaybackStream(
                    connection: telephone, name: "call", spec: SampleSpec(format: .int16, rate: 44_100, channels: 2),
                    properties: ["media.role": "phone", "application.process.id": "1"])
                try session.setActive(true)
                try await call.connect()
                try await waitUntil("interruption \(round)") { events.all.count == 2 * round - 1 }
                await call.close()
                try await waitUntil("end \(round)") { events.all.count == 2 * round }
                try session.setActive(false)
            }
            #expect(Set(events.all) == [.began, .ended(shouldResume: true)])
        }
    }
}
