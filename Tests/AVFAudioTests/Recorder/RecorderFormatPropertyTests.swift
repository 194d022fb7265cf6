import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

@Suite("Any settings whatever", .limited)
struct RecorderFormatPropertyTests {
    private static let names = [
        "a.wav", "a.aif", "a.aifc", "a.caf", "a.flac", "a.m4a", "a.mp4", "a.aac", "a.ogg", "a.opus", "a.w64", "a.rf64",
        "a.au", "a.mp3", "a.txt", "a", "a.WAV",
    ]
    private static let formats: [AudioFormatID] = [
        kAudioFormatLinearPCM, kAudioFormatLinearPCM, kAudioFormatULaw, kAudioFormatALaw, kAudioFormatAppleIMA4,
        kAudioFormatAppleLossless, kAudioFormatMPEG4AAC, kAudioFormatMPEG4AAC_HE, kAudioFormatFLAC, kAudioFormatOpus,
        kAudioFormatVorbis, kAudioFormatiLBC, kAudioFormatMPEGLayer3, kAudioFormatAMR, 0, .max,
    ]
    private static let types: [AudioFileTypeID] = [
        kAudioFileWAVEType, kAudioFileRF64Type, kAudioFileBW64Type, kAudioFileWave64Type, kAudioFileAIFFType,
        kAudioFileAIFCType, kAudioFileCAFType, kAudioFileM4AType, kAudioFileMPEG4Type, kAudioFileAAC_ADTSType,
        kAudioFileFLACType, kAudioFileOggType, kAudioFileMP3Type, kAudioFile3GPType, 0, .max,
    ]
    private static let keys = [
        AVFormatIDKey, AVSampleRateKey, AVNumberOfChannelsKey, AVLinearPCMBitDepthKey, AVLinearPCMIsBigEndianKey,
        AVLinearPCMIsFloatKey, AVLinearPCMIsNonInterleaved, AVAudioFileTypeKey, AVEncoderAudioQualityKey,
        AVEncoderAudioQualityForVBRKey, AVEncoderBitRateKey, AVEncoderBitRatePerChannelKey,
        AVEncoderBitRateStrategyKey, AVEncoderBitDepthHintKey, AVSampleRateConverterAlgorithmKey,
        AVSampleRateConverterAudioQualityKey, AVChannelLayoutKey, AVEncoderContentSourceKey,
        AVEncoderDynamicRangeControlConfigurationKey, AVEncoderASPFrequencyKey, "of another world",
    ]

