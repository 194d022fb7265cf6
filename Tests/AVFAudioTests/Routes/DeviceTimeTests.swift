import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("The time that devices take", .serialized, .limited)
struct DeviceTimeTests {
    private static let sink = HeadlessServer.NullSink(name: "desk", rate: 48_000)

    private func player(_ session: AVAudioSession) throws -> AVAudioPlayer {
        try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 60).wavData, session: session)
    }

    /// A session; as one of another program with `isOther`.
    private func session(
        on server: HeadlessServer, _ category: AVAudioSession.Category, isOther: Bool = false
    ) throws -> AVAudioSession {
        let session = isOther ? AVAudioSession(apartOn: server.address) : AVAudioSession(server: server.address)
        try session.setCategory(category)
        return session
    }

    /// A session that plays, and whose device takes more than 40 ms at a time.
    private func slowMusic(on server: HeadlessServer) async throws -> (AVAudioSession, AVAudioPlayer) {
        let main = try session(on: server, .playback)
        try main.setPreferredIOBufferDuration(0.05)
        let music = try player(main)
        #expect(music.play())
        try await waitUntil("a long buffer") { music.currentTime > 0.1 && main.ioBufferDuration > 0.04 }
        return (main, music)
    }

    @Test(
        "S80, PipeWire: latencies are those of the devices, of both directions, and count no buffer",
        .judges(.time(seconds: 0.05)))
    func distantDevices() async throws {
        try await withServer(.pipeWire, sinks: [Self.sink]) { server in
            let ear = try await DistantDevice.start("ear", isSource: false, milliseconds: 200, on: server)
            let mouth = try await DistantDevice.start("mouth", isSource: true, milliseconds: 150, on: server)
            defer { withExtendedLifetime((ear, mouth)) {} }
            try await Pactl(server).setDefault(sink: "ear")
            let session = try await server.recordingSession(.playAndRecord)
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "mouth" })
            #expect(session.inputLatency == 0, "nobody records, and nobody says")
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: [:], session: session)
            try #require(recorder.record())
            let music = try player(session)
            #expect(music.play())
            for (what, expected) in [(\AVAudioSession.inputLatency, 0.15), (\.outputLatency, 0.2)] {
                try await waitUntil("\(expected) s") { session[keyPath: what] > expected / 2 }
                let latency = session[keyPath: what]
                let least = expected - session.ioBufferDuration - 0.005
                #expect((least...expected).contains(latency), "\(latency) of \(expected) s")
            }
            recorder.stop()
            music.stop()
        }
    }

    @Test(
        "S67, S75: the I/O buffer is the device's now, whoever made it shorter or longer",
        arguments: HeadlessServer.Kind.allCases)
    func bufferOfOthers(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let (main, music) = try await slowMusic(on: server)
            let other = try await ForeignStream.start(on: server)
            try await waitUntil("a shorter buffer") { main.ioBufferDuration < 0.03 }
            #expect(main.preferredIOBufferDuration == 0.05)
            try await other.stop()
            try await waitUntil("the long one again") { main.ioBufferDuration > 0.04 }
            music.stop()
        }
    }

    @Test("PipeWire: what is recorded comes in the graph's pieces, not in those that were wished for")
    func bufferOfRecording() async throws {
        try await withServer(.pipeWire, sinks: [Self.sink]) { server in
            let session = try await server.recordingSession(.record)
            try session.setPreferredIOBufferDuration(0.004)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: [:], session: session)
            try #require(recorder.record())
            try await waitUntil("some sound") { recorder.currentTime > 0.2 }
            // The graph of the test takes 1024 frames at least.
            try await waitUntil("a cycle of the graph") { session.ioBufferDuration > 0.02 }
            let frames = session.ioBufferDuration * 48_000
            #expect(abs(frames - (frames / 1024).rounded() * 1024) < 2, "\(frames) frames are no cycle")
            recorder.stop()
        }
    }

    @Test(
        "S76: what a session that mixes wishes changes nothing for one that does not, until that is silent",
        arguments: HeadlessServer.Kind.allCases)
    func wishesOfOthers(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let (main, music) = try await slowMusic(on: server)
            let before = (main.ioBufferDuration, main.sampleRate)
            let other = try session(on: server, .ambient, isOther: true)
            try other.setPreferredIOBufferDuration(0.005)
            try other.setPreferredSampleRate(96_000)
            let effect = try player(other)
            #expect(effect.play())
            try await waitUntil("another sound") { effect.currentTime > 0.5 }
            // Both see the same device, and one of them does for the first time.
            #expect(abs(other.ioBufferDuration - before.0) < 0.002)
            #expect(abs(main.ioBufferDuration - before.0) < 0.002)
            #expect(music.isPlaying && main.sampleRate == before.1 && main.preferredIOBufferDuration == 0.05)
            #expect(other.preferredIOBufferDuration == 0.005)
            music.pause()
            try await waitUntil("what the other one wishes") { other.ioBufferDuration < 0.03 }
            #expect(music.play())
            try await waitUntil("what the first one wishes") { main.ioBufferDuration > 0.04 }
            effect.stop()
            music.stop()
        }
    }

    @Test(
        "S76: of two that mix, and of two programs of which neither is a session, the shorter wish counts",
        arguments: HeadlessServer.Kind.allCases)
    func equals(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.sink]) { server in
            let first = try session(on: server, .ambient)
            try first.setPreferredIOBufferDuration(0.05)
            let music = try player(first)
            #expect(music.play())
            try await waitUntil("a long buffer") { music.currentTime > 0.1 && first.ioBufferDuration > 0.04 }
            let second = try session(on: server, .ambient, isOther: true)
            try second.setPreferredIOBufferDuration(0.005)
            let effect = try player(second)
            #expect(effect.play())
            try await waitUntil("the shorter one") { first.ioBufferDuration < 0.03 }
            effect.stop()
            music.stop()
        }
    }
}
