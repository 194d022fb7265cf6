import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("A take that was stopped before there was sound", .limited)
struct RecorderSoundlessTests {
    private static let formats: [(String, AudioFormatID)] = [
        ("a.wav", kAudioFormatLinearPCM), ("a.flac", kAudioFormatFLAC), ("a.ogg", kAudioFormatVorbis),
        ("a.opus", kAudioFormatOpus), ("a.aac", kAudioFormatMPEG4AAC), ("a.m4a", kAudioFormatMPEG4AAC),
        ("b.m4a", kAudioFormatAppleLossless), ("a.caf", kAudioFormatMPEG4AAC), ("b.caf", kAudioFormatAppleLossless),
        ("c.caf", kAudioFormatAppleIMA4),
    ]

    @Test("is opened by a player, which finishes at once")
    func played() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            for (name, format) in Self.formats {
                let settings: [String: Any] = [
                    AVFormatIDKey: format, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
                ]
                let events = RecorderEvents()
                let recorder = try AVAudioRecorder(url: server.file(name), settings: settings, session: session)
                recorder.delegate = events
                #expect(recorder.prepareToRecord(), "\(name)")
                recorder.stop()
                try await events.waitForFinish()
                #expect(events.finished == [true] && events.errors.isEmpty, "\(name)")
                let ends = PlayerEvents()
                let player = try AVAudioPlayer(contentsOf: recorder.url, session: session)
                player.delegate = ends
                // A bare stream of AAC cannot be empty: it has a block of silence.
                #expect(player.duration == (name == "a.aac" ? 1024.0 / 48_000 : 0), "\(name)")
                #expect(player.format.sampleRate == 48_000 && player.format.channelCount == 2, "\(name)")
                player.play()
                try await waitUntil("the end of \(name)", timeout: hangLimit) { !ends.finished.isEmpty }
                #expect(ends.finished == [true] && ends.errors.isEmpty, "\(name)")
            }
        }
    }
    @Test("is opened by a player, which finishes at once, in each format", arguments: formats.map(\.0))
    func playedWithoutServer(name: String) async throws {
        try await ScriptedLab.with(.playAndRecord) { lab in
            let format = try #require(Self.formats.first { $0.0 == name }?.1)
            let events = RecorderEvents()
            let settings: [String: Any] = [AVFormatIDKey: format, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]
            let recorder = try lab.recorder(name, settings, events: events)
            #expect(recorder.prepareToRecord())
            // Time that passes before it records is none of the take's.
            try await lab.pass(seconds: 0.25)
            recorder.stop()
            try await events.waitForFinish()
            #expect(events.finished == [true] && events.errors.isEmpty)
            let ends = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: recorder.url, session: lab.session)
            player.delegate = ends
            // A bare stream of AAC cannot be empty: it has a block of silence.
            #expect(player.duration == (name == "a.aac" ? 1024.0 / 48_000 : 0))
            #expect(player.format.sampleRate == 48_000 && player.format.channelCount == 2)
            #expect(player.play())
            try await lab.pass(until: "the end") { !ends.finished.isEmpty }
            #expect(ends.finished == [true] && ends.errors.isEmpty)
        }
    }
}