    /// A value that makes sense under a key, or nearly does.
    private func fitting(_ key: String, _ dice: inout SeededGenerator) -> Any {
        func one<Value>(of values: [Value]) -> Any { values.randomElement(using: &dice)! }
        switch key {
        case AVFormatIDKey: return one(of: Self.formats)
        case AVAudioFileTypeKey: return one(of: Self.types)
        case AVSampleRateKey:
            return one(of: [8000, 11_025, 16_000, 44_100, 44_100.5, 48_000, 96_000, 192_000, 1, 192_001])
        case AVNumberOfChannelsKey: return one(of: [1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 32, 64, 65, 0, -1])
        case AVLinearPCMBitDepthKey, AVEncoderBitDepthHintKey: return one(of: [8, 16, 20, 24, 32, 64, 12, 0])
        case AVEncoderBitRateKey, AVEncoderBitRatePerChannelKey:
            return one(of: [8_000, 64_000, 128_000, 320_000, 1, 0, -1, 10_000_000])
        case AVEncoderBitRateStrategyKey:
            return one(of: [
                AVAudioBitRateStrategy_Constant, AVAudioBitRateStrategy_Variable, "AVAudioBitRateStrategy_No",
            ])
        case AVSampleRateConverterAlgorithmKey:
            return one(of: [AVSampleRateConverterAlgorithm_Mastering, AVSampleRateConverterAlgorithm_MinimumPhase, "?"])
        case AVChannelLayoutKey:
            return one(of: [
                AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo)!.data,
                AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A)!.data, Data(), Data(count: 32),
            ])
        default: return one(of: [AVAudioQuality.min.rawValue, AVAudioQuality.high.rawValue, 127, 128, -1, 0, 1])
        }
    }

    /// A value that makes no sense.
    private func nonsense(_ dice: inout SeededGenerator) -> Any {
        let values: [Any] = [
            "text", Double.nan, Double.infinity, -Double.infinity, Int.max, Int.min, UInt64.max, [1], ["a": 1], true,
            false, NSNull(), Data([1, 2, 3]), AVAudioQuality.high, NSNumber(value: 44_100), Float(16), UInt8(2), Date(),
        ]
        return values.randomElement(using: &dice)!
    }

    private func settings(_ dice: inout SeededGenerator) -> [String: Any] {
        var settings: [String: Any] = [:]
        // Few keys, so that many are valid.
        for _ in 0..<Int.random(in: 0...6, using: &dice) {
            let key = Self.keys.randomElement(using: &dice)!
            let isMad = Int.random(in: 0..<12, using: &dice) == 0
            settings[key] = isMad ? nonsense(&dice) : fitting(key, &dice)
        }
        return settings
    }

    @Test("Issue 6: 10 000 random dictionaries: an error of Apple's and no file, or a file that holds what was written")
    func random() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("any-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = AVAudioSession(server: "unix:/nowhere")
        var dice = SeededGenerator(seed: 6)
        var valid = 0
        for turn in 0..<10_000 {
            let settings = settings(&dice)
            let url = folder.appendingPathComponent(Self.names.randomElement(using: &dice)!)
            do {
                _ = try AVAudioRecorder(url: url, settings: settings, session: session)
            } catch let error as NSError {
                #expect(error.domain == NSOSStatusErrorDomain, "\(url.lastPathComponent) \(settings): \(error)")
                #expect(
                    [0x666D_743F, 0x7479_703F].contains(error.code), "\(url.lastPathComponent) \(settings): \(error)")
                #expect(!FileManager.default.fileExists(atPath: url.path), "\(settings)")
                continue
            }
            #expect(!FileManager.default.fileExists(atPath: url.path), "\(settings)")
            valid += 1
            // One in eight is written too: what was accepted must work, for any input.
            guard turn % 8 == 0 else { continue }
            let input = [(44_100, 2), (48_000, 1), (192_000, 16), (8_000, 2), (7_350, 0)].randomElement(using: &dice)!
            #expect(throws: Never.self, "\(url.lastPathComponent) of \(input) \(settings)") {
                try write(settings, url, rate: input.0, channels: input.1)
            }
        }
        #expect(valid > 1_500, "\(valid) were valid")
    }

    private func write(_ settings: [String: Any], _ url: URL, rate: Int, channels: Int) throws {
        let format = try RecordingFormat(settings: settings, url: url).completed(rate: rate, channels: channels)
        let count = try #require(format.channels)
        let frames = 1000
        let writer = try format.makeWriter(path: url.path)
        defer { try? FileManager.default.removeItem(at: url) }
        let samples = [Float](repeating: 0.25, count: frames * count)
        try writer.write(float: samples, frames: frames)
        try writer.flush()
        try writer.close()
        let file = try DecodedFile(url)
        #expect(file.format.channels == count, "\(url.lastPathComponent) \(settings)")
        #expect(file.frames > 0, "\(url.lastPathComponent) \(settings)")
    }

    @Test("Issue 6: encoder keys that do not concern the format are ignored, whatever they hold")
    func ignored() throws {
        let session = AVAudioSession(server: "unix:/nowhere")
        let url = URL(fileURLWithPath: "/nowhere/a.wav")
        let settings: [String: Any] = [
            AVEncoderBitRateKey: -1, AVEncoderBitRatePerChannelKey: 96_000, AVEncoderAudioQualityKey: "high",
            AVEncoderBitRateStrategyKey: 7, AVEncoderBitDepthHintKey: 99, AVEncoderContentSourceKey: "?",
            AVEncoderDynamicRangeControlConfigurationKey: Data(), AVEncoderASPFrequencyKey: -4,
        ]
        #expect(throws: Never.self) { try AVAudioRecorder(url: url, settings: settings, session: session) }
        // And those of linear PCM, by other formats.
        let other: [String: Any] = [
            AVFormatIDKey: kAudioFormatFLAC, AVLinearPCMBitDepthKey: "?", AVLinearPCMIsFloatKey: Data(),
            AVLinearPCMIsBigEndianKey: [1],
        ]
        #expect(throws: Never.self) {
            try AVAudioRecorder(url: URL(fileURLWithPath: "/nowhere/a.flac"), settings: other, session: session)
        }
    }

    @Test("Issue 6: what contradicts itself, or cannot be, is 'fmt?'")
    func contradictions() throws {
        let session = AVAudioSession(server: "unix:/nowhere")
        let stereo = AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo)!.data
        let cases: [(String, [String: Any], String)] = [
            ("a.m4a", [AVEncoderBitRateKey: 128_000, AVEncoderBitRatePerChannelKey: 96_000], "exclude"),
            ("a.m4a", [AVEncoderBitRateKey: 0], "bit rate"), ("a.ogg", [AVEncoderBitRateKey: -5], "bit rate"),
            ("a.m4a", [AVEncoderBitRateStrategyKey: "fast"], "strategy"),
            ("a.m4a", [AVEncoderAudioQualityKey: 128], "127"),
            ("a.m4a", [AVEncoderAudioQualityKey: "high"], AVEncoderAudioQualityKey),
            ("a.m4a", [AVSampleRateKey: 192_000], "96000"), ("a.opus", [AVSampleRateKey: 44_100], "48000"),
            ("a.m4a", [AVNumberOfChannelsKey: 9], "8 channels"), ("a.aac", [AVNumberOfChannelsKey: 7], "cannot be"),
            ("a.caf", [AVFormatIDKey: kAudioFormatAppleIMA4, AVNumberOfChannelsKey: 3], "2 channels"),
            ("a.caf", [AVFormatIDKey: kAudioFormatAppleLossless, AVEncoderBitDepthHintKey: 32], "32"),
            ("a.caf", [AVFormatIDKey: kAudioFormatiLBC], "iLBC"),
            ("a.mp3", [AVFormatIDKey: kAudioFormatMPEGLayer3], "MP3"),
            ("a.m4a", [AVFormatIDKey: kAudioFormatMPEG4AAC_HE], "low complexity"),
            ("a.m4a", [AVFormatIDKey: kAudioFormatLinearPCM], "lpcm"),
            ("a.wav", [AVFormatIDKey: 12], "cannot be recorded"), ("a.wav", [AVFormatIDKey: -1], "no format"),
            ("a.wav", [AVFormatIDKey: 1 << 40], "no format"),
            ("a.wav", [AVChannelLayoutKey: stereo, AVNumberOfChannelsKey: 1], "layout"),
            ("a.wav", [AVChannelLayoutKey: Data([1])], AVChannelLayoutKey),
            ("a.wav", [AVSampleRateConverterAlgorithmKey: "best"], "converter"),
            ("a.wav", [AVSampleRateConverterAudioQualityKey: -1], "127"),
        ]
        for (name, settings, word) in cases {
            let error = try #require(throws: NSError.self, "\(name) \(settings)") {
                _ = try AVAudioRecorder(
                    url: URL(fileURLWithPath: "/nowhere/\(name)"), settings: settings, session: session)
            }
            #expect(error.code == 0x666D_743F, "\(name) \(settings): \(error)")
            #expect(error.localizedDescription.contains(word), "\(error.localizedDescription)")
        }
    }

    @Test("S126: settings say what was asked of an encoder and what became of it")
    func settingsAfterwards() throws {
        let wanted: [String: Any] = [
            AVNumberOfChannelsKey: 2, AVEncoderBitRatePerChannelKey: 48_000,
            AVEncoderAudioQualityKey: AVAudioQuality.high, AVEncoderBitRateStrategyKey: AVAudioBitRateStrategy_Constant,
            AVSampleRateConverterAlgorithmKey: AVSampleRateConverterAlgorithm_Mastering,
        ]
        let url = URL(fileURLWithPath: "/nowhere/a.m4a")
        let format = try RecordingFormat(settings: wanted, url: url).completed(rate: 192_000, channels: 1)
        #expect(format.settings[AVFormatIDKey] as? UInt32 == kAudioFormatMPEG4AAC)
        #expect(format.settings[AVSampleRateKey] as? Double == 96_000)
        #expect(format.captureRate == 192_000)
        #expect(format.settings[AVEncoderBitRatePerChannelKey] as? Int == 48_000)
        #expect(format.settings[AVEncoderAudioQualityKey] as? Int == AVAudioQuality.high.rawValue)
        #expect(format.settings[AVEncoderBitRateStrategyKey] as? String == AVAudioBitRateStrategy_Constant)
        #expect(format.encoder.bitRate(channels: 2) == 96_000)
        #expect(format.audioFormat.streamDescription.pointee.mFramesPerPacket == 1024)
        // And they make the same recorder again.
        let again = try RecordingFormat(settings: format.settings, url: url)
        #expect(again.settings[AVSampleRateKey] as? Double == 96_000)
    }
}
