import AVFAudio
import AudioFiles
import Foundation
import HeadlessServer
import ScriptedHost
import TestSupport
import Testing

@Suite("What a player can open", .serialized, .limited)
struct PlayerFormatTests {
    @Test("S90: a file that is missing, empty, no sound or damaged throws, and so does a folder")
    func unusableFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = folder.appendingPathComponent("text.wav")
        try Data("No sound at all, but some letters".utf8).write(to: text)
        let empty = folder.appendingPathComponent("empty.mp3")
        try Data().write(to: empty)
        let cut = folder.appendingPathComponent("cut.wav")
        try TestSignal.sine(seconds: 0.1).wavData.prefix(20).write(to: cut)
        let missing = folder.appendingPathComponent("missing.wav")
        let session = AVAudioSession(server: "unix:/nonexistent")
        for url in [text, empty, cut, missing, folder, URL(string: "https://example.org/a.mp3")!] {
            let error = #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: url, session: session) }
            #expect(error?.domain == NSOSStatusErrorDomain && error?.code != 0, "\(url.lastPathComponent)")
            #expect(error?.localizedDescription.isEmpty == false)
        }
        #expect(throws: NSError.self) { try AVAudioPlayer(data: Data(), session: session) }
        #expect(throws: NSError.self) { try AVAudioPlayer(data: Data("abc".utf8), session: session) }
    }

    @Test("S91: url is nil for data, and data is nil for a URL; both play", .judges(.gap(frames: 0)))
    func sources() async throws {
        try await withPlayerLab(.pipeWire) { lab in
            let signal = lab.counter(seconds: 0.3)
            let file = try lab.file(signal)
            let first = try AVAudioPlayer(contentsOf: file, session: lab.session)
            #expect(first.url == file && first.data == nil)
            let second = try AVAudioPlayer(data: signal.wavData, session: lab.session)
            #expect(second.url == nil && second.data == signal.wavData)
            second.play()
            try await waitUntil("the end") { !second.isPlaying }
            expectWhole(try await lab.heard().counted, count: signal.frames)
        }
    }

    @Test(
        "A file that is deleted, or replaced by another one, is played as it was when the player was made",
        .judges(.gap(frames: 0)))
    func deletedFile() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let signal = lab.counter(seconds: 0.3)
            let file = try lab.file(signal)
            let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
            try FileManager.default.removeItem(at: file)
            _ = try lab.sine(500, seconds: 1).writeWAV(to: file)
            #expect(player.play())
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: signal.frames)
        }
    }

    @Test(
        "S98, S112: duration is known after init and is that of the decoded frames; settings tell the format",
        .judges(.time(seconds: 0.06)),
        arguments: [
            (.wav, .pcm16), (.wav, .float32), (.aiff, .pcm24), (.caf, .alac16), (.flac, .pcm16), (.ogg, .vorbis),
            (.ogg, .opus), (.mpeg, .mp3),
        ] as [(AudioContainer, AudioEncoding)])
    func durations(container: AudioContainer, encoding: AudioEncoding) async throws {
        try await withPlayerLab(.pipeWire) { lab in
            let signal = lab.sine(440, seconds: 0.7)
            let file = lab.server.directory.appendingPathComponent("sound.\(container.rawValue)")
            let writer = try AudioFileWriter(
                path: file.path, container: container, encoding: encoding, sampleRate: 48_000, channels: 2)
            try writer.write(int16: signal.samples, frames: signal.frames)
            try writer.close()
            let reader = try AudioFileReader(path: file.path)
            var frames = 0
            var buffer = [Float](repeating: 0, count: 2 * 4096)
            while case let count = try reader.read(into: &buffer, frames: 4096), count > 0 { frames += count }

            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
            player.delegate = events
            #expect(player.duration == Double(frames) / 48_000)
            #expect(abs(player.duration - 0.7) < 0.06)
            #expect(player.numberOfChannels == 2)
            #expect(player.settings[AVSampleRateKey] as? Double == 48_000)
            #expect(player.settings[AVNumberOfChannelsKey] as? Int == 2)
            #expect(player.settings[AVFormatIDKey] is NSNumber)
            #expect(player.format.sampleRate == 48_000 && player.format.channelCount == 2)
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [true])
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange(threshold: -40))
            #expect(abs(Double(range.count) / 48_000 - 0.7) < 0.06)
            let frequency = try #require(heard.frequency(range.lowerBound + 9600..<range.upperBound - 4800))
            #expect(abs(frequency - 440) < 0.5)
        }
    }

    @Test("S112: the settings of a PCM file have the PCM keys")
    func pcmSettings() throws {
        let session = AVAudioSession(server: "unix:/nonexistent")
        let player = try AVAudioPlayer(
            data: TestSignal.sine(seconds: 0.1, sampleRate: 8000, channels: 1).wavData, session: session)
        #expect(player.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
        #expect(player.settings[AVSampleRateKey] as? Double == 8000)
        #expect(player.settings[AVNumberOfChannelsKey] as? Int == 1)
        #expect(player.settings[AVLinearPCMBitDepthKey] as? Int == 16)
        #expect(player.settings[AVLinearPCMIsFloatKey] as? Bool == false)
        #expect(player.settings[AVLinearPCMIsBigEndianKey] as? Bool == false)
    }

    @Test(
        "A 44.1 kHz file keeps its pitch and its length on a 48 kHz sink, and the other way round",
        .judges(.level(decibels: 0.2)), arguments: HeadlessServer.Kind.allCases,
        [(44_100, 48_000), (48_000, 44_100), (8000, 48_000)])
    func rates(kind: HeadlessServer.Kind, rates: (file: Int, sink: Int)) async throws {
        var sink = kind.sink
        sink.rate = rates.sink
        try await withPlayerLab(kind, sink: sink) { lab in
            let events = PlayerEvents()
            let player = try lab.player(
                .sine(frequency: 440, level: -12, seconds: 1.5, sampleRate: rates.file), events: events)
            #expect(player.duration == 1.5)
            player.currentTime = 0.5
            #expect(player.play())
            try await events.waitForFinish()
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange(threshold: -50))
            // PipeWire plays silence when a busy machine makes a program late; PulseAudio's null sink waits.
            let tolerance = kind == .pulseAudio ? 0.005 : 0.1
            #expect(abs(Double(range.count) / Double(rates.sink) - 1) < tolerance)
            let start = range.lowerBound + 1000
            let frequency = try #require(heard.frequency(start..<start + rates.sink / 2))
            #expect(abs(frequency - 440) < 0.5)
            #expect(abs(heard.peakLevel(range) - -12) < 0.2)
            if kind == .pulseAudio { #expect(heard.discontinuities(frequency: 440).isEmpty) }
        }
    }

    @Test("S112: the format and the settings of surround files make formats, and say where the channels stand")
    func surroundFormats() throws {
        let session = AVAudioSession(server: "unix:/nonexistent")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (channels, tag) in [
            (3, kAudioChannelLayoutTag_MPEG_3_0_A), (4, kAudioChannelLayoutTag_Quadraphonic),
            (5, kAudioChannelLayoutTag_MPEG_5_0_A), (6, kAudioChannelLayoutTag_MPEG_5_1_A),
            (8, kAudioChannelLayoutTag_Unknown | 8), (12, kAudioChannelLayoutTag_Unknown | 12),
        ] {
            let url = folder.appendingPathComponent("\(channels).wav")
            let writer = try AudioFileWriter(
                path: url.path, container: .wav, encoding: .pcm16, sampleRate: 48_000, channels: channels)
            try writer.write(int16: [Int16](repeating: 0, count: 100 * channels), frames: 100)
            try writer.close()
            let player = try AVAudioPlayer(contentsOf: url, session: session)
            #expect(player.format.channelLayout?.layoutTag == tag, "\(channels) channels")
            #expect(AVAudioFormat(settings: player.settings) == player.format, "\(channels) channels")
        }
        let stereo = try AVAudioPlayer(data: TestSignal.sine(seconds: 0.1).wavData, session: session)
        #expect(stereo.format.channelLayout == nil && stereo.settings[AVChannelLayoutKey] == nil)
    }

    @Test("S112: the settings of a file of 8 bits make its format, signed or not, and a recording of the same")
    func eightBits() async throws {
        try await ScriptedLab.with(.playAndRecord) { lab in
            let session = lab.session
            let files: [(String, AudioContainer, AudioEncoding)] = [
                ("u.wav", .wav, .pcmU8), ("s.caf", .caf, .pcmS8), ("s.aiff", .aiff, .pcmS8), ("s.aifc", .aifc, .pcmS8),
                ("s.au", .au, .pcmS8),
            ]
            for (name, container, encoding) in files {
                let url = lab.file(name)
                let writer = try AudioFileWriter(
                    path: url.path, container: container, encoding: encoding, sampleRate: 22_050, channels: 1)
                try writer.write(int16: [Int16](repeating: 0, count: 100), frames: 100)
                try writer.close()
                let player = try AVAudioPlayer(contentsOf: url, session: session)
                let isSigned = player.format.streamDescription.pointee.mFormatFlags & kAudioFormatFlagIsSignedInteger
                #expect((isSigned != 0) == (encoding == .pcmS8), "\(name)")
                #expect(AVAudioFormat(settings: player.settings) == player.format, "\(name)")
                #expect(AVAudioFormat(settings: player.format.settings) == player.format, "\(name)")

                let copy = lab.file("copy of \(name)")
                let recorder = try AVAudioRecorder(url: copy, settings: player.settings, session: session)
                #expect(recorder.format == player.format, "\(name)")
                #expect(AVAudioFormat(settings: recorder.settings) == player.format, "\(name)")
                #expect(recorder.record(forDuration: 0.1))
                try await lab.pass(until: "the end") { !recorder.isRecording }
                let again = try AVAudioPlayer(contentsOf: copy, session: session)
                #expect(again.format == player.format, "\(name)")
            }
        }
    }

    @Test(
        "Mono on stereo, 5.1 on stereo and stereo on mono", .judges(.level(decibels: 0.05)),
        arguments: HeadlessServer.Kind.allCases)
    func channels(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let mono = try lab.player(
                .sine(frequency: 500, level: -12, seconds: 0.5, sampleRate: lab.rate, channels: 1))
            #expect(mono.numberOfChannels == 1)
            mono.play()
            try await waitUntil("the end") { !mono.isPlaying }
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            for channel in 0...1 { #expect(abs(heard.peakLevel(range, channel: channel) - -12) < 0.05) }

            // Only the centre of 5.1 sounds: it comes from both sides alike.
            let tone = lab.sine(500, seconds: 0.5)
            let samples: [Int16] = (0..<tone.frames).flatMap { [0, 0, tone.samples[2 * $0], 0, 0, 0] }
            let surround = try lab.player(TestSignal(samples: samples, sampleRate: lab.rate, channels: 6))
            #expect(surround.numberOfChannels == 6)
            let before = lab.monitor.frames
            surround.play()
            try await waitUntil("the end") { !surround.isPlaying }
            try await lab.monitor.wait(seconds: 0.3)
            let second = lab.monitor.soFar(from: before)
            let part = try #require(second.soundRange())
            let levels = (0...1).map { second.peakLevel(part, channel: $0) }
            #expect(abs(levels[0] - levels[1]) < 0.05)
            #expect(levels[0] > -24 && levels[0] < -14, "\(levels)")
        }
        var sink = kind.sink
        sink.channels = 1
        try await withPlayerLab(kind, sink: sink) { lab in
            let player = try lab.player(lab.sine(500, level: -12, seconds: 0.5))
            player.play()
            try await waitUntil("the end") { !player.isPlaying }
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            #expect(abs(heard.peakLevel(range) - -12) < 0.1, "half of either side")
        }
    }

    @Test(
        "S102: a damaged file plays up to the damage, reports the error, and finishes without success",
        arguments: HeadlessServer.Kind.allCases)
    func truncated(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let signal = TestSignal.noise(seconds: 2, sampleRate: lab.rate)
            let whole = lab.server.directory.appendingPathComponent("whole.flac")
            let writer = try AudioFileWriter(
                path: whole.path, container: .flac, encoding: .pcm16, sampleRate: Double(lab.rate), channels: 2)
            try writer.write(int16: signal.samples, frames: signal.frames)
            try writer.close()
            let bytes = try Data(contentsOf: whole)
            let file = lab.server.directory.appendingPathComponent("cut.flac")
            try bytes.prefix(bytes.count / 2).write(to: file)

            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
            player.delegate = events
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [false])
            #expect(events.errors.count == 1)
            #expect(events.errors.first?.domain == NSOSStatusErrorDomain)
            #expect(!player.isPlaying)
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            #expect(range.count > lab.rate * 8 / 10)
            let samples = heard.samples16[(2 * range.lowerBound)...].prefix(lab.rate)
            #expect(samples.elementsEqual(signal.samples.prefix(lab.rate)))
        }
    }

    @Test(
        "S102: what a damaged stream lacks is told once, after all that can be decoded was heard, in each of its loops",
        arguments: zip(HeadlessServer.Kind.allCases, [AudioContainer.mpeg, .ogg]))
    func damagedStream(kind: HeadlessServer.Kind, container: AudioContainer) async throws {
        try await withPlayerLab(kind) { lab in
            let bytes = try damaged(container, lab.sine(440, seconds: 2), in: lab.server.directory)
            let events = PlayerEvents()
            let player = try AVAudioPlayer(data: bytes, session: lab.session)
            #expect(abs(player.duration - 2) < 0.1)
            player.delegate = events
            player.numberOfLoops = 1
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [false])
            #expect(events.errors.map(\.code) == [Int(kAudioFileInvalidFileError)])
            let heard = try await lab.heard()
            let seconds = Double(try #require(heard.soundRange()).count) / Double(lab.rate)
            #expect(seconds > 1.5 && seconds < 3.9, "two rounds, neither of them whole: \(seconds) s")
        }
    }

    @Test(
        "S102: what a damaged stream lacks is told once, after all that can be decoded was heard, in each of its loops",
        arguments: [AudioContainer.mpeg, .ogg])
    func damagedLoops(container: AudioContainer) async throws {
        try await ScriptedLab.with(.playback) { lab in
            let signal = TestSignal.sine(frequency: 440, seconds: 4, sampleRate: lab.rate)
            let bytes = try damaged(container, signal, in: lab.folder)
            var rounds: [Double] = []
            for loops in 0...1 {
                let events = PlayerEvents()
                let player = try AVAudioPlayer(data: bytes, session: lab.session)
                #expect(abs(player.duration - 4) < 0.1)
                player.delegate = events
                player.numberOfLoops = loops
                let before = lab.host.framesHeard
                #expect(player.play())
                try await lab.pass(until: "the end") { !events.finished.isEmpty }
                #expect(events.finished == [false])
                #expect(events.errors.map(\.code) == [Int(kAudioFileInvalidFileError)])
                rounds.append(Double(lab.host.framesHeard - before) / Double(lab.rate))
            }
            #expect(rounds[0] > 1.5 && rounds[0] < 3.9, "not whole: \(rounds[0]) s")
            #expect(abs(rounds[1] - 2 * rounds[0]) < 0.1, "\(rounds)")
        }
    }

    /// A sound in a container with a fault in the middle of its bytes.
    private func damaged(_ container: AudioContainer, _ signal: TestSignal, in folder: URL) throws -> Data {
        let path = folder.appendingPathComponent("damaged").path
        let writer = try AudioFileWriter(
            path: path, container: container, encoding: container == .ogg ? .vorbis : .mp3,
            sampleRate: Double(signal.sampleRate), channels: signal.channels)
        try writer.write(int16: signal.samples, frames: signal.frames)
        try writer.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // A page that does not fit its sum is passed over; an index promises more than half of a stream has.
        if container == .ogg { bytes[bytes.count / 2] ^= 0x55 } else { bytes = bytes.prefix(bytes.count / 2) }
        return bytes
    }
}
