extension AVAudioFormat {
    /// The sample rate: frames per second, in Hz.
    ///
    /// Apple: `AVAudioFormat.sampleRate`
    public var sampleRate: Double { basicDescription.mSampleRate }

    /// The number of channels.
    ///
    /// Apple: `AVAudioFormat.channelCount`
    public var channelCount: AVAudioChannelCount { basicDescription.mChannelsPerFrame }

    /// Whether all channels share one buffer; meaningless for compressed encodings.
    ///
    /// Apple: `AVAudioFormat.isInterleaved`
    public var isInterleaved: Bool { basicDescription.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0 }

    /// Whether the format is deinterleaved 32-bit floating point.
    ///
    /// Apple: `AVAudioFormat.isStandard`
    public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The common PCM format that this format is, or `otherFormat`.
    ///
    /// Apple: `AVAudioFormat.commonFormat`
    public var commonFormat: AVAudioCommonFormat {
        let description = basicDescription
        let candidates: [AVAudioCommonFormat] = [
            .pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32,
        ]
        return candidates.first {
            guard let bits = $0.bitDepth else { return false }
            return description
                == .pcm(
                    rate: sampleRate, channels: channelCount, bits: bits, isFloat: $0.isFloat,
                    isInterleaved: isInterleaved)
        } ?? .otherFormat
    }

    /// The format as a settings dictionary, from which `init(settings:)` makes an equal one; its numbers are
    /// `NSNumber`.
    ///
    /// Apple: `AVAudioFormat.settings`
    public var settings: [String: Any] {
        let description = basicDescription
        var settings: [String: Any] = [
            AVFormatIDKey: NSNumber(value: description.mFormatID),
            AVSampleRateKey: NSNumber(value: description.mSampleRate),
            AVNumberOfChannelsKey: NSNumber(value: Int(description.mChannelsPerFrame)),
        ]
        if description.mFormatID == kAudioFormatLinearPCM {
            settings[AVLinearPCMBitDepthKey] = NSNumber(value: Int(description.mBitsPerChannel))
            for (key, flag) in [
                (AVLinearPCMIsFloatKey, kAudioFormatFlagIsFloat),
                (AVLinearPCMIsBigEndianKey, kAudioFormatFlagIsBigEndian),
                (AVLinearPCMIsNonInterleaved, kAudioFormatFlagIsNonInterleaved),
            ] {
                settings[key] = NSNumber(value: description.mFormatFlags & flag != 0)
            }
            if description.isUnsignedPCM {
                settings[AudioStreamBasicDescription.isUnsignedKey] = NSNumber(value: true)
            }
        } else if let bits = description.losslessBitDepth {
            settings[AVEncoderBitDepthHintKey] = NSNumber(value: bits)
        }
        if let channelLayout { settings[AVChannelLayoutKey] = channelLayout.data }
        return settings
    }

    /// The channels, the rate and the encoding, for logs.
    var summary: String {
        let description = basicDescription
        let encoding: String
        switch commonFormat {
        case .pcmFormatFloat32: encoding = "Float32"
        case .pcmFormatFloat64: encoding = "Float64"
        case .pcmFormatInt16: encoding = "Int16"
        case .pcmFormatInt32: encoding = "Int32"
        case .otherFormat: encoding = "'\(fourCharacters(description.mFormatID))', \(description.mBitsPerChannel) bit"
        }
        let order = isInterleaved ? "interleaved" : "deinterleaved"
        let rate = Int(exactly: sampleRate).map(String.init) ?? "\(sampleRate)"
        return "<AVAudioFormat: \(channelCount) ch, \(rate) Hz, \(encoding), \(order)>"
    }
}

/// The common PCM formats.
///
/// Apple: `AVAudioCommonFormat`
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Another format.
    case otherFormat = 0
    /// 32-bit floating point in the byte order of this machine.
    case pcmFormatFloat32 = 1
    /// 64-bit floating point in the byte order of this machine.
    case pcmFormatFloat64 = 2
    /// Signed 16-bit integers in the byte order of this machine.
    case pcmFormatInt16 = 3
    /// Signed 32-bit integers in the byte order of this machine.
    case pcmFormatInt32 = 4

    /// The number of bits in a sample; nil for other formats.
    var bitDepth: UInt32? {
        switch self {
        case .otherFormat: nil
        case .pcmFormatInt16: 16
        case .pcmFormatFloat32, .pcmFormatInt32: 32
        case .pcmFormatFloat64: 64
        }
    }

    /// Whether samples are floating point.
    var isFloat: Bool { self == .pcmFormatFloat32 || self == .pcmFormatFloat64 }
}
