import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AVFAudio

/// One row of the table of what can be recorded.
struct FormatRow: Sendable, CustomTestStringConvertible {
    let name: String
    let format: AudioFormatID
    var bits = 16
    var isFloat = false
    var isBigEndian: Bool?
    /// As ffprobe calls it.
    let codec: String

    var testDescription: String { "\(codec) \(bits) in \(name)" }

    func settings(rate: Int, channels: Int) -> [String: Any] {
        var settings: [String: Any] = [
            AVFormatIDKey: format, AVSampleRateKey: rate, AVNumberOfChannelsKey: channels,
            AVLinearPCMBitDepthKey: bits, AVLinearPCMIsFloatKey: isFloat, AVEncoderBitDepthHintKey: bits,
        ]
        settings[AVLinearPCMIsBigEndianKey] = isBigEndian
        return settings
    }

    private static func pcm(_ name: String, _ bits: Int, big: Bool?, stored: String) -> FormatRow {
        FormatRow(
            name: name, format: kAudioFormatLinearPCM, bits: bits, isBigEndian: big,
            codec: bits == 8 ? (stored == "u" ? "pcm_u8" : "pcm_s8") : "pcm_s\(bits)\(big == true ? "be" : "le")")
    }

    private static func float(_ name: String, big: Bool?) -> FormatRow {
        FormatRow(
            name: name, format: kAudioFormatLinearPCM, bits: 32, isFloat: true, isBigEndian: big,
            codec: big == true ? "pcm_f32be" : "pcm_f32le")
    }

    /// Linear PCM in every container, of every depth and in every order that it has.
    static let linear: [FormatRow] = {
        var rows = [pcm("a.aifc", 16, big: false, stored: "s"), float("a.aifc", big: true), float("a.au", big: true)]
        for bits in [8, 16, 24, 32] {
            for name in ["a.wav", "a.rf64", "a.w64"] { rows.append(pcm(name, bits, big: nil, stored: "u")) }
            for name in ["a.aiff", "a.aifc", "a.au"] { rows.append(pcm(name, bits, big: true, stored: "s")) }
            for big in [false, true] { rows.append(pcm("a.caf", bits, big: big, stored: "s")) }
        }
        for name in ["a.wav", "a.rf64", "a.w64"] { rows.append(float(name, big: nil)) }
        for big in [false, true] { rows.append(float("a.caf", big: big)) }
        return rows
    }()

    static let coded: [FormatRow] = [
        .init(name: "a.flac", format: kAudioFormatFLAC, codec: "flac"),
        .init(name: "a.flac", format: kAudioFormatFLAC, bits: 24, codec: "flac"),
        .init(name: "a.caf", format: kAudioFormatAppleLossless, codec: "alac"),
        .init(name: "a.caf", format: kAudioFormatAppleLossless, bits: 24, codec: "alac"),
        .init(name: "a.m4a", format: kAudioFormatAppleLossless, codec: "alac"),
        .init(name: "a.m4a", format: kAudioFormatAppleLossless, bits: 24, codec: "alac"),
    ]

    static let lossless = linear + coded

    static let lossy: [FormatRow] = {
        var rows: [FormatRow] = []
        for name in ["a.wav", "a.rf64", "a.w64", "a.aifc", "a.caf", "a.au"] {
            rows.append(.init(name: name, format: kAudioFormatULaw, codec: "pcm_mulaw"))
            rows.append(.init(name: name, format: kAudioFormatALaw, codec: "pcm_alaw"))
        }
        for name in ["a.caf", "a.aifc"] {
            rows.append(.init(name: name, format: kAudioFormatAppleIMA4, codec: "adpcm_ima_qt"))
        }
        for name in ["a.m4a", "a.mp4", "a.caf", "a.aac"] {
            rows.append(.init(name: name, format: kAudioFormatMPEG4AAC, codec: "aac"))
        }
        rows.append(.init(name: "a.ogg", format: kAudioFormatVorbis, codec: "vorbis"))
        for name in ["a.ogg", "a.opus"] {
            rows.append(.init(name: name, format: kAudioFormatOpus, codec: "opus"))
        }
        return rows
    }()

