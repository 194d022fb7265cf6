import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Statements of several parts, each of which can fail by itself.
@Suite("What a route is, part by part", .serialized, .limited)
struct RouteStatementTests {
    private static let desk = HeadlessServer.NullSink(name: "desk")
    private static let shape = "device.api=alsa device.bus=pci device.form_factor=internal"

    private func inputs(_ session: AVAudioSession) -> [String] { session.currentRoute.inputs.map(\.uid) }
    private func outputs(_ session: AVAudioSession) -> [String] { session.currentRoute.outputs.map(\.uid) }

    private func player(in session: AVAudioSession) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 60).wavData, session: session)
        try #require(player.play())
        return player
    }

    /// Plugs in a sink, and returns its module.
    private func addSink(_ name: String, _ properties: String, _ pactl: Pactl) async throws -> Int {
        let module = try await pactl.loadModule(
            "module-null-sink",
            ["sink_name=\(name)", "rate=44100", "norewinds=1", "sink_properties=\"\(properties)\""])
        try await waitUntil(name) { try await pactl.sink(name) != nil }
        return module
    }

    /// Plugs in a microphone, and returns its module.
    private func addSource(
        _ name: String, _ properties: String, _ kind: HeadlessServer.Kind, _ pactl: Pactl
    ) async throws -> Int {
        let module =
            switch kind {
            case .pulseAudio:
                try await pactl.loadModule(
                    "module-remap-source",
                    ["source_name=\(name)", "master=desk.monitor", "source_properties=\"\(properties)\""])
            case .pipeWire:
                try await pactl.loadModule(
                    "module-null-sink",
                    ["sink_name=\(name)", "media.class=Audio/Source/Virtual", "sink_properties=\"\(properties)\""])
            }
        try await waitUntil(name) { try await pactl.sources().contains { $0.name == name } }
        return module
    }

    @Test(
        "S56: a headset with a microphone changes input and output in playAndRecord, in playback only the output",
        arguments: HeadlessServer.Kind.allCases)
    func headset(kind: HeadlessServer.Kind) async throws {
        for category in [AVAudioSession.Category.playAndRecord, .playback] {
            try await withServer(kind, sinks: [Self.desk]) { server in
                let pactl = Pactl(server)
                let session = try await server.recordingSession(category)
                let isBoth = category == .playAndRecord
                let player = try player(in: session)
                try await waitUntil("the desk") { outputs(session) == ["desk"] }
                #expect(inputs(session) == (isBoth ? ["desk.monitor"] : []))
                let headset = "device.bus=usb device.form_factor=headset"
                _ = try await addSink("phones", headset, pactl)
                _ = try await addSource("mic", headset, kind, pactl)
                try await pactl.setDefault(source: "mic")
                try await pactl.setDefault(sink: "phones")
                try await waitUntil("the headset") {
                    outputs(session) == ["phones"] && inputs(session) == (isBoth ? ["mic"] : [])
                }
                #expect(session.currentRoute.outputs.map(\.portType) == [.usbAudio])
                #expect(session.currentRoute.inputs.map(\.portType) == (isBoth ? [.usbAudio] : []))
                #expect(player.isPlaying)
                player.stop()
            }
        }
    }

    @Test(
        "S60: the speaker that overrides takes the built-in microphone along, and an interruption ends both",
        arguments: HeadlessServer.Kind.allCases)
    func override(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            _ = try await addSink("inside", Self.shape, pactl)
            _ = try await addSource("mic", Self.shape, kind, pactl)
            try await pactl.setDefault(sink: "desk")
            try await pactl.setDefault(source: "desk.monitor")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let told = SessionEvents(of: session)
            let player = try player(in: session)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: [:], session: session)
            try #require(recorder.record())
            func isUsual() -> Bool { outputs(session) == ["desk"] && inputs(session) == ["desk.monitor"] }
            func isOverridden() -> Bool { outputs(session) == ["inside"] && inputs(session) == ["mic"] }
            try await waitUntil("the desk") { isUsual() }
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the machine's own") { isOverridden() }
            try session.overrideOutputAudioPort(.none)
            try await waitUntil("the desk again") { isUsual() }
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the machine's own again") { isOverridden() }
            // Another session interrupts this one, and ends.
            let other = AVAudioSession(apartOn: server.address)
            try other.setCategory(.playback)
            try other.setActive(true)
            try await told.wait(for: [.began])
            try other.setActive(false, options: .notifyOthersOnDeactivation)
            try await told.wait(for: [.began, .ended(shouldResume: true)])
            #expect(player.play() && recorder.record())
            try await waitUntil("sound") { player.isPlaying && isUsual() }
            player.stop()
            recorder.stop()
        }
    }

    @Test("S60: defaultToSpeaker survives other routes and interruptions, and ends with the category")
    func defaultToSpeaker() async throws {
        try await withServer(.pipeWire) { server in
            let pactl = Pactl(server)
            let card = try await FakeCard.start(.phone, on: server)
            let earpiece = try #require(card.nodeNames.first { $0.contains("output") })
            try await waitUntil("the earpiece") { try await pactl.sink(earpiece) != nil }
            try await pactl.setDefault(sink: earpiece)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
            let told = SessionEvents(of: session)
            func types() -> [AVAudioSession.Port] { session.currentRoute.outputs.map(\.portType) }
            let player = try player(in: session)
            try await waitUntil("the speaker") { types() == [.builtInSpeaker] }
            // An accessory comes before it, and goes.
            let phones = try await addSink("phones", "device.bus=usb", pactl)
            try await pactl.setDefault(sink: "phones")
            try await waitUntil("the accessory") { types() == [.usbAudio] }
            try await pactl.setDefault(sink: earpiece)
            try await waitUntil("the speaker after it") { types() == [.builtInSpeaker] }
            try await pactl.unloadModule(phones)
            let other = AVAudioSession(apartOn: server.address)
            try other.setCategory(.playback)
            try other.setActive(true)
            try await told.wait(for: [.began])
            try other.setActive(false, options: .notifyOthersOnDeactivation)
            try await told.wait(for: [.began, .ended(shouldResume: true)])
            #expect(player.play())
            try await waitUntil("the speaker after the interruption") { types() == [.builtInSpeaker] }
            #expect(session.categoryOptions.contains(.defaultToSpeaker))
            try session.setCategory(.playback)
            try session.setCategory(.playAndRecord)
            try await waitUntil("the earpiece") { types() == [.builtInReceiver] }
            player.stop()
            try await card.quit()
        }
    }

    @Test(
        "S64: a preferred input is one change of the route, unless it is used already; nil clears it; gone, it is none",
        arguments: HeadlessServer.Kind.allCases)
    func preferredInput(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            let microphone = try await addSource("mic", "device.bus=usb", kind, pactl)
            try await pactl.setDefault(source: "desk.monitor")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.record)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: [:], session: session)
            try #require(recorder.record())
            try await waitUntil("the desk") { inputs(session) == ["desk.monitor"] && recorder.currentTime > 0.2 }
            let ports = try #require(session.availableInputs)
            let (desk, mic) = (ports.first { $0.uid == "desk.monitor" }, ports.first { $0.uid == "mic" })
            let events = RouteEvents(of: session)
            // A device that is used may get another rate, which is told by itself.
            func changes() -> [RouteEvents.Event] { events.all.filter { $0.reason != .routeConfigurationChange } }
            func settle(_ count: Int, _ input: String) async throws {
                let then = recorder.currentTime
                try await waitUntil(input) { inputs(session) == [input] && changes().count >= count }
                // What is told twice would be told within the time that changes settle in.
                try await waitUntil("some sound") { recorder.currentTime > then + 0.5 }
                #expect(changes().count == count && inputs(session) == [input], "\(input): \(events.all)")
            }
            try session.setPreferredInput(desk)
            try await settle(0, "desk.monitor")
            #expect(session.preferredInput == desk)
            try session.setPreferredInput(mic)
            try await settle(1, "mic")
            #expect(changes().last?.reason == .override && session.preferredInput == mic)
            try session.setPreferredInput(mic)
            try await settle(1, "mic")
            try session.setPreferredInput(nil)
            try await settle(2, "desk.monitor")
            #expect(changes().last?.reason == .override && session.preferredInput == nil)
            try session.setPreferredInput(mic)
            try await settle(3, "mic")
            try await pactl.unloadModule(microphone)
            try await settle(4, "desk.monitor")
            #expect(changes().last?.reason == .oldDeviceUnavailable)
            #expect(recorder.isRecording, "recordings may go on with the next one")
            // Nobody has asked meanwhile, which would have found out that it is gone.
            _ = try await addSource("mic", "device.bus=usb", kind, pactl)
            try await pactl.setDefault(source: "desk.monitor")
            // PulseAudio itself gives a stream back to the source that it was moved to once.
            if kind == .pipeWire { try await settle(4, "desk.monitor") }
            #expect(session.preferredInput == nil, "what comes back is not preferred behind the app's back")
            recorder.stop()
        }
    }

    @Test(
        "S68: what neither wants it, nor is what plays, is not interrupted when its output is pulled",
        arguments: HeadlessServer.Kind.allCases)
    func uninterrupted(kind: HeadlessServer.Kind) async throws {
        for (category, wants, plays) in [
            (AVAudioSession.Category.playback, false, true), (.playback, true, false), (.ambient, true, true),
        ] {
            try await withServer(kind, sinks: [Self.desk]) { server in
                let pactl = Pactl(server)
                let phones = try await addSink("phones", "device.bus=usb", pactl)
                try await pactl.setDefault(sink: "phones")
                let session = AVAudioSession(server: server.address)
                try session.setCategory(category)
                try session.setPrefersInterruptionOnRouteDisconnect(wants)
                let player = try player(in: session)
                try await waitUntil("some sound") { player.currentTime > 0.3 && outputs(session) == ["phones"] }
                if !plays { player.pause() }
                let (events, told) = (RouteEvents(of: session), SessionEvents(of: session))
                try await pactl.unloadModule(phones)
                try await waitUntil("the news") { events.all.map(\.reason) == [.oldDeviceUnavailable] }
                // An interruption would be on its way to the main queue by now.
                await MainActor.run {}
                #expect(told.all == [] && player.isPlaying == plays, "\(category.rawValue), \(wants), \(plays)")
                player.stop()
            }
        }
    }

    @Test(
        "S58: multiRoute records from what came last of USB, a headset and the machine's own, and nothing else",
        arguments: HeadlessServer.Kind.allCases)
    func lastInput(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            _ = try await addSource("own", Self.shape, kind, pactl)
            try await pactl.setDefault(source: "desk.monitor")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.multiRoute)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: [:], session: session)
            try #require(recorder.record())
            try await waitUntil("the machine's own") { inputs(session) == ["own"] }
            let usb = try await addSource("usb", "device.bus=usb", kind, pactl)
            try await pactl.setDefault(source: "desk.monitor")
            try await waitUntil("what came last") { inputs(session) == ["usb"] }
            let index = try await pactl.sources().first { $0.name == "usb" }?.index
            try await waitUntil("its sound") {
                // A source made of another one records that, too.
                try await pactl.sourceOutputs().filter { $0.processID == getpid() }.map(\.device) == [index]
            }
            try await pactl.unloadModule(usb)
            try await waitUntil("what is left") { inputs(session) == ["own"] }
            #expect(recorder.isRecording)
            recorder.stop()
        }
    }
}
