import Foundation
import HeadlessServer
import PulseClient
import PulseSimple
import TestSupport
import Testing

@Suite(.limited) struct SimplePlaybackTests {
    private func player(on server: HeadlessServer, latency: Double = 0.1) async throws -> SimplePlayback {
        let address = server.address
        return try await offPool {
            try SimplePlayback(server: address, name: "tests", streamName: "sound", spec: .disc, latency: latency)
        }
    }

    @Test(.judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func playsBitExactly(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recording = try await MonitorRecording.start(on: server)
            let noise = TestSignal.noise(seconds: 1)
            let player = try await player(on: server)
            let start = ContinuousClock.now
            try await offPool {
                #expect(try player.write(noise.samples) == .written)
                #expect(try player.latency < 0.5)
                try player.drain()
            }
            #expect(ContinuousClock.now - start > .milliseconds(800), "writes wait for their turn")
            try await recording.waitForSilence()
            #expect(try await recording.stop().firstFrame(of: noise.samples) != nil)
        }
    }

    /// Sound shorter than the queue is played too, once it is drained.
    @Test(.judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func playsShortSounds(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recording = try await MonitorRecording.start(on: server)
            let player = try await player(on: server, latency: 0.5)
            let noise = TestSignal.noise(seconds: 0.02)
            try await offPool {
                try player.write(noise.samples)
                try player.drain()
            }
            try await recording.waitForSound()
            try await recording.waitForSilence()
            #expect(try await recording.stop().firstFrame(of: noise.samples) != nil)
        }
    }

    /// Interrupted while it writes, it falls silent, and can go on where the listener was cut off.
    @Test(.judges(.time(seconds: 0.1)), arguments: HeadlessServer.Kind.allCases)
    func interruptionCutsOff(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recording = try await MonitorRecording.start(on: server)
            let player = try await player(on: server, latency: 0.3)
            let count = TestSignal.counter(from: 1, seconds: 20)
            let writing = Task { try await offPool { try player.write(count.samples) } }
            try await recording.waitForSound()
            try await recording.wait(seconds: 0.5)
            let start = ContinuousClock.now
            let mark = recording.frames
            player.interrupt()
            let outcome = try await writing.value
            #expect(ContinuousClock.now - start < atOnce)
            guard case .interrupted(let unplayed) = outcome else { return #expect(Bool(false), "not interrupted") }
            #expect(player.isInterrupted)
            let silent = try await recording.waitForSilence(threshold: -90, from: mark)
            let last = try #require(recording.soFar().counterPositions()[..<silent].last { $0 != 0 })
            // Heard until `last`; the program would go on here:
            let next = count.frames - unplayed + 1
            // What the sink and the graph hold is not heard on the monitor as it is counted.
            #expect(abs(next - last) < 4_410, "next \(next), last heard \(last)")

            #expect(try player.write([Int16](repeating: 1, count: 200)) == .interrupted(unplayedFrames: 100))
            player.resume()
            #expect(!player.isInterrupted)
            let rest = TestSignal.counter(from: next, seconds: 0.5)
            try await offPool {
                #expect(try player.write(rest.samples) == .written)
                try player.drain()
            }
            let again = try await recording.waitForSound(threshold: -90, from: silent)
            let heard = try await recording.stop().counterPositions()
            let first = try #require(heard[again...].first { $0 != 0 })
            #expect(first == next)
        }
    }

    /// Interrupted between two writes, the queue falls silent all the same, and the next write tells of it.
    @Test(.judges(.time(seconds: 0.2)), arguments: HeadlessServer.Kind.allCases)
    func interruptionBetweenWrites(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let recording = try await MonitorRecording.start(on: server)
            let player = try await player(on: server, latency: 2)
            let sound = TestSignal.sine(seconds: 2)
            let written = try await offPool { try player.write(sound.samples) }
            #expect(written == .written)
            try await recording.waitForSound()
            player.interrupt()
            player.resume()
            // Over before anybody noticed; told nevertheless, once.
            let outcome = try player.write([Int16](repeating: 0, count: 20))
            guard case .interrupted(let unplayed) = outcome else { return #expect(Bool(false), "not told") }
            #expect(try player.write([Int16](repeating: 0, count: 20)) == .written)
            try await recording.waitForSilence()
            let heard = try #require(try await recording.stop().soundRange()).count
            #expect(unplayed > 4_410 && heard < sound.frames - 4_410)
            #expect(abs(heard + unplayed - sound.frames) < 8_820, "heard \(heard), unplayed \(unplayed)")
        }
    }

    @Test(.judges(.time(seconds: 1)), arguments: HeadlessServer.Kind.allCases)
    func deadServerThrows(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let player = try await player(on: server)
            let sound = TestSignal.sine(seconds: 20)
            let writing = Task { try await offPool { try player.write(sound.samples) } }
            try await waitUntil("sound") { try player.latency > 0.05 }
            let start = ContinuousClock.now
            server.kill()
            let error = await #expect(throws: PulseError.self) { try await writing.value }
            #expect(error?.code == .connectionTerminated)
            #expect(ContinuousClock.now - start < atOnce)
            #expect(throws: PulseError.self) { try player.drain() }
            #expect(throws: PulseError.self) { try player.latency }
            // Neither blocks nor crashes without a server.
            player.interrupt()
            player.resume()
        }
    }

    @Test func refused() {
        let error = #expect(throws: PulseError.self) {
            try SimplePlayback(server: "unix:/nonexistent", name: "tests", streamName: "sound", spec: .disc)
        }
        #expect(error?.code == .connectionRefused)
        let invalid = SampleSpec(format: .int16, rate: 0, channels: 2)
        #expect(throws: PulseError(.invalidArgument, in: "pa_simple_new")) {
            try SimplePlayback(server: "unix:/nonexistent", name: "tests", streamName: "sound", spec: invalid)
        }
    }
}
