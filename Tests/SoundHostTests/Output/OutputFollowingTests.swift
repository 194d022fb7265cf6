import AudioRealtime
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SoundHost

@Suite("What is written when", .limited)
struct OutputFollowingTests {
    @Test(
        "A voice that follows one whose end comes without a frame begins at once",
        arguments: HeadlessServer.Kind.allCases)
    func lateEnd(kind: HeadlessServer.Kind) async throws {
        try await withOutput(kind) { host, mix in
            let leader = steadyVoice(in: mix, seconds: 0.2)
            let next = steadyVoice(in: mix, seconds: 20)
            host.withLock {
                #expect(mix.play(leader) && mix.follow(leader, with: next))
                mix.pump()
                #expect(leader.voice.readableFrames == 0 && next.voice.framesRendered == 0)
                leader.voice.setEnded(true)
                mix.didWrite(to: leader)
                #expect(next.voice.framesRendered > 0)
                mix.close()
            }
        }
    }

    @Test(
        "Of two voices the one that is paused first is not heard longer, however soon the other one follows",
        arguments: HeadlessServer.Kind.allCases)
    func pausesInARow(kind: HeadlessServer.Kind) async throws {
        try await withOutput(kind) { host, mix in
            let (first, second) = (steadyVoice(in: mix, seconds: 20), steadyVoice(in: mix, seconds: 20))
            for round in 1...5 {
                host.withLock { #expect(mix.play(first) && mix.play(second)) }
                try await waitUntil("some sound") {
                    host.withLock { mix.position(of: second) > round * mix.format.rate / 2 }
                }
                host.withLock {
                    let behind = mix.position(of: second)
                    let lead = mix.position(of: first) - behind
                    mix.pause(first)
                    // As soon as it may, before the server is where the first one stops.
                    #expect(mix.stream.mainloop.wait(timeout: hangLimit) { mix.isSettled })
                    mix.pause(second)
                    #expect(mix.stream.mainloop.wait(timeout: hangLimit) { mix.isSettled })
                    let distance = first.voice.framesRendered - second.voice.framesRendered
                    // What passes between the two questions for where they are is in favour of the first one.
                    #expect(distance <= lead + mix.format.rate / 1000, "round \(round)")
                }
            }
            host.withLock { mix.close() }
        }
    }

    @Test("Between a change and the server's answer nothing is rendered behind the queue")
    func changesComeFirst() async throws {
        try await withOutput(.pulseAudio) { host, mix in
            let voice = steadyVoice(in: mix, seconds: 0.6)
            let frames = mix.format.rate / 10
            host.withLock {
                #expect(mix.play(voice))
                mix.pump()
                let frame = voice.voice.framesRendered
                #expect(voice.voice.readableFrames == 0 && frame > 0)
                let sound = [Float](repeating: 0.1, count: frames * voice.voice.channels)
                #expect(voice.voice.write(sound, frames: frames) == frames)
                mix.soundChanged()
                mix.didWrite(to: voice)
                #expect(voice.voice.framesRendered == frame)
            }
            try await waitUntil("all of it") { host.withLock { voice.voice.readableFrames == 0 } }
            host.withLock { mix.close() }
        }
    }

    @Test(
        "A voice that follows one that ends within a block of the server, and was heard in part, is heard whole",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func behindAnEnd(kind: HeadlessServer.Kind) async throws {
        // Each server mixes into such a sink without any conversion.
        let sink: HeadlessServer.NullSink = kind == .pipeWire ? .init(rate: 48_000, format: "float32le") : .init()
        try await withServer(kind, sinks: [sink]) { server in
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            let mix = try host.openOutput(role: nil)
            let monitor = try await MonitorRecording.start(on: server, sink: sink)
            let rounds = 24
            for round in 0..<rounds {
                let leader = steadyVoice(in: mix, seconds: 64.5 / Double(sink.rate), ends: true)
                let next = steadyVoice(in: mix, seconds: 0.1, ends: true)
                #expect(host.withLock { mix.play(leader) })
                // Before the leader has been heard to its end, and at different places of a block.
                try await monitor.wait(seconds: 0.001 * Double(round))
                #expect(host.withLock { mix.follow(leader, with: next) || mix.play(next) })
                try await waitUntil("the end of round \(round)") { host.withLock { !mix.isRunning && mix.isSettled } }
            }
            try await monitor.wait(seconds: 0.3)
            let samples = monitor.soFar().channels[0]
            #expect(samples.count { $0 > 0.05 } == rounds * (64 + sink.rate / 10))
            host.withLock { mix.close() }
        }
    }
}
