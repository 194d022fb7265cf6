extension AudioStreamBasicDescription {
    /// A description of packed PCM with signed integers or floating point.
    ///
    /// - Parameters:
    ///   - rate: The sample rate in Hz.
    ///   - channels: The number of channels.
    ///   - bits: The number of bits in a sample.
    ///   - isFloat: Whether samples are floating point.
    ///   - isInterleaved: Whether all channels share one buffer.
    ///   - isBigEndian: Whether the most significant byte comes first; this machine's order by default.
    static func pcm(
        rate: Double, channels: UInt32, bits: UInt32, isFloat: Bool, isInterleaved: Bool,
        isBigEndian: Bool = kAudioFormatFlagsNativeEndian != 0
    ) -> AudioStreamBasicDescription {
        var flags = kAudioFormatFlagIsPacked | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
        if isBigEndian { flags |= kAudioFormatFlagIsBigEndian }
        if !isInterleaved { flags |= kAudioFormatFlagIsNonInterleaved }
        // Wrapping, because an absurd number of channels is refused later and must not trap here.
        let bytes = (bits / 8) &* (isInterleaved ? channels : 1)
        return AudioStreamBasicDescription(
            mSampleRate: rate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags, mBytesPerPacket: bytes,
            mFramesPerPacket: 1, mBytesPerFrame: bytes, mChannelsPerFrame: channels, mBitsPerChannel: bits,
            mReserved: 0)
    }

    /// The description of a compressed encoding, as far as it is fixed.
    static func compressed(_ format: AudioFormatID, rate: Double, channels: UInt32) -> AudioStreamBasicDescription {
        var description = AudioStreamBasicDescription()
        description.mSampleRate = rate
        description.mFormatID = format
        description.mChannelsPerFrame = channels
        switch format {
        case kAudioFormatULaw, kAudioFormatALaw:
            description.mBitsPerChannel = 8
            description.mFramesPerPacket = 1
            description.mBytesPerFrame = channels
            description.mBytesPerPacket = channels
        case kAudioFormatAppleIMA4:
            description.mFramesPerPacket = 64
            description.mBytesPerPacket = 34 &* channels
        case kAudioFormatMPEG4AAC: description.mFramesPerPacket = 1024
        case kAudioFormatMPEG4AAC_HE, kAudioFormatMPEG4AAC_HE_V2: description.mFramesPerPacket = 2048
        case kAudioFormatMPEG4AAC_LD, kAudioFormatMPEG4AAC_ELD: description.mFramesPerPacket = 512
        case kAudioFormatAppleLossless: description.mFramesPerPacket = 4096
        case kAudioFormatMPEGLayer1: description.mFramesPerPacket = 384
        case kAudioFormatMPEGLayer2, kAudioFormatMPEGLayer3: description.mFramesPerPacket = 1152
        default: break
        }
        return description
    }

    /// The error of an unusable settings dictionary.
    enum SettingsError: Error {
        /// A key is missing or its value is out of range.
        case invalid(key: String)
    }

    /// The description of a settings dictionary; throws if a value is missing, out of range or of the wrong type.
    init(settings: [String: Any]) throws {
        let reader = SettingsReader(settings)
        guard let format = try reader.integer(AVFormatIDKey).flatMap(UInt32.init(exactly:)) else {
            throw SettingsError.invalid(key: AVFormatIDKey)
        }
        guard let rate = try reader.number(AVSampleRateKey), rate.isFinite, rate > 0 else {
            throw SettingsError.invalid(key: AVSampleRateKey)
        }
        guard let channels = try reader.integer(AVNumberOfChannelsKey).flatMap(UInt32.init(exactly:)) else {
            throw SettingsError.invalid(key: AVNumberOfChannelsKey)
        }
        guard format == kAudioFormatLinearPCM else {
            self = .compressed(format, rate: rate, channels: channels)
            if format == kAudioFormatAppleLossless {
                losslessBitDepth = try reader.integer(AVEncoderBitDepthHintKey)
            }
            return
        }
        let isFloat = try reader.bool(AVLinearPCMIsFloatKey) ?? false
        let bits = try reader.integer(AVLinearPCMBitDepthKey) ?? (isFloat ? 32 : 16)
        guard (isFloat ? [32, 64] : [8, 16, 24, 32]).contains(bits) else {
            throw SettingsError.invalid(key: AVLinearPCMBitDepthKey)
        }
        self = .pcm(
            rate: rate, channels: channels, bits: UInt32(bits), isFloat: isFloat,
            isInterleaved: !(try reader.bool(AVLinearPCMIsNonInterleaved) ?? false),
            isBigEndian: try reader.bool(AVLinearPCMIsBigEndianKey) ?? false)
        if try bits == 8 && reader.bool(Self.isUnsignedKey) == true { mFormatFlags &= ~kAudioFormatFlagIsSignedInteger }
    }

    /// The key of unsigned integers, as in 8-bit WAV files.
    ///
    /// Apple has no such key; without one, the settings of such a format would describe another.
    static let isUnsignedKey = "AVLinearPCMIsUnsigned"

    /// Whether samples are unsigned integers.
    var isUnsignedPCM: Bool {
        mFormatID == kAudioFormatLinearPCM
            && mFormatFlags & (kAudioFormatFlagIsFloat | kAudioFormatFlagIsSignedInteger) == 0
    }

    /// Whether the channels are defined: one or two, or as many as the layout has.
    func hasChannels(fitting layout: AVAudioChannelLayout?) -> Bool {
        guard let layout else { return mChannelsPerFrame == 1 || mChannelsPerFrame == 2 }
        return mChannelsPerFrame == layout.channelCount
    }

    /// The number of bits in a sample of the source of Apple Lossless; nil if it is not known.
    var losslessBitDepth: Int? {
        get {
            guard mFormatID == kAudioFormatAppleLossless, (1...4).contains(mFormatFlags) else { return nil }
            return [16, 20, 24, 32][Int(mFormatFlags) - 1]
        }
        set {
            let index = [16, 20, 24, 32].firstIndex { $0 == newValue }
            mFormatFlags = index.map { UInt32($0) + 1 } ?? 0
        }
    }
}

/// The four characters of a big-endian number, with `?` for unprintable ones.
func fourCharacters(_ code: UInt32) -> String {
    String(
        [24, 16, 8, 0].map { shift in
            let byte = UInt8(truncatingIfNeeded: code >> shift)
            return (0x20...0x7E).contains(byte) ? Character(UnicodeScalar(byte)) : "?"
        })
}
