// The keys of settings dictionaries. Each is its own name, as on Apple's systems.

/// The encoding, an `AudioFormatID`.
///
/// Apple: `AVFormatIDKey`
public let AVFormatIDKey = "AVFormatIDKey"

/// Frames per second in Hz, a number.
///
/// Apple: `AVSampleRateKey`
public let AVSampleRateKey = "AVSampleRateKey"

/// The count of channels, an integer.
///
/// Apple: `AVNumberOfChannelsKey`
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"

/// Bits in a PCM sample: 8, 16, 24 or 32.
///
/// Apple: `AVLinearPCMBitDepthKey`
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"

/// Whether PCM samples have the most significant byte first.
///
/// Apple: `AVLinearPCMIsBigEndianKey`
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"

/// Whether PCM samples are floating point.
///
/// Apple: `AVLinearPCMIsFloatKey`
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"

/// Whether each PCM channel has its own buffer.
///
/// Apple: `AVLinearPCMIsNonInterleaved`
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"

/// The kind of file, an `AudioFileTypeID`.
///
/// Apple: `AVAudioFileTypeKey`
public let AVAudioFileTypeKey = "AVAudioFileTypeKey"

/// An `AVAudioQuality` raw value.
///
/// Apple: `AVEncoderAudioQualityKey`
public let AVEncoderAudioQualityKey = "AVEncoderAudioQualityKey"

/// An `AVAudioQuality` raw value for variable bit rates.
///
/// Apple: `AVEncoderAudioQualityForVBRKey`
public let AVEncoderAudioQualityForVBRKey = "AVEncoderAudioQualityForVBRKey"

/// Bits per second of all channels; excludes the next one.
///
/// Apple: `AVEncoderBitRateKey`
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"

/// Bits per second of one channel; excludes the one before.
///
/// Apple: `AVEncoderBitRatePerChannelKey`
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"

/// One of the `AVAudioBitRateStrategy_` strings.
///
/// Apple: `AVEncoderBitRateStrategyKey`
public let AVEncoderBitRateStrategyKey = "AVEncoderBitRateStrategyKey"

/// Bits in a sample of the source, 8 to 32.
///
/// Apple: `AVEncoderBitDepthHintKey`
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"

/// One of the `AVSampleRateConverterAlgorithm_` strings.
///
/// Apple: `AVSampleRateConverterAlgorithmKey`
public let AVSampleRateConverterAlgorithmKey = "AVSampleRateConverterAlgorithmKey"

/// An `AVAudioQuality` raw value for the converter.
///
/// Apple: `AVSampleRateConverterAudioQualityKey`
public let AVSampleRateConverterAudioQualityKey = "AVSampleRateConverterAudioQualityKey"

/// The channel layout, as data.
///
/// Apple: `AVChannelLayoutKey`
public let AVChannelLayoutKey = "AVChannelLayoutKey"

/// An `AVAudioContentSource` raw value.
///
/// Apple: `AVEncoderContentSourceKey`
public let AVEncoderContentSourceKey = "AVEncoderContentSourceKey"

/// An `AVAudioDynamicRangeControlConfiguration` raw value.
///
/// Apple: `AVEncoderDynamicRangeControlConfigurationKey`
public let AVEncoderDynamicRangeControlConfigurationKey = "AVEncoderDynamicRangeControlConfigurationKey"

/// How often the encoder writes a sync packet.
///
/// Apple: `AVEncoderASPFrequencyKey`
public let AVEncoderASPFrequencyKey = "AVEncoderASPFrequencyKey"

// MARK: Strings

/// The bit rate is constant.
///
/// Apple: `AVAudioBitRateStrategy_Constant`
public let AVAudioBitRateStrategy_Constant = "AVAudioBitRateStrategy_Constant"

/// The bit rate is met over a long time.
///
/// Apple: `AVAudioBitRateStrategy_LongTermAverage`
public let AVAudioBitRateStrategy_LongTermAverage = "AVAudioBitRateStrategy_LongTermAverage"

/// The bit rate varies within bounds.
///
/// Apple: `AVAudioBitRateStrategy_VariableConstrained`
public let AVAudioBitRateStrategy_VariableConstrained = "AVAudioBitRateStrategy_VariableConstrained"

/// The bit rate varies.
///
/// Apple: `AVAudioBitRateStrategy_Variable`
public let AVAudioBitRateStrategy_Variable = "AVAudioBitRateStrategy_Variable"

/// The usual converter.
///
/// Apple: `AVSampleRateConverterAlgorithm_Normal`
public let AVSampleRateConverterAlgorithm_Normal = "AVSampleRateConverterAlgorithm_Normal"

/// The best converter.
///
/// Apple: `AVSampleRateConverterAlgorithm_Mastering`
public let AVSampleRateConverterAlgorithm_Mastering = "AVSampleRateConverterAlgorithm_Mastering"

/// A converter with little delay.
///
/// Apple: `AVSampleRateConverterAlgorithm_MinimumPhase`
public let AVSampleRateConverterAlgorithm_MinimumPhase = "AVSampleRateConverterAlgorithm_MinimumPhase"

// MARK: What Apple has no name for

/// Vorbis (`vorb`), which Linux people put into Ogg files.
///
/// A Linux addition; Apple has no counterpart.
public let kAudioFormatVorbis: AudioFormatID = 0x766F_7262

/// Ogg (`Oggf`), for Vorbis and Opus.
///
/// A Linux addition; Apple has no counterpart.
public let kAudioFileOggType: AudioFileTypeID = 0x4F67_6766

// MARK: Numbers

/// How good an encoder or converter is to be.
///
/// Apple: `AVAudioQuality`
public enum AVAudioQuality: Int, Sendable {
    /// The least.
    case min = 0
    /// Little.
    case low = 0x20
    /// The usual.
    case medium = 0x40
    /// Much.
    case high = 0x60
    /// The most.
    case max = 0x7F
}

/// For what an encoder evens out loudness.
///
/// Apple: `AVAudioDynamicRangeControlConfiguration`
public enum AVAudioDynamicRangeControlConfiguration: Int, Sendable {
    /// Not at all.
    case none = 0
    /// Music.
    case music = 1
    /// Speech.
    case speech = 2
    /// Films.
    case movie = 3
    /// Recordings.
    case capture = 4
}

/// Where the sound that an encoder gets comes from.
///
/// Apple: `AVAudioContentSource`
public enum AVAudioContentSource: Int, Sendable {
    /// Not stated.
    case unspecified = -1
    /// Not used.
    case reserved = 0
    /// A recording.
    case appleCapture_Traditional = 1
    /// A spatial recording.
    case appleCapture_Spatial = 2
    /// An enhanced spatial recording.
    case appleCapture_Spatial_Enhanced = 3
    /// Music.
    case appleMusic_Traditional = 4
}
