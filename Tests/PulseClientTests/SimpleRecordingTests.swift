import Foundation
import HeadlessServer
import PulseClient
import PulseSimple
import TestSupport
import Testing

@Suite(.limited) struct SimpleRecordingTests {
    private func recorder(on server: HeadlessServer) async throws -> SimpleRecording {
        let address = server.address
        return try await offPool {
            try SimpleRecording(
                server: address, name: "tests", streamName: "recording", source: "test_out.monitor", spec: .disc)
        }
    }

    @Test(.judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func recordsWhatIsPlayed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recorder = try await recorder(on: server)
            let connection = try await connected(to: server)
            let noise = TestSignal.noise(seconds: 0.5)
            let player = try await playing(noise, on: connection, thenSilence: true)
            let heard = try await offPool {
                let (samples, outcome) = try recorder.read(int16: 66_150)
                #expect(outcome == .read)
                #expect(try recorder.latency >= 0)
                return Recording(pcm16: samples, sampleRate: 44_100, channels: 2)
            }
            #expect(heard.frames == 66_150)
            #expect(heard.firstFrame(of: noise.samples) != nil)
            await player.close()
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func interruptionEndsTheRead(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recorder = try await recorder(on: server)
            let reading = Task { try await offPool { try recorder.read(int16: 44_100 * 60) } }
            let clock = try await MonitorRecording.start(on: server)
            try await clock.wait(seconds: 0.2)
            recorder.interrupt()
            let (samples, outcome) = try await reading.value
            #expect(outcome == .interrupted(readFrames: samples.count / 2))
            #expect(samples.count / 2 < 44_100 * 10)
            #expect(try recorder.read(int16: 10).outcome == .interrupted(readFrames: 0))

            // A sound that is over before recording goes on is not in it.
            let connection = try await connected(to: server)
            let player = try await playing(.noise(seconds: 0.2), on: connection)
            let start = try await clock.waitForSound()
            try await clock.waitForSilence(duration: 0.5, from: start)
            recorder.resume()
            let (after, _) = try await offPool { try recorder.read(int16: 22_050) }
            #expect(after.allSatisfy { $0 == 0 })
            await player.close()
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func deadServerThrows(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recorder = try await recorder(on: server)
            let reading = Task { try await offPool { try recorder.read(int16: 44_100 * 60) } }
            server.kill()
            let error = await #expect(throws: PulseError.self) { try await reading.value }
            #expect(error?.code == .connectionTerminated)
            #expect(throws: PulseError.self) { try recorder.flush() }
        }
    }
}
