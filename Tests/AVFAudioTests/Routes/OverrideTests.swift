import AudioHost
import AudioSession
import Foundation
import HeadlessServer
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@testable import AVFAudio

@Suite("What ends the choice of the speaker, and what does not", .serialized, .limited)
struct OverrideTests {
    private static let desk = HeadlessServer.NullSink(name: "desk")
    private static let shape = "device.api=alsa device.bus=pci device.form_factor=internal"

    private func outputs(_ session: AVAudioSession) -> [String] { session.currentRoute.outputs.map(\.uid) }

    private func overrides(_ session: AVAudioSession) -> Bool { session.core.preferences.output.overridesToSpeaker }

    private func player(in session: AVAudioSession) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 60).wavData, session: session)
        try #require(player.play())
        return player
    }

    /// Plugs in a sink that is not the default one.
    private func addSink(_ name: String, _ properties: String = "", _ pactl: Pactl) async throws {
        let usual = try await pactl.run("get-default-sink").trimmingCharacters(in: .whitespacesAndNewlines)
        let shape = properties.isEmpty ? [] : ["sink_properties=\"\(properties)\""]
        _ = try await pactl.loadModule("module-null-sink", ["sink_name=\(name)", "rate=44100", "norewinds=1"] + shape)
        try await waitUntil(name) { try await pactl.sink(name) != nil }
        try await pactl.setDefault(sink: usual)
    }

    @Test(
        "a speaker that has come a moment ago is chosen like any other: that it is new takes nothing back",
        arguments: HeadlessServer.Kind.allCases)
    func newSpeaker(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            try await addSink("inside", Self.shape, pactl)
            try await waitUntil("the desk, as before") { outputs(session) == ["desk"] }
            let events = RouteEvents(of: session)
            try session.overrideOutputAudioPort(.speaker)
            // What takes it back does so when the change is told.
            try await waitUntil("the news", timeout: hangLimit) { !events.all.isEmpty }
            #expect(overrides(session))
            try await waitUntil("the speaker", timeout: hangLimit) { outputs(session) == ["inside"] }
            player.stop()
        }
    }

    @Test(
        "neither another detail of the ports takes it back, nor a change of category that is told late",
        arguments: HeadlessServer.Kind.allCases)
    func toldLate(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            try await addSink("inside", Self.shape, pactl)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            // The change itself does.
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the speaker", timeout: hangLimit) { outputs(session) == ["inside"] }
            try session.setMode(.voiceChat)
            #expect(!overrides(session))
            try await waitUntil("the desk again", timeout: hangLimit) { outputs(session) == ["desk"] }
            // As many apps do it: a mode, and the speaker for that.
            try session.setMode(.videoChat)
            try session.overrideOutputAudioPort(.speaker)
            #expect(overrides(session))
            try await waitUntil("the speaker again", timeout: hangLimit) { outputs(session) == ["inside"] }
            let route = try session.core.connected().route(under: session.core.settings)
            for reason in [RouteChangeReason.categoryChange, .routeConfigurationChange] {
                session.core.received(.routeChanged(RouteChange(reason: reason, previous: route, current: route)))
                #expect(overrides(session), "\(reason)")
            }
            #expect(outputs(session) == ["inside"])
            player.stop()
        }
    }

    @Test("a Bluetooth headset that goes over to another profile takes nothing back; the user's choice does")
    func headsetsProfile() async throws {
        try await withServer(.pipeWire, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            let card = try await FakeCard.start(.bt, on: server)
            defer { withExtendedLifetime(card) {} }
            let headset = try #require(card.nodeNames.first { $0.contains("output") })
            try await waitUntil("the headset") { try await pactl.sink(headset) != nil }
            try await addSink("inside", Self.shape, pactl)
            try await pactl.setDefault(sink: headset)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("the headset's sound", timeout: hangLimit) {
                outputs(session).first?.hasPrefix(headset) == true
            }
            let inputs = Log<[String]>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.availableInputsChangeNotification, object: session, queue: nil
            ) { [weak session] _ in inputs.note(session?.availableInputs?.map(\.uid) ?? []) }
            defer { NotificationCenter.default.removeObserver(token) }
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the speaker", timeout: hangLimit) { outputs(session) == ["inside"] }
            var standIn = ""
            // It has no sink between two profiles, for as long as that takes.
            for (profile, news) in [("off", "more"), ("a2dp-sink", "most")] {
                try await card.setProfile(profile)
                try await pactl.waitForDefaultSink { $0.contains(headset) == (profile != "off") }
                if profile == "off" { standIn = try await pactl.run("get-default-sink") }
                // What comes last is told last.
                _ = try await pactl.loadModule("module-null-sink", ["sink_name=\(news)", "norewinds=1"])
                try await waitUntil("its news", timeout: hangLimit) {
                    inputs.all.last?.contains("\(news).monitor") == true
                }
                #expect(overrides(session) && outputs(session) == ["inside"], "\(profile)")
            }
            // Another sink than the one in between: the library may have missed that the headset was the default again.
            let choice = standIn.hasPrefix("desk") ? "more" : "desk"
            try await pactl.setDefault(sink: choice)
            try await waitUntil("the user's choice", timeout: hangLimit) { outputs(session) == [choice] }
            #expect(!overrides(session))
            player.stop()
        }
    }

    @Test("another data source of the microphone that it took along leaves the speaker")
    func dataSource() async throws {
        try await withServer(.pipeWire, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            let phone = try await FakeCard.start(.phone, on: server)
            defer { withExtendedLifetime(phone) {} }
            let source = try #require(phone.nodeNames.first { $0.contains("input") })
            try await waitUntil("the phone") {
                let names = try await pactl.sinks().map(\.name) + pactl.sources().map(\.name)
                return phone.nodeNames.allSatisfy(names.contains)
            }
            try await pactl.setDefault(source: source)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("the desk") { outputs(session) == ["desk"] }
            try session.overrideOutputAudioPort(.speaker)
            try await waitUntil("the phone's own", timeout: hangLimit) {
                let route = session.currentRoute
                return route.outputs.map(\.portType) == [.builtInSpeaker] && route.inputs.map(\.uid) == [source]
            }
            let events = RouteEvents(of: session)
            // Either of the two may be selected: the session manager chooses a moment after the card is there.
            let selected = session.inputDataSource?.dataSourceID
            let other = try #require(session.inputDataSources?.first { $0.dataSourceID != selected })
            try session.setInputDataSource(other)
            try await waitUntil("the news", timeout: hangLimit) {
                events.all.contains { $0.reason == .routeConfigurationChange }
            }
            #expect(overrides(session))
            #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            player.stop()
        }
    }
}
