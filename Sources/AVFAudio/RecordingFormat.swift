internal import AudioFiles
internal import Foundation
internal import SoundHost

/// What a recorder's settings ask for, checked, with what they leave open filled in by ``completed(rate:channels:)``.
struct RecordingFormat {
    var container: AudioContainer
    var formatID: AudioFormatID
    /// In Hz; nil for the input's own.
    var sampleRate: Double?
    /// nil for the input's own.
    var channels: Int?
    var bitDepth: Int
    var isFloat: Bool
    var isBigEndian: Bool

    /// Reads a dictionary of settings for a file of the given name.
    ///
    /// Throws 'fmt?' (`kAudioFileUnsupportedDataFormatError`) for what cannot be recorded, 'typ?' for an unknown type of
    /// file.
    init(settings: [String: Any], url: URL) throws {
        let values: Values
        do throws(SettingsReader.WrongType) { values = try Values(settings) } catch {
            throw NSError.unsupportedFormat("The value of \(error.key) is not a number.")
        }
        let wanted = values.formatID.map { AudioFormatID(truncatingIfNeeded: $0) }
        container = try Self.container(type: values.fileType, url: url, formatID: wanted)
        formatID = wanted ?? (container == .flac ? kAudioFormatFLAC : kAudioFormatLinearPCM)
        isFloat = values.isFloat
        let depth = formatID == kAudioFormatLinearPCM ? values.depth : values.depthHint
        bitDepth = depth ?? (isFloat ? 32 : 16)
        // A container that has but one byte order decides; `settings` says afterwards what it became.
        isBigEndian = container == .caf ? values.isBigEndian : container == .aiff || container == .aifc
        sampleRate = values.sampleRate
        channels = values.channels
        try check()
    }

    /// The settings that count, as numbers.
    private struct Values {
        let fileType, formatID, depth, depthHint, channels: Int?
        let sampleRate: Double?
        let isFloat, isBigEndian: Bool

        init(_ settings: [String: Any]) throws(SettingsReader.WrongType) {
            let reader = SettingsReader(settings)
            fileType = try reader.integer(AVAudioFileTypeKey)
            formatID = try reader.integer(AVFormatIDKey)
            depth = try reader.integer(AVLinearPCMBitDepthKey)
            depthHint = try reader.integer(AVEncoderBitDepthHintKey)
            channels = try reader.integer(AVNumberOfChannelsKey)
            sampleRate = try reader.number(AVSampleRateKey)
            isFloat = try reader.bool(AVLinearPCMIsFloatKey) ?? false
            isBigEndian = try reader.bool(AVLinearPCMIsBigEndianKey) ?? false
        }
    }

    private static let rates = 8000.0...192_000

    private static func container(type: Int?, url: URL, formatID: AudioFormatID?) throws -> AudioContainer {
        if let type {
            switch AudioFileTypeID(truncatingIfNeeded: type) {
            case kAudioFileWAVEType: return .wav
            case kAudioFileAIFFType: return .aiff
            case kAudioFileAIFCType: return .aifc
            case kAudioFileCAFType: return .caf
            case kAudioFileFLACType: return .flac
            default: throw NSError.unsupportedType("Recording into files of that type is not supported.", url)
            }
        }
        switch url.pathExtension.lowercased() {
        case "wav", "wave": return .wav
        case "aif", "aiff": return .aiff
        case "aifc": return .aifc
        case "caf": return .caf
        case "flac": return .flac
        // A name such as /dev/null leaves it to the format.
        case "": return formatID == kAudioFormatFLAC ? .flac : .caf
        case let other: throw NSError.unsupportedType("Recording into .\(other) files is not supported.", url)
        }
    }

    private func check() throws {
        if let sampleRate, !Self.rates.contains(sampleRate) || sampleRate != sampleRate.rounded() {
            throw NSError.unsupportedFormat("The sample rate must be a whole number from 8000 to 192000 Hz.")
        }
        if let channels, !(1...64).contains(channels) {
            throw NSError.unsupportedFormat("The number of channels must lie between 1 and 64.")
        }
        switch (formatID, container) {
        case (kAudioFormatLinearPCM, .wav), (kAudioFormatLinearPCM, .aiff), (kAudioFormatLinearPCM, .aifc),
            (kAudioFormatLinearPCM, .caf):
            let depths: Set<Int> = isFloat ? [32] : [8, 16, 24, 32]
            guard depths.contains(bitDepth) else {
                throw NSError.unsupportedFormat("Linear PCM of \(bitDepth) bits cannot be recorded.")
            }
            if isFloat && container == .aiff {
                throw NSError.unsupportedFormat("AIFF holds integers only; floating point goes into AIFC, CAF or WAV.")
            }
        case (kAudioFormatFLAC, .flac):
            guard [16, 24].contains(bitDepth) else {
                throw NSError.unsupportedFormat("FLAC is recorded with 16 or 24 bits.")
            }
            if let channels, channels > 8 { throw NSError.unsupportedFormat("FLAC has no more than 8 channels.") }
        default: throw NSError.unsupportedFormat("That format cannot be recorded into a file of that type.")
        }
    }

    /// The format with the input's own rate and channels where the settings left them open.
    func completed(rate: Int, channels: Int) -> RecordingFormat {
        var format = self
        format.sampleRate = sampleRate ?? min(max(Double(rate), Self.rates.lowerBound), Self.rates.upperBound)
        format.channels = self.channels ?? min(max(channels, 1), container == .flac ? 8 : 32)
        return format
    }

    // MARK: What it becomes

    var encoding: AudioEncoding {
        if isFloat { return .float32 }
        switch bitDepth {
        case 8: return container == .wav ? .pcmU8 : .pcmS8
        case 24: return .pcm24
        case 32: return .pcm32
        default: return .pcm16
        }
    }

    /// The form in which the server delivers it: the file's own depth, so that nothing is converted twice.
    var captureFormat: CaptureRequest.Format {
        if isFloat { return .float32 }
        return bitDepth > 16 ? .int32 : .int16
    }

    /// The byte order to ask the file's writer for; nil where the container has but one.
    var chosenByteOrder: Bool? { container == .caf ? isBigEndian : nil }

    var bytesPerCapturedFrame: Int { (captureFormat == .int16 ? 2 : 4) * (channels ?? 2) }

    /// As a dictionary of settings; complete once rate and channels are known.
    var settings: [String: Any] {
        var values: [String: Any] = [AVFormatIDKey: NSNumber(value: formatID)]
        if let sampleRate { values[AVSampleRateKey] = NSNumber(value: sampleRate) }
        if let channels { values[AVNumberOfChannelsKey] = NSNumber(value: channels) }
        if formatID == kAudioFormatLinearPCM {
            values[AVLinearPCMBitDepthKey] = NSNumber(value: bitDepth)
            values[AVLinearPCMIsFloatKey] = NSNumber(value: isFloat)
            values[AVLinearPCMIsBigEndianKey] = NSNumber(value: isBigEndian)
            values[AVLinearPCMIsNonInterleaved] = NSNumber(value: false)
        } else {
            values[AVEncoderBitDepthHintKey] = NSNumber(value: bitDepth)
        }
        return values
    }
}
