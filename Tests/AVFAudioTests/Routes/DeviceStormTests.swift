import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("Very many device events", .serialized, .limited)
struct DeviceStormTests {
    /// Does things to devices, each as soon as the server has acknowledged the one before.
    private struct Storm {
        let connection: PulseConnection
        /// How many events in a hundred make or remove a sink: PipeWire 0.3.65 itself crashes when many do.
        let comings: Int
        let isPatient: Bool
        private(set) var dice: SeededGenerator
        var modules: [UInt32] = []
        private static let sinks = ["desk", "hall"]

        init(on server: HeadlessServer, dice: SeededGenerator = SeededGenerator(seed: 20)) async throws {
            self.dice = dice
            connection = try PulseConnection(name: "storm")
            isPatient = server.kind == .pipeWire
            comings = isPatient ? 5 : 40
            try await connection.connect(to: server.address, timeout: .seconds(5))
        }

        /// One event; what the server refuses is none.
        mutating func strike(_ number: Int) async throws {
            let sink = Self.sinks[Int.random(in: 0..<2, using: &dice)]
            let isOn = Bool.random(using: &dice)
            if Int.random(in: 0..<100, using: &dice) < comings {
                guard modules.count < 4, Int.random(in: 0..<3, using: &dice) > 0 else { return try await removeOne() }
                let name = "extra\(number)"
                modules.append(try await connection.loadModule("module-null-sink", "sink_name=\(name) norewinds=1"))
                if isOn { try? await connection.setDefaultSink(name) }
                return
            }
            switch Int.random(in: 0..<4, using: &dice) {
            case 0:
                try? await connection.setDefaultSink(sink)
                try await see { try await $0.serverInfo().defaultSink == sink }
            case 1:
                guard let stream = try await connection.sinkInputs().first?.index else { return }
                try? await connection.moveSinkInput(at: stream, to: sink)
                try await see { connection in
                    let target = try await connection.sinks().first { $0.name == sink }?.index
                    return try await connection.sinkInputs().first?.sink == target
                }
            case 2:
                try? await connection.suspendSink(sink, isOn)
                try await see { connection in
                    try await connection.sinks().contains { $0.name == sink && ($0.state == .suspended) == isOn }
                }
            default: try? await connection.setSinkMute(isOn, of: sink)
            }
        }

        /// PipeWire acknowledges before it has done anything, and crashes when too much is on its way: waits until what
        /// was asked for is so, or for a moment, since something else may come of it.
        private func see(_ condition: (PulseConnection) async throws -> Bool) async throws {
            guard isPatient else { return }
            do { try await waitUntil(timeout: .milliseconds(100)) { try await condition(connection) } } catch {
                guard error is SupportError else { throw error }
            }
        }

        private mutating func removeOne() async throws {
            guard !modules.isEmpty else { return }
            try await connection.unloadModule(modules.remove(at: Int.random(in: 0..<modules.count, using: &dice)))
        }

        /// Leaves two sinks that work, with ours on the first.
        mutating func calm() async throws {
            while !modules.isEmpty { try await removeOne() }
            for sink in Self.sinks {
                try await connection.suspendSink(sink, false)
                try await connection.setSinkMute(false, of: sink)
            }
            try await connection.setDefaultSink("desk")
            for stream in try await connection.sinkInputs() {
                try await connection.moveSinkInput(at: stream.index, to: "desk")
            }
        }
    }

    // Each in a process of its own, where nothing else takes memory; a body that runs there cannot take arguments.

    @Test(
        "1 000 random device events, as fast as they go: the right route, sound, and no more memory: PulseAudio",
        .oneSlot)
    func thousandOnPulseAudio() async {
        await #expect(processExitsWith: .success) { await DeviceStormTests().succeed(on: .pulseAudio) }
    }

    @Test(
        "1 000 random device events, as fast as they go: the right route, sound, and no more memory: PipeWire",
        .oneSlot)
    func thousandOnPipeWire() async {
        await #expect(processExitsWith: .success) { await DeviceStormTests().succeed(on: .pipeWire) }
    }

    /// An error that ends the process would only be seen as a signal.
    private func succeed(on kind: HeadlessServer.Kind) async {
        do { try await thousand(kind) } catch { Issue.record(error) }
    }

    private func thousand(_ kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]
        try await withServer(kind, sinks: sinks) { server in
            let session = AVAudioSession(server: server.address)
            var player = try await play(in: session)
            let events = RouteEvents(of: session)
            var storm = try await Storm(on: server)
            var number = 0
            var before = 0
            while number <= 1000 {
                do {
                    while number < 1000 {
                        try await storm.strike(number)
                        // Without its session manager PipeWire answers, and nothing comes of what is asked for.
                        if server.hasDied { throw SupportError("a program of the server ended") }
                        // The first half fills the pools.
                        if number == 500 { before = try anonymousMemory() }
                        // A suspended sink interrupts, and the app comes back.
                        if number % 50 == 0 && !player.isPlaying { _ = player.play() }
                        number += 1
                    }
                    try await storm.calm()
                    number += 1
                } catch {
                    // PipeWire 0.3.65 does not survive this in four runs of ten, whoever plays. We do.
                    // The connection ends a moment before the process does.
                    guard kind == .pipeWire else { throw error }
                    do { try await waitUntil("the server's end") { server.hasDied } } catch _ { throw error }
                    try await offPool { try server.restart() }
                    storm = try await Storm(on: server, dice: storm.dice)
                    player = try await play(in: session)
                }
            }
            let after = try anonymousMemory()
            #expect(Sanitizer.isPresent || after - before < 2 << 20, "from \(before >> 10) to \(after >> 10) KiB")
            try await waitUntil("the desk") { session.currentRoute.outputs.map(\.uid) == ["desk"] }
            try await waitUntil("a player that plays") { player.isPlaying || player.play() }
            let monitor = try await MonitorRecording.start(on: server, sink: sinks[0])
            try await monitor.waitForSound()
            _ = try await monitor.stop()
            // What was told last, if anything was, is what is so, once devices have settled; and bursts were told as one.
            try await waitUntil("the news", timeout: hangLimit) { (events.all.last?.current ?? ["desk"]) == ["desk"] }
            #expect(events.all.count < 600, "\(events.all.count)")
            player.stop()
        }
    }

    /// A player that plays; a session whose server was restarted needs a moment, and has forgotten everything.
    private func play(in session: AVAudioSession) async throws -> AVAudioPlayer {
        try await waitUntil("the session") { (try? session.setCategory(.playback)) != nil }
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 5).wavData, session: session)
        player.numberOfLoops = -1
        try await waitUntil("a player that plays") { player.play() }
        return player
    }
}
