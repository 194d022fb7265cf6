import AudioRealtime
import HeadlessServer
import TestSupport
import Testing

@testable import SoundHost

@Suite("What is queued of a voice, and written anew by its decoder", .limited)
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
            let requests = Journal<Int>()
            host.withLock { mix.requestRedecode(of: voice) { requests.add(1) } }
            try await waitUntil("the server's answer") { requests.all == [1] }
            let frame = host.withLock { voice.voice.framesRendered }
            host.withLock {
                // As a volume does that is set next.
                mix.soundChanged()
                mix.requestRedecode(of: voice) { requests.add(2) }
            }
            try await waitUntil("the server's next answer") { requests.all == [1, 2] }
            host.withLock {
                #expect(voice.voice.framesRendered == frame)
                // As the end of what was decoded before the request.
                mix.didWrite(to: voice)
                #expect(voice.voice.framesRendered == frame)
                mix.redecoded(voice)
                #expect(voice.voice.framesRendered == frame)
                mix.redecoded(voice)
                #expect(voice.voice.framesRendered > frame)
                mix.close()
            }
        }
    }

    @Test(
        "A voice that is played meanwhile begins with what its decoder writes, alone and beside others",
        arguments: HeadlessServer.Kind.allCases)
    func beginsWithIt(kind: HeadlessServer.Kind) async throws {
        try await withOutput(kind) { host, mix in
            var others: [OutputVoice] = []
            for _ in 0..<2 {
                let answers = Journal<Bool>()
                let voice = steadyVoice(in: mix, seconds: 20)
                host.withLock {
                    mix.requestRedecode(of: voice) {}
                    #expect(mix.play(voice) && voice.isRunning)
                    voice.latestStart = .infinity
                    // As a change of another voice does.
                    for other in others { mix.requestRedecode(of: other) { answers.add(true) } }
                }
                try await waitUntil("the server's answer") { answers.all.count == others.count }
                #expect(host.withLock { voice.voice.framesRendered } == 0)
                host.withLock { for voice in others + [voice] { mix.redecoded(voice) } }
                others.append(voice)
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
