import AVFAudio
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("What can be recorded", .limited)
struct RecorderFormatTests {
    private func recorder(_ name: String, _ settings: [String: Any]) throws -> AVAudioRecorder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        return try AVAudioRecorder(url: url, settings: settings, session: AVAudioSession(server: "unix:/nowhere"))
    }

    @Test("S116, S130: what cannot be recorded is refused as 'fmt?' before a file is touched")
    func unsupportedFormats() throws {
        let cases: [(String, [String: Any])] = [
            ("a.wav", [AVFormatIDKey: kAudioFormatMPEGLayer3]),
            ("a.caf", [AVFormatIDKey: kAudioFormatMPEGLayer3]),
            ("a.wav", [AVFormatIDKey: kAudioFormatAppleLossless]),
            ("a.wav", [AVFormatIDKey: kAudioFormatFLAC]),
            ("a.flac", [AVFormatIDKey: kAudioFormatLinearPCM]),
            ("a.flac", [AVEncoderBitDepthHintKey: 32]),
            ("a.flac", [AVNumberOfChannelsKey: 9]),
            ("a.flac", [AVSampleRateKey: 65_537]), ("a.flac", [AVSampleRateKey: 191_999]),
            ("a.aiff", [AVLinearPCMIsFloatKey: true]),
            ("a.wav", [AVLinearPCMBitDepthKey: 12]),
            ("a.wav", [AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: true]),
            ("a.wav", [AVSampleRateKey: 7_999]), ("a.wav", [AVSampleRateKey: 192_001]),
            ("a.wav", [AVSampleRateKey: 44_100.5]), ("a.wav", [AVSampleRateKey: Double.nan]),
            ("a.wav", [AVNumberOfChannelsKey: 0]), ("a.wav", [AVNumberOfChannelsKey: 65]),
            ("a.wav", [AVNumberOfChannelsKey: -1]), ("a.wav", [AVNumberOfChannelsKey: "two"]),
            ("a.wav", [AVFormatIDKey: "lpcm"]), ("a.wav", [AVNumberOfChannelsKey: 1.5]),
        ]
        for (name, settings) in cases {
            let error = try #require(throws: NSError.self, "\(name) \(settings)") { _ = try recorder(name, settings) }
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == 1_718_449_215, "\(name) \(settings)")
        }
    }

    @Test("S115, S116: a type of file that is not known is refused as 'typ?'")
    func unsupportedTypes() throws {
        let cases: [(String, [String: Any])] = [
            ("a.mp3", [:]), ("a.txt", [:]), ("a.wav", [AVAudioFileTypeKey: kAudioFileMP3Type]),
        ]
        for (name, settings) in cases {
            let error = try #require(throws: NSError.self) { _ = try recorder(name, settings) }
            #expect(error.code == 0x7479_703F, "\(name)")
        }
        let web = try #require(URL(string: "https://example.org/a.wav"))
        #expect(throws: NSError.self) { _ = try AVAudioRecorder(url: web, settings: [:]) }
    }

    @Test("S126, S127, S128: plain numbers and NSNumbers work, and what is missing is the input's after preparation")
    func completion() async throws {
        let sink = HeadlessServer.NullSink(rate: 48_000)
        try await withServer(.pulseAudio, sinks: [sink]) { server in
            let session = try await server.recordingSession()
            let bare = try AVAudioRecorder(url: server.file("a.caf"), settings: [:], session: session)
            #expect(bare.settings[AVSampleRateKey] == nil)
            #expect(bare.prepareToRecord())
            for _ in 0..<2 {
                // Complete for as long as the recorder lives.
                #expect(bare.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
                #expect(bare.settings[AVSampleRateKey] as? Double == 48_000)
                #expect(bare.settings[AVNumberOfChannelsKey] as? Int == 2)
                #expect(bare.settings[AVLinearPCMBitDepthKey] as? Int == 16)
                #expect(bare.format.sampleRate == 48_000)
                #expect(bare.format.channelCount == 2)
                bare.stop()
            }
            let numbers: [[String: Any]] = [
                [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: UInt8(1), AVLinearPCMBitDepthKey: Int64(24)],
                [
                    AVSampleRateKey: Float(8_000), AVNumberOfChannelsKey: NSNumber(value: 1),
                    AVLinearPCMBitDepthKey: 24.0,
                ],
                [
                    AVSampleRateKey: NSNumber(value: 8_000.0), AVNumberOfChannelsKey: 1 as Int,
                    AVLinearPCMBitDepthKey: UInt(24), AVLinearPCMIsFloatKey: false,
                    AVLinearPCMIsBigEndianKey: NSNumber(value: false),
                ],
            ]
            for settings in numbers {
                let recorder = try AVAudioRecorder(url: server.file("b.wav"), settings: settings, session: session)
                #expect(recorder.record(forDuration: 0.1))
                try await waitUntil("the end") { !recorder.isRecording }
                recorder.stop()
                let format = try DecodedFile(recorder.url).format
                #expect(format.encoding == .pcm24)
                #expect(format.channels == 1)
                #expect(format.sampleRate == 8_000)
                #expect(format.frames == 800)
            }
        }
    }

    @Test("S130: every container takes every depth and order that it is said to take")
    func containers() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            func check(_ name: String, _ settings: [String: Any], _ encoding: AudioEncoding, channels: Int = 2)
                async throws
            {
                let all = settings.merging([AVSampleRateKey: 16_000, AVNumberOfChannelsKey: channels]) { $1 }
                let recorder = try AVAudioRecorder(url: server.file(name), settings: all, session: session)
                #expect(recorder.record(forDuration: 0.05), "\(name) \(all)")
                try await waitUntil("the end") { !recorder.isRecording }
                recorder.stop()
                let file = try DecodedFile(recorder.url)
                #expect(file.frames == 800, "\(name) \(all)")
                #expect(file.format.encoding == encoding, "\(name) \(all)")
                #expect(file.format.channels == channels, "\(name) \(all)")
            }
            let depths: [(Int, AudioEncoding)] = [(8, .pcmS8), (16, .pcm16), (24, .pcm24), (32, .pcm32)]
            for name in ["a.wav", "a.aif", "a.aifc", "a.caf"] {
                for (bits, encoding) in depths {
                    let isUnsigned = bits == 8 && name == "a.wav"
                    for isBig in [false, true] {
                        let settings = [AVLinearPCMBitDepthKey: bits, AVLinearPCMIsBigEndianKey: isBig ? 1 : 0]
                        try await check(name, settings, isUnsigned ? .pcmU8 : encoding)
                    }
                }
                if name != "a.aif" { try await check(name, [AVLinearPCMIsFloatKey: true], .float32) }
            }
            for (bits, encoding) in depths[1...2] {
                try await check("a.flac", [AVEncoderBitDepthHintKey: bits], encoding)
            }
            for channels in [1, 3, 6, 7, 8] { try await check("b.wav", [:], .pcm16, channels: channels) }
            try await check("c.wav", [:], .pcm16, channels: 32)
            try await check("c.flac", [:], .pcm16, channels: 8)
            try await check("misnamed.txt", [AVAudioFileTypeKey: kAudioFileAIFFType], .pcm16)
        }
    }

    @Test("S116: /dev/null is accepted, in any format")
    func devNull() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            for format in [kAudioFormatLinearPCM, kAudioFormatFLAC] {
                let recorder = try AVAudioRecorder(
                    url: URL(fileURLWithPath: "/dev/null"), settings: [AVFormatIDKey: format], session: session)
                let events = RecorderEvents()
                recorder.delegate = events
                #expect(recorder.record(forDuration: 0.2))
                try await events.waitForFinish()
                #expect(events.finished == [true])
            }
        }
    }
}
