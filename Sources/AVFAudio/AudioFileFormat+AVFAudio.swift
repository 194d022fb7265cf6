internal import AudioFiles
internal import Foundation

extension AudioFileFormat {
    /// Apple's number for the encoding.
    ///
    /// FLAC is known by its file: what it holds is PCM.
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
        // Not in Apple's headers of today, or not at all.
        case .mpegLayer1: 0x2E6D_7031
        case .mpegLayer2: 0x2E6D_7032
        case .vorbis: 0x766F_7262
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

    /// The file's format as a dictionary of settings.
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
        } else if bitDepth > 0 {
            values[AVEncoderBitDepthHintKey] = NSNumber(value: bitDepth)
        }
        return values
    }

    /// The file's format in Apple's form.
    var audioFormat: AVAudioFormat {
        Self.audioFormat(encoding, formatID, sampleRate: sampleRate, channels: channels, isBigEndian: isBigEndian)
    }

    static func audioFormat(
        _ encoding: AudioEncoding, _ formatID: AudioFormatID, sampleRate: Double, channels: Int, isBigEndian: Bool
    ) -> AVAudioFormat {
        let isPCM = formatID == kAudioFormatLinearPCM
        let isFloat = encoding == .float32 || encoding == .float64
        let bytes = isPCM ? UInt32(channels * encoding.bitDepth / 8) : 0
        var flags: AudioFormatFlags = 0
        if isPCM {
            flags = kAudioFormatFlagIsPacked
            if isFloat {
                flags |= kAudioFormatFlagIsFloat
            } else if encoding != .pcmU8 {
                flags |= kAudioFormatFlagIsSignedInteger
            }
            if isBigEndian { flags |= kAudioFormatFlagIsBigEndian }
        }
        return AVAudioFormat(
            AudioStreamBasicDescription(
                mSampleRate: sampleRate, mFormatID: formatID, mFormatFlags: flags, mBytesPerPacket: bytes,
                mFramesPerPacket: isPCM ? 1 : 0, mBytesPerFrame: bytes, mChannelsPerFrame: UInt32(channels),
                mBitsPerChannel: UInt32(isPCM ? encoding.bitDepth : 0), mReserved: 0), nil)
    }
}

extension RecordingFormat {
    /// The format in Apple's form.
    var audioFormat: AVAudioFormat {
        AudioFileFormat.audioFormat(
            encoding, formatID, sampleRate: sampleRate ?? 0, channels: channels ?? 0, isBigEndian: isBigEndian)
    }
}
