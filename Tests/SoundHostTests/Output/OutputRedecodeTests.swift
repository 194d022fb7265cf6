import AudioRealtime
import HeadlessServer
import TestSupport
import Testing

@testable import SoundHost

@Suite("What is queued of a voice, and written anew by its decoder", .timeLimit(.minutes(60)))
struct OutputRedecodeTests {
    @Test(
        "It is waited for, whatever else changes meanwhile, and whatever the decoder was about before",
        arguments: HeadlessServer.Kind.allCases)
    func waits(kind: HeadlessServer.Kind) async throws {
        try await withOutput(kind) { host, mix in
            let voice = steadyVoice(in: mix, seconds: 20)
            #expect(host.withLock { mix.play(voice) })
            try await waitUntil("a full queue") {
                host.withLock { voice.voice.framesRendered >= mix.format.rate }
            }
            host.withLock { mix.requestRedecode(of: voice) {} }
            try await waitUntil("the server's answer") { host.withLock { voice.awaitsRedecode } }
            let frame = host.withLock { voice.voice.framesRendered }
            // As a volume does that is set next.
            host.withLock { mix.soundChanged() }
            try await waitUntil("the server's answer") { host.withLock { mix.changedFrom == nil } }
            #expect(host.withLock { voice.voice.framesRendered } == frame)
            // As the end of what it decoded before it was told.
            host.withLock { mix.didWrite(to: voice) }
            #expect(host.withLock { voice.voice.framesRendered } == frame)
            host.withLock { mix.redecoded(voice) }
            #expect(host.withLock { voice.voice.framesRendered } > frame)
            host.withLock { mix.close() }
        }
    }

    @Test(
        "A voice that is played meanwhile begins with what its decoder writes, alone and beside others",
        arguments: HeadlessServer.Kind.allCases)
    func beginsWithIt(kind: HeadlessServer.Kind) async throws {
        try await withOutput(kind) { host, mix in
            for _ in 0..<2 {
                let voice = steadyVoice(in: mix, seconds: 20)
                host.withLock {
                    mix.requestRedecode(of: voice) {}
                    #expect(mix.play(voice) && voice.isRunning)
                    voice.latestStart = .infinity
                    // As a volume does that is set next.
                    mix.soundChanged()
                }
                try await waitUntil("the server's answer") { host.withLock { mix.changedFrom == nil } }
                #expect(host.withLock { voice.voice.framesRendered } == 0)
                host.withLock { mix.redecoded(voice) }
                try await waitUntil("its sound") { host.withLock { voice.voice.framesRendered > 0 } }
            }
            host.withLock { mix.close() }
        }
    }

    @Test("A decoder that hangs keeps nobody silent, and others do not wait for it")
    func hangs() async throws {
        try await withOutput(.pulseAudio) { host, mix in
            let (first, second, third) = (
                steadyVoice(in: mix, seconds: 20), steadyVoice(in: mix, seconds: 20), steadyVoice(in: mix, seconds: 20)
            )
            host.withLock {
                mix.requestRedecode(of: first) {}
                mix.requestRedecode(of: second) {}
                #expect(mix.play(first) && mix.play(second))
                #expect(mix.phase == .corked)
                #expect(mix.play(third) && mix.phase == .running && third.voice.framesRendered > 0)
            }
            try await waitUntil("the sound of both") {
                host.withLock { first.voice.framesRendered > 0 && second.voice.framesRendered > 0 }
            }
            host.withLock { mix.close() }
        }
    }
}
