import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SoundHost

@Suite("An output that is moved to another sink", .limited)
struct OutputRouteSilenceTests {
    @Test(
        "It is silent from the first word of that on, before anybody has found out why, and then goes on",
        arguments: HeadlessServer.Kind.allCases)
    func heldAtOnce(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second")]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "first")
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            let mix = try host.openOutput(role: nil)
            let sound = steadyVoice(in: mix, seconds: 60)
            let held = Journal<Bool>()
            let stream = host.withLock {
                let told = mix.handlers.onEvent
                mix.handlers.onEvent = { [weak mix] event in
                    if event == .moved { held.add(mix?.isSilencedForRoute == true) }
                    told(event)
                }
                _ = mix.play(sound)
                return mix.stream.sync { $0.index }
            }
            try await waitUntil("some sound") { host.withLock { mix.position(of: sound) > mix.format.rate / 5 } }
            // No sink goes, and no port: nothing else tells of it. PipeWire 0.3.65 now and then passes over a move.
            let index = Int(try #require(stream))
            try await waitUntil("the move", timeout: hangLimit) {
                if held.all.isEmpty { try await pactl.move(sinkInput: index, to: "second") }
                return !held.all.isEmpty
            }
            #expect(held.all.first == true)
            let place = host.withLock { mix.position(of: sound) }
            try await waitUntil("its going on") {
                host.withLock { !mix.isSilencedForRoute && mix.position(of: sound) > place + mix.format.rate / 5 }
            }
            host.withLock { mix.close() }
        }
    }
}
