internal import AudioFiles
internal import Foundation

extension AudioFileFormat {
    /// Apple's identifier of the encoding.
    ///
    /// A FLAC file is identified by its container, because its contents count as PCM.
    var formatID: AudioFormatID {
        if container == .flac { return kAudioFormatFLAC }
        return switch encoding {
        case .pcmS8, .pcmU8, .pcm16, .pcm24, .pcm32, .float32, .float64: kAudioFormatLinearPCM
        case .ulaw: kAudioFormatULaw
        case .alaw: kAudioFormatALaw
        case .imaADPCM: kAudioFormatAppleIMA4
        case .alac16, .alac20, .alac24, .alac32: kAudioFormatAppleLossless
        case .mp3: kAudioFormatMPEGLayer3
        case .opus: kAudioFormatOpus
        case .vorbis: kAudioFormatVorbis
        case .mpegLayer1: kAudioFormatMPEGLayer1
        case .mpegLayer2: kAudioFormatMPEGLayer2
        // Missing in Apple's current headers, or never there.
        case .msADPCM: 0x6D73_0002
        case .gsm610: 0x6D73_0031
        case .aac: kAudioFormatMPEG4AAC
        case .ac3: kAudioFormatAC3
        case .eac3: 0x6563_2D33
        case .amrNarrowband: kAudioFormatAMR
        case .amrWideband: 0x7361_7762
        case .wma: 0x6D73_0161
        case .other: 0
        }
    }

    private var isPCM: Bool { formatID == kAudioFormatLinearPCM }
    private var isFloat: Bool { encoding == .float32 || encoding == .float64 }

    /// The file's format as a settings dictionary.
    var settings: [String: Any] {
        var values: [String: Any] = [
            AVFormatIDKey: NSNumber(value: formatID),
            AVSampleRateKey: NSNumber(value: sampleRate),
            AVNumberOfChannelsKey: NSNumber(value: channels),
        ]
        if isPCM {
            values[AVLinearPCMBitDepthKey] = NSNumber(value: bitDepth)
            values[AVLinearPCMIsFloatKey] = NSNumber(value: isFloat)
            values[AVLinearPCMIsBigEndianKey] = NSNumber(value: isBigEndian)
            values[AVLinearPCMIsNonInterleaved] = NSNumber(value: false)
            if encoding == .pcmU8 { values[AudioStreamBasicDescription.isUnsignedKey] = NSNumber(value: true) }
        } else if bitDepth > 0 {
            values[AVEncoderBitDepthHintKey] = NSNumber(value: bitDepth)
        }
        if let layout { values[AVChannelLayoutKey] = layout.data }
        return values
    }

    /// The file's format as Apple's class.
    var audioFormat: AVAudioFormat {
        Self.audioFormat(
            encoding, formatID, sampleRate: sampleRate, channels: channels, isBigEndian: isBigEndian, layout: layout)
    }

    static func audioFormat(
        _ encoding: AudioEncoding, _ formatID: AudioFormatID, sampleRate: Double, channels: Int, isBigEndian: Bool,
        layout: AVAudioChannelLayout? = nil
    ) -> AVAudioFormat {
        guard formatID == kAudioFormatLinearPCM else {
            var description = AudioStreamBasicDescription.compressed(
                formatID, rate: sampleRate, channels: UInt32(channels))
            description.losslessBitDepth = encoding.bitDepth
            return AVAudioFormat(description, layout)
        }
        let isFloat = encoding == .float32 || encoding == .float64
        var description = AudioStreamBasicDescription.pcm(
            rate: sampleRate, channels: UInt32(channels), bits: UInt32(encoding.bitDepth), isFloat: isFloat,
            isInterleaved: true, isBigEndian: isBigEndian)
        if encoding == .pcmU8 { description.mFormatFlags &= ~kAudioFormatFlagIsSignedInteger }
        return AVAudioFormat(description, layout)
    }
}

extension RecordingFormat {
    /// The format as Apple's class.
    var audioFormat: AVAudioFormat {
        AudioFileFormat.audioFormat(
            encoding, formatID, sampleRate: sampleRate ?? 0, channels: channels ?? 0, isBigEndian: isBigEndian)
    }
}
