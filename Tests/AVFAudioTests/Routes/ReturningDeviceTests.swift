import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

/// What goes with a server, or with a part of it, and comes back by itself: nobody has pulled anything.
@Suite("Servers and devices that come back", .serialized, .limited)
struct ReturningDeviceTests {
    private static let headset = HeadlessServer.NullSink(name: "headset")

    /// The moment at which a device comes to a server that was started again.
    enum Arrival: String, CaseIterable {
        /// Before the app has heard of the server's return.
        case beforeReset
        /// While the app plays on the server's dummy device.
        case whilePlaying
    }

    private func plug(_ pactl: Pactl) async throws -> Int {
        let module = try await pactl.loadModule(
            "module-null-sink",
            [
                "sink_name=headset", "rate=44100", "norewinds=1",
                "sink_properties=\"device.bus=bluetooth device.form_factor=headset\"",
            ])
        try await waitUntil("the sink") { try await pactl.sink("headset") != nil }
        return module
    }

    /// An app that plays, and plays again as soon as it hears that the server is back.
    private final class App: Sendable {
        let session: AVAudioSession
        let players = Journal<AVAudioPlayer>()
        let interruptions: SessionEvents

        init(on server: HeadlessServer) throws {
            let session = AVAudioSession(server: server.address)
            self.session = session
            let data = TestSignal.sine(level: -12, seconds: 60).wavData
            let play = { @Sendable [players] in
                try? session.setCategory(.playback)
                guard let player = try? AVAudioPlayer(data: data, session: session), player.play() else { return }
                players.add(player)
            }
            interruptions = SessionEvents(of: session) { if $0 == .reset { play() } }
            play()
        }

        /// Waits until its last player is heard on a sink.
        func waitUntilHeard(on server: HeadlessServer, sink: HeadlessServer.NullSink) async throws {
            let monitor = try await MonitorRecording.start(on: server, sink: sink)
            try await monitor.waitForSound()
            _ = try await monitor.stop()
            #expect(players.all.last?.isPlaying == true)
        }
    }

    @Test(
        "S50: a server that is started again has its device a moment later: the app is heard there by itself",
        arguments: HeadlessServer.Kind.allCases, Arrival.allCases)
    func restart(kind: HeadlessServer.Kind, arrival: Arrival) async throws {
        // PipeWire's own configuration has it.
        let modules = kind == .pulseAudio ? ["module-always-sink"] : []
        try await withServer(kind, sinks: [], modules: modules) { server in
            let pactl = Pactl(server)
            _ = try await plug(pactl)
            let app = try App(on: server)
            try await app.waitUntilHeard(on: server, sink: Self.headset)
            server.kill()
            try await app.interruptions.wait(for: [.lost])
            try await offPool { try server.restart() }
            if arrival == .whilePlaying {
                try await waitUntil("the dummy in use", timeout: hangLimit) {
                    app.players.all.count == 2 && app.session.currentRoute.outputs.map(\.uid) == ["auto_null"]
                }
            }
            _ = try await plug(pactl)
            try await waitUntil("another player", timeout: hangLimit) { app.players.all.count == 2 }
            try await app.waitUntilHeard(on: server, sink: Self.headset)
            #expect(app.interruptions.all == [.lost, .reset])
        }
    }

    @Test("A device that goes with the session manager, and comes back with the next one, was not pulled")
    func deviceWithManager() async throws {
        try await withServer(.pipeWire, sinks: []) { server in
            let pactl = Pactl(server)
            let card = try await FakeCard.start(.usb, on: server)
            let headset = try #require(card.nodeNames.first { $0.contains("output") })
            try await waitUntil("the card") { try await pactl.sink(headset) != nil }
            try await pactl.setDefault(sink: headset)
            let app = try App(on: server)
            try await waitUntil("the card in use") { app.session.currentRoute.outputs.first?.portType == .usbAudio }
            let events = RouteEvents(of: app.session)
            // One out of some sixty clients that connect without a session manager hangs.
            let observer = try PulseConnection(name: "observer")
            try await observer.connect(to: server.address, timeout: .seconds(5))
            // The session manager owns the devices: they go in the same moment.
            server.killPolicy()
            try await waitUntil("its end") {
                try await !observer.clients().contains { $0.properties["wireplumber.daemon"] == "true" }
            }
            try await card.unplug()
            try await waitUntil("the device's end") { try await !observer.sinks().contains { $0.name == headset } }
            // A loss would be told by then: changes settle in 0.3 s at most.
            let gone = ContinuousClock.now
            try await waitUntil("an absence") { ContinuousClock.now - gone > .seconds(1) }
            #expect(events.all.isEmpty)
            try await offPool { try server.startPolicy() }
            try await card.plug()
            let player = try #require(app.players.all.first)
            try await waitUntil("the device in use", timeout: hangLimit) {
                let streams = try await pactl.sinkInputs(of: getpid()).filter { !$0.isCorked }
                let sink = try await pactl.sink(headset)
                return sink != nil && streams.contains { $0.device == sink?.index }
            }
            let then = player.currentTime
            try await waitUntil("sound") { player.currentTime > then + 0.3 }
            #expect(app.interruptions.all.isEmpty && app.players.all.count == 1 && player.isPlaying)
            #expect(!events.all.contains { $0.reason == .oldDeviceUnavailable }, "\(events.all)")
        }
    }
}
