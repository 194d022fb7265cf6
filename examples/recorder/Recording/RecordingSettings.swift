import AVFAudio
import ArgumentParser
import Foundation

/// The file's format, as options and as the settings dictionary of `AVAudioRecorder`.
struct RecordingSettings: ParsableArguments {
    @Option(help: ArgumentHelp("Format of the sound (default: what the container is for).", valueName: "id"))
    var format: FormatWord?

    @Option(name: .customLong("sample-rate"), help: ArgumentHelp("Sample rate in Hz.", valueName: "hz"))
    var sampleRate: Double?

    @Option(help: "Number of channels.")
    var channels: Int?

    @Option(
        name: .customLong("bit-depth"), help: ArgumentHelp("Bits a sample: 8, 16, 24 or 32.", valueName: "bits"))
    var bitDepth: Int?

    @Option(name: .customLong("bit-rate"), help: ArgumentHelp("Bits a second, for lossy formats.", valueName: "bps"))
    var bitRate: Int?

    func validate() throws {
        if let sampleRate, !(8_000...192_000).contains(sampleRate) {
            throw ValidationError("--sample-rate must be between 8000 and 192000.")
        }
        // More, no sound server carries.
        if let channels, !(1...32).contains(channels) { throw ValidationError("--channels must be between 1 and 32.") }
        if let bitDepth, ![8, 16, 24, 32].contains(bitDepth) {
            throw ValidationError("--bit-depth must be 8, 16, 24 or 32.")
        }
        if let bitRate, bitRate <= 0 { throw ValidationError("--bit-rate must be more than 0.") }
    }

    /// Refuses a file whose extension names no container, or one that cannot hold the format.
    func checkContainer(of path: String) throws {
        let name = URL(fileURLWithPath: path).pathExtension.lowercased()
        guard let formats = containers[name] else {
            let known = containers.keys.sorted().joined(separator: ", ")
            throw ValidationError("the extension of \(path) names no container that can be written (\(known)).")
        }
        if let format, !formats.contains(format) {
            throw ValidationError("a .\(name) file cannot hold \(format.rawValue).")
        }
    }

    /// The settings dictionary of `AVAudioRecorder(url:settings:)`; options that were not given are left out.
    func dictionary(for path: String) -> [String: Any] {
        let name = URL(fileURLWithPath: path).pathExtension.lowercased()
        let format = format ?? containers[name]?.first ?? .lpcm
        var settings: [String: Any] = [AVFormatIDKey: format.id]
        settings[AVSampleRateKey] = sampleRate
        settings[AVNumberOfChannelsKey] = channels
        settings[AVEncoderBitRateKey] = bitRate
        settings[format == .lpcm ? AVLinearPCMBitDepthKey : AVEncoderBitDepthHintKey] = bitDepth
        return settings
    }
}

/// A format by its four-character code or its Apple name.
enum FormatWord: String, ExpressibleByArgument, CaseIterable {
    case lpcm, ulaw, alaw, ima4, alac, aac, flac, opus, vorb

    init?(argument: String) {
        switch argument.lowercased() {
        case "lpcm", "linearpcm", "kaudioformatlinearpcm": self = .lpcm
        case "ulaw", "kaudioformatulaw": self = .ulaw
        case "alaw", "kaudioformatalaw": self = .alaw
        case "ima4", "appleima4", "kaudioformatappleima4": self = .ima4
        case "alac", "applelossless", "kaudioformatapplelossless": self = .alac
        case "aac", "mpeg4aac", "kaudioformatmpeg4aac": self = .aac
        case "flac", "kaudioformatflac": self = .flac
        case "opus", "kaudioformatopus": self = .opus
        case "vorb", "vorbis", "kaudioformatvorbis": self = .vorb
        default: return nil
        }
    }

    /// The value of Apple's format ID.
    var id: AudioFormatID {
        switch self {
        case .lpcm: kAudioFormatLinearPCM
        case .ulaw: kAudioFormatULaw
        case .alaw: kAudioFormatALaw
        case .ima4: kAudioFormatAppleIMA4
        case .alac: kAudioFormatAppleLossless
        case .aac: kAudioFormatMPEG4AAC
        case .flac: kAudioFormatFLAC
        case .opus: kAudioFormatOpus
        case .vorb: kAudioFormatVorbis
        }
    }
}

/// The formats of each container, its usual one first.
private let containers: [String: [FormatWord]] = [
    "wav": [.lpcm, .ulaw, .alaw], "rf64": [.lpcm, .ulaw, .alaw], "w64": [.lpcm, .ulaw, .alaw], "aif": [.lpcm],
    "aiff": [.lpcm], "aifc": [.lpcm, .ulaw, .alaw, .ima4], "caf": [.lpcm, .ulaw, .alaw, .ima4, .alac, .aac],
    "au": [.lpcm, .ulaw, .alaw], "m4a": [.aac, .alac], "mp4": [.aac, .alac], "aac": [.aac], "flac": [.flac],
    "ogg": [.vorb, .opus], "opus": [.opus],
]
