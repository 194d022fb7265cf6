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

    @Test("S130: every container takes every depth and order that it is said to take")
    func containers() async throws {
        try await ScriptedLab.with(.record) { lab in
            func check(_ name: String, _ settings: [String: Any], _ encoding: AudioEncoding, channels: Int = 2)
                async throws
            {
                let all = settings.merging([AVSampleRateKey: 16_000, AVNumberOfChannelsKey: channels]) { $1 }
                let recorder = try lab.recorder(name, all)
                #expect(recorder.record(forDuration: 0.05), "\(name) \(all)")
                try await lab.pass(until: "the end") { !recorder.isRecording }
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
}
