import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Several outputs at once, one of them a connector of a card", .serialized, .limited)
struct MultiRouteCardTests {
    private static let usb = HeadlessServer.NullSink(name: "usb", properties: "device.bus=usb")

    private func player(in session: AVAudioSession, on port: AVAudioSessionPortDescription) throws -> AVAudioPlayer {
        let signal = TestSignal(samples: [Int16](repeating: 8_000, count: 2 * 44_100 * 20))
        let player = try AVAudioPlayer(data: signal.wavData, session: session)
        player.channelAssignments = port.channels
        return player
    }

    @Test(
        "S58: headphones that are pulled silence their player before the speaker of their card, and nobody else",
        .judges(.gap(frames: 0)))
    func pulled() async throws {
        try await withServer(.pipeWire, sinks: [Self.usb]) { server in
            let card = try await FakeCard.start(.pci, on: server)
            let sink = try #require(card.nodeNames.first { $0.contains("output") })
            try await waitUntil("the card's sink") { try await Pactl(server).sink(sink) != nil }
            try await Pactl(server).setDefault(sink: "usb")
            try await card.jack(in: true)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.multiRoute)
            try await waitUntil("two outputs") {
                session.currentRoute.outputs.map(\.portType) == [.usbAudio, .headphones]
            }
            let ports = session.currentRoute.outputs
            let stays = try player(in: session, on: ports[0])
            let ends = try player(in: session, on: ports[1])
            let rest = try await MonitorRecording.start(on: server, sink: Self.usb)
            let events = RouteEvents(of: session)
            #expect(stays.play() && ends.play())
            try await waitUntil("some sound") { stays.currentTime > 0.3 && ends.currentTime > 0.3 }
            try await card.jack(in: false)
            try await waitUntil("the news") { events.all.last?.reason == .oldDeviceUnavailable }
            #expect(!ends.isPlaying && stays.isPlaying)
            let monitor = try await MonitorRecording.start(on: server, sink: HeadlessServer.NullSink(name: sink))
            let time = stays.currentTime
            try await waitUntil("the other's sound") { stays.currentTime > time + 1.2 }
            let onSpeaker = try await monitor.stop()
            #expect(onSpeaker.soundRange() == nil, "the speaker of the card")
            stays.stop()
            #expect(try await rest.stop().gaps().isEmpty, "who has lost nothing goes on")
        }
    }
}
