import AVFAudio
import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("A player's channels and device", .serialized, .limited)
struct PlayerRouteTests {
    private func channel(_ number: Int) -> AVAudioSessionChannelDescription {
        AVAudioSessionChannelDescription(
            channelName: "\(number)", owningPortUID: "out", channelNumber: number,
            channelLabel: kAudioChannelLabel_Unknown)
    }

    @Test("S111: channelAssignments is nil until it is set, and has one entry for each channel of the sound")
    func assignmentCount() throws {
        let session = AVAudioSession(server: "unix:/nonexistent")
        let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 0.1).wavData, session: session)
        #expect(player.channelAssignments == nil)
        player.channelAssignments = [channel(1)]
        #expect(player.channelAssignments == nil, "too few")
        player.channelAssignments = [channel(2), channel(1)]
        #expect(player.channelAssignments == [channel(2), channel(1)])
        player.channelAssignments = [channel(1), channel(2), channel(3)]
        #expect(player.channelAssignments == [channel(2), channel(1)], "too many")
        player.channelAssignments = nil
        #expect(player.channelAssignments == nil)
    }

    @Test(
        "S111: a channel is heard where it was assigned to, also when that changes while it plays",
        arguments: HeadlessServer.Kind.allCases)
    func assignments(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let (low, high) = (lab.sine(500, seconds: 5), lab.sine(2000, seconds: 5))
            let samples = (0..<low.frames).flatMap { [low.samples[2 * $0], high.samples[2 * $0]] }
            let player = try lab.player(TestSignal(samples: samples, sampleRate: lab.rate))
            /// The levels of both tones, on the left and on the right, of what is heard from now on.
            func levels() async throws -> [Bool] {
                try await lab.monitor.wait(seconds: 0.4)
                let first = lab.monitor.frames
                try await lab.monitor.wait(seconds: 0.3)
                let heard = lab.monitor.soFar(from: first)
                return [(500, 0), (2000, 0), (500, 1), (2000, 1)].map { (frequency: Double, channel: Int) in
                    heard.level(ofFrequency: frequency, channel: channel) > -30
                }
            }
            player.channelAssignments = [channel(2), channel(1)]
            #expect(player.play())
            #expect(try await levels() == [false, true, true, false], "crossed")
            player.channelAssignments = nil
            #expect(player.isPlaying)
            #expect(try await levels() == [true, false, false, true])
            player.channelAssignments = [channel(1), channel(1)]
            #expect(try await levels() == [true, true, false, false], "both on the left")
            player.channelAssignments = [channel(7), channel(2)]
            #expect(try await levels() == [false, false, false, true], "there is no seventh")
            player.stop()
        }
    }

    @Test("a change of volume is heard on six channels", arguments: HeadlessServer.Kind.allCases)
    func sixChannels(kind: HeadlessServer.Kind) async throws {
        let sink = HeadlessServer.NullSink(name: "hall", channels: 6)
        try await withServer(kind, sinks: [sink]) { server in
            let session = AVAudioSession(server: server.address)
            let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 30).wavData, session: session)
            let monitor = try await MonitorRecording.start(on: server, sink: sink)
            #expect(player.play())
            try await monitor.waitForSound()
            player.volume = 0.5
            try await waitUntil("half of it", timeout: .seconds(3)) {
                let first = monitor.frames
                try await monitor.wait(seconds: 0.1)
                return abs(monitor.soFar(from: first).level(ofFrequency: 1000, channel: 0) + 18) < 1
            }
            player.stop()
            _ = try await monitor.stop()
        }
    }

    @Test(
        "a channel of the sink that the session has moved to is heard there; what plays beside it stays as it is",
        arguments: HeadlessServer.Kind.allCases)
    func assignmentsAfterMove(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall", channels: 6)]
        try await withServer(kind, sinks: sinks) { server in
            try await Pactl(server).setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let players = try [(500.0, 2), (2000, 1)].map { frequency, channels in
                let sound = TestSignal.sine(frequency: frequency, seconds: 30, channels: channels)
                return try AVAudioPlayer(data: sound.wavData, session: session)
            }
            let monitor = try await MonitorRecording.start(on: server, sink: sinks[1])
            /// In which channels each of the two tones is heard from now on.
            func places() async throws -> [[Int]] {
                let first = monitor.frames
                try await monitor.wait(seconds: 0.2)
                let heard = monitor.soFar(from: first)
                return [500, 2000].map { tone in
                    (0..<6).filter { heard.level(ofFrequency: tone, channel: $0) > -30 }
                }
            }
            for player in players { #expect(player.play()) }
            try session.setPreferredOutput(session.availableOutputs.first { $0.uid == "hall" })
            try await monitor.waitForSound()
            // Looked at once: the route may be told as before for a moment, while the stream is on its way.
            var channels: [AVAudioSessionChannelDescription] = []
            try await waitUntil("six channels") {
                channels = session.currentRoute.outputs.first?.channels ?? []
                return channels.count == 6
            }
            for place in [4, 3] {
                players[1].channelAssignments = [channels[place]]
                try await waitUntil("both in their places") { try await places() == [[0, 1], [place]] }
                #expect(players.allSatisfy { $0.isPlaying })
            }
            // Back where there are two.
            try session.setPreferredOutput(nil)
            try await waitUntil("two channels") { session.currentRoute.outputs.first?.channels?.count == 2 }
            players[1].channelAssignments = nil
            let time = players[0].currentTime
            try await waitUntil("moving positions") { players.allSatisfy { $0.currentTime > time + 0.1 } }
            for player in players { player.stop() }
            _ = try await monitor.stop()
        }
    }

    @Test(
        "currentDevice is nil at first; the session's device can be named, and on an unknown one nothing plays",
        .judges(.gap(frames: 0)))
    func device() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.counter(seconds: 0.2))
            #expect(player.currentDevice == nil)
            player.currentDevice = "no such device"
            #expect(player.currentDevice == "no such device")
            #expect(!player.prepareToPlay() && !player.play() && !player.isPlaying)
            player.currentDevice = lab.sink.name
            #expect(player.play())
            try await waitUntil("the end") { !player.isPlaying }
            player.currentDevice = nil
            #expect(player.play())
            try await waitUntil("the end") { !player.isPlaying }
            #expect(try await lab.heard().counted.count == 2 * lab.rate / 5)
        }
    }

    @Test(
        "S114: the removal of the device does not pause a player; it goes on where the server moves it",
        arguments: HeadlessServer.Kind.allCases)
    func deviceRemoval(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second")]
        let modules = kind == .pulseAudio ? ["module-rescue-streams"] : []
        try await withServer(kind, sinks: [sinks[1]], modules: modules) { server in
            let pactl = Pactl(server)
            let module = try await pactl.loadModule(
                "module-null-sink", ["sink_name=first", "format=s16le", "rate=44100", "channels=2", "norewinds=1"])
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            let file = try TestSignal.sine(seconds: 8).writeWAV(to: server.directory.appendingPathComponent("a.wav"))
            let player = try AVAudioPlayer(contentsOf: file, session: session)
            let first = try await MonitorRecording.start(on: server, sink: sinks[0])
            let second = try await MonitorRecording.start(on: server, sink: sinks[1])
            try await pactl.setDefault(sink: "first")
            #expect(player.play())
            try await first.waitForSound()
            let before = second.frames
            try await pactl.unloadModule(module)
            try await second.waitForSound(from: before)
            let time = player.currentTime
            try await waitUntil("a moving position") { player.currentTime > time + 0.2 }
            #expect(player.isPlaying)
            player.stop()
            _ = try await second.stop()
        }
    }

    @Test(
        "File type hints are taken, and the contents decide",
        arguments: ["public.mp3", "com.microsoft.waveform-audio"])
    func hints(hint: String) throws {
        let sound = TestSignal.sine(seconds: 0.1)
        let player = try AVAudioPlayer(data: sound.wavData, fileTypeHint: hint)
        #expect(player.duration == 0.1 && player.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: file) }
        try sound.writeWAV(to: file)
        #expect(try AVAudioPlayer(contentsOf: file, fileTypeHint: hint).duration == 0.1)
        #expect(try AVAudioPlayer(contentsOf: file, fileTypeHint: nil).duration == 0.1)
    }
}