    /// Whether soxi knows such files; Debian's knows no Opus.
    var isKnownToSoX: Bool {
        let known = [kAudioFormatLinearPCM, kAudioFormatULaw, kAudioFormatALaw, kAudioFormatFLAC, kAudioFormatVorbis]
        return known.contains(format) && !name.hasSuffix("rf64")
            && (format == kAudioFormatLinearPCM || !name.hasSuffix("aifc"))
    }

    /// Whether the row has these.
    func holds(rate: Int, channels: Int) -> Bool {
        switch format {
        case kAudioFormatOpus: [8000, 16000, 24000, 48000].contains(rate)
        case kAudioFormatMPEG4AAC: rate <= 96000
        case kAudioFormatAppleIMA4: channels <= 2
        default: true
        }
    }
}

/// Each format straight through a recorder's writer; `RecorderFormatServerTests` has the server in front.
@Suite("Every format, exactly", .limited)
struct RecorderFormatMatrixTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("formats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func format(_ row: FormatRow, rate: Int, channels: Int) throws -> (RecordingFormat, URL) {
        let url = folder.appendingPathComponent(row.name)
        let format = try RecordingFormat(settings: row.settings(rate: rate, channels: channels), url: url)
        #expect(!format.isOpen)
        return (format, url)
    }

    /// What others say of the file must be what the settings said.
    private func compare(_ row: FormatRow, _ url: URL, rate: Int, channels: Int, frames: Int) throws {
        let place = "\(row) \(rate) Hz, \(channels) channels"
        if let said = try OtherPrograms.ffprobe(url.path) {
            #expect(said["codec_name"] == row.codec, "\(place): \(said)")
            // Opus is decoded at 48 kHz, whatever went in.
            #expect(said["sample_rate"] == "\(row.format == kAudioFormatOpus ? 48000 : rate)", "\(place): \(said)")
            #expect(said["channels"] == "\(channels)", "\(place): \(said)")
            if row.format == kAudioFormatLinearPCM { #expect(said["bits_per_sample"] == "\(row.bits)", "\(place)") }
            if FormatRow.coded.contains(where: { $0.format == row.format }) {
                #expect(said["bits_per_raw_sample"] == "\(row.bits)", "\(place): \(said)")
            }
        }
        if row.isKnownToSoX, let said = try OtherPrograms.soxi(url.path) {
            #expect(said.rate == (row.format == kAudioFormatOpus ? 48000 : rate), "\(place): \(said)")
            #expect(said.channels == channels, "\(place): \(said)")
            let ratio = row.format == kAudioFormatOpus ? 48000 / rate : 1
            #expect(said.frames == frames * ratio, "\(place): \(said)")
            if row.format == kAudioFormatLinearPCM || row.format == kAudioFormatFLAC {
                #expect(said.bits == row.bits, "\(place): \(said)")
            }
        }
    }

    @Test("Issue 6: a signal comes back sample for sample", arguments: FormatRow.lossless)
    func lossless(row: FormatRow) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for rate in [8000, 44_100, 192_000] {
            for channels in [1, 2, 6] {
                let (format, url) = try format(row, rate: rate, channels: channels)
                let frames = 5001
                var expected: [Float] = []
                let writer = try format.makeWriter(path: url.path)
                let words = TestSignal.noise(
                    seconds: Double(frames) / Double(rate), sampleRate: rate, channels: channels
                ).samples
                if format.isFloat {
                    expected = words.map { Float($0) / 29_999 }
                    try writer.write(float: expected, frames: frames)
                } else if format.bytesPerCapturedFrame == 2 * channels {
                    try writer.write(int16: words, frames: frames)
                    // Of eight bits, the upper ones.
                    expected = words.map { row.bits == 8 ? Float($0 >> 8) * 0x1p-7 : Float($0) * 0x1p-15 }
                } else {
                    // A second number in the lower half, so that all bits count.
                    let wide = zip(words, words.reversed()).map { Int32($0) << 16 | Int32(UInt16(bitPattern: $1)) }
                    try writer.write(int32: wide, frames: frames)
                    let unused = Int32(32 - row.bits)
                    expected = wide.map { Float($0 >> unused) * (row.bits == 24 ? 0x1p-23 : 0x1p-31) }
                }
                try writer.close()
                let file = try DecodedFile(url)
                // Two long arrays take minutes to print.
                let isEqual = file.samples == expected
                #expect(isEqual, "\(row) \(rate) Hz, \(channels) channels")
                #expect(file.format.isBigEndian == format.isBigEndian || row.bits == 8)
                try compare(row, url, rate: rate, channels: channels, frames: frames)
            }
        }
    }

    /// A sweep, so that no two places sound alike.
    private func sweep(rate: Int, channels: Int) -> [Float] {
        (0..<2 * rate).flatMap { frame in
            let time = Double(frame) / Double(rate)
            let sample = Float(0.4 * sin(2 * .pi * (200 * time + 300 * time * time)))
            return [Float](repeating: sample, count: channels)
        }
    }

    /// The noise that each format may add, in dB below the signal.
    private func tolerance(_ row: FormatRow) -> Double {
        switch row.format {
        case kAudioFormatULaw, kAudioFormatALaw: -34
        case kAudioFormatAppleIMA4: -22
        case kAudioFormatOpus: -12
        default: -18
        }
    }

    @Test("Issue 6: a lossy format keeps time to 1 ms, and level within its own noise", arguments: FormatRow.lossy)
    func lossy(row: FormatRow) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for rate in [8000, 16_000, 44_100, 48_000] {
            for channels in [1, 2] where row.holds(rate: rate, channels: channels) {
                let (format, url) = try format(row, rate: rate, channels: channels)
                let sound = sweep(rate: rate, channels: channels)
                let writer = try format.makeWriter(path: url.path)
                if format.bytesPerCapturedFrame == 4 * channels {
                    try writer.write(float: sound, frames: 2 * rate)
                } else {
                    try writer.write(int16: sound.map { Int16(($0 * 32_768).rounded()) }, frames: 2 * rate)
                }
                try writer.close()
                let file = try DecodedFile(url)
                let place = "\(row) \(rate) Hz, \(channels) channels"
                // Opus is read at 48 kHz.
                let ratio = Int(file.format.sampleRate) / rate
                let left = stride(from: 0, to: file.samples.count, by: channels * ratio).map { file.samples[$0] }
                let expected = stride(from: 0, to: sound.count, by: channels).map { sound[$0] }
                // Neither ADTS nor AIFC can say that the last packet is not full.
                let isExact = row.name != "a.aac" && !(row.name == "a.aifc" && row.format == kAudioFormatAppleIMA4)
                if isExact { #expect(left.count == 2 * rate, "\(place)") }
                #expect(left.count >= 2 * rate && left.count < 2 * rate + 2048, "\(place)")
                let lag = Alignment.lag(of: left, behind: expected, most: rate / 200)
                #expect(abs(lag) * 1000 <= rate, "\(place): \(lag) frames late")
                // The middle: the first block of ADTS fades in.
                var (noise, power) = (0.0, 0.0)
                for index in rate / 4..<2 * rate - rate / 4 {
                    noise += pow(Double(left[index + lag] - expected[index]), 2)
                    power += pow(Double(expected[index]), 2)
                }
                let level = 10 * log10(noise / power)
                #expect(level < tolerance(row), "\(place): noise at \(level) dB")
                try compare(row, url, rate: rate, channels: channels, frames: 2 * rate)
            }
        }
    }
}
