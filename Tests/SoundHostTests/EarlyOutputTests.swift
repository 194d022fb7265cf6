import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("An output whose stream is asked for before its sink is known", .timeLimit(.minutes(60)))
struct EarlyOutputTests {
    /// Begins to connect and waits until there is an output, or nothing is on its way any more.
    private func begin(_ host: PulseHost) async throws {
        host.beginToOpen(for: .some(.music))
        try await waitUntil("the connection", timeout: hangLimit) { !host.isOpening && host.isOpen }
        try await waitUntil("the output", timeout: hangLimit) { host.withLock { host.earlyOutput == nil } }
    }

    private func targetSeconds(of mix: OutputMix, on host: PulseHost) -> Double? {
        host.withLock {
            mix.stream.sync { stream in
                stream.bufferAttributes?.targetLength.map {
                    Double($0) / Double(stream.spec.bytesPerFrame) / Double(stream.spec.rate)
                }
            }
        }
    }

    @Test(
        "It has the sink's rate and channels, and as much of a buffer as any other",
        arguments: HeadlessServer.Kind.allCases)
    func otherFormat(kind: HeadlessServer.Kind) async throws {
        let six = HeadlessServer.NullSink(name: "six", rate: 96_000, channels: 6)
        try await withServer(kind, sinks: [six]) { server in
            let pactl = Pactl(server)
            let host = try PulseHost(server: server.address) { _ in }
            try await begin(host)
            let early = try #require(host.currentOutput)
            #expect(try host.openOutput(role: .music) === early)
            #expect(early.deviceName == "six" && early.format.positions.count == 6)
            #expect(early.format.rate == 96_000)
            #expect(host.withLock { early.stream.sync { $0.spec } } == early.format.spec)
            try await waitUntil("the usual buffer") {
                targetSeconds(of: early, on: host).map { abs($0 - OutputBuffer().target) < 0.02 } == true
            }
            // No other one stays.
            try await waitUntil("one stream") { try await pactl.sinkInputs().count == 1 }
            let sound = steadyVoice(in: early, seconds: 0.2, ends: true)
            #expect(host.withLock { early.play(sound) })
            try await waitUntil("all of it") { host.withLock { early.position(of: sound) == early.format.rate / 5 } }
            host.closeIO()
        }
    }

    @Test("A sink whose rate no output has is asked about")
    func slowSink() async throws {
        try await withServer(.pulseAudio) { server in
            let pactl = Pactl(server)
            _ = try await pactl.loadModule("module-null-sink", ["sink_name=slow", "rate=50", "channels=1"])
            try await pactl.run("set-default-sink", "slow")
            let host = try PulseHost(server: server.address) { _ in }
            try await begin(host)
            #expect(host.currentOutput == nil)
            #expect(try host.openOutput(role: .music).format.rate == 8000)
            try await waitUntil("the end of the other stream") { try await pactl.sinkInputs().count == 1 }
            host.closeIO()
        }
    }

    @Test(
        "What is closed, or wished for, while it is on its way ends it, and whoever waits for an output gets another",
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func notWanted(kind: HeadlessServer.Kind, closes: Bool) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            var wished = DevicePreferences()
            try wished.setSampleRate(22_050)
            try host.withLock {
                let connection = try host.readyConnection()
                connection.sync { host.beginEarlyOutput(role: .music, on: $0) }
                try #require(host.earlyOutput != nil)
                if !closes { host.devicePreferences = wished }
            }
            if closes {
                host.closeIO()
                #expect(host.withLock { host.earlyOutput == nil })
                try await waitUntil("the stream's end") { try await pactl.sinkInputs().isEmpty }
                #expect(host.currentOutput == nil)
            }
            let mix = try host.openOutput(role: .music)
            #expect(host.withLock { mix.phase } == .corked)
            if !closes { #expect(mix.format.rate == 22_050) }
            try await waitUntil("one stream") { try await pactl.sinkInputs().count == 1 }
            host.closeIO()
        }
    }

    @Test(
        "A buffer that is wished for while it is on its way is asked for afterwards",
        arguments: HeadlessServer.Kind.allCases)
    func bufferMeanwhile(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let host = try PulseHost(server: server.address) { _ in }
            try host.open()
            var wished = DevicePreferences()
            try wished.setIOBufferDuration(0.09)
            try host.withLock {
                let connection = try host.readyConnection()
                connection.sync { host.beginEarlyOutput(role: .music, on: $0) }
                try #require(host.earlyOutput != nil)
                host.devicePreferences = wished
            }
            let mix = try host.openOutput(role: .music)
            try await waitUntil("a long one for the device") {
                host.withLock { mix.grantedBuffer.map { $0 > 0.06 } == true }
            }
            host.closeIO()
        }
    }
}
