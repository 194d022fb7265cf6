import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Statements of several parts, each of which can fail by itself.
@Suite("What a route is, part by part", .serialized, .timeLimit(.minutes(60)))
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
        "S58: multiRoute records from what came last of USB, a headset and the machine's own, and nothing else",
        arguments: HeadlessServer.Kind.allCases)
    func lastInput(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.desk]) { server in
            let pactl = Pactl(server)
            _ = try await addSource("own", Self.shape, kind, pactl)
            try await pactl.run("set-default-source", "desk.monitor")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.multiRoute)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: [:], session: session)
            try #require(recorder.record())
            try await waitUntil("the machine's own") { inputs(session) == ["own"] }
            let usb = try await addSource("usb", "device.bus=usb", kind, pactl)
            try await pactl.run("set-default-source", "desk.monitor")
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
