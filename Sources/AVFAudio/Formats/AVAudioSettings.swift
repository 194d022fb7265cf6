// The keys of settings dictionaries. The value of each is its name, as on Apple's systems.

/// The key of the encoding, an `AudioFormatID`.
///
/// Apple: `AVFormatIDKey`
public let AVFormatIDKey = "AVFormatIDKey"

/// The key of the sample rate in Hz, a number.
///
/// Apple: `AVSampleRateKey`
public let AVSampleRateKey = "AVSampleRateKey"

/// The key of the number of channels, an integer.
///
/// Apple: `AVNumberOfChannelsKey`
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"

/// The key of the number of bits in a PCM sample: 8, 16, 24 or 32.
///
/// Apple: `AVLinearPCMBitDepthKey`
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"

/// The key of the PCM byte order, a boolean: true if the most significant byte comes first.
///
/// Apple: `AVLinearPCMIsBigEndianKey`
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"

/// The key of the PCM sample type, a boolean: true for floating point.
///
/// Apple: `AVLinearPCMIsFloatKey`
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"

/// The key of the PCM channel order, a boolean: true if each channel has its own buffer.
///
/// Apple: `AVLinearPCMIsNonInterleaved`
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"

/// The key of the kind of file, an `AudioFileTypeID`.
///
/// Apple: `AVAudioFileTypeKey`
public let AVAudioFileTypeKey = "AVAudioFileTypeKey"

/// The key of the encoder's quality, an `AVAudioQuality` raw value.
///
/// Apple: `AVEncoderAudioQualityKey`
public let AVEncoderAudioQualityKey = "AVEncoderAudioQualityKey"

/// The key of the encoder's quality at variable bit rates, an `AVAudioQuality` raw value.
///
/// Apple: `AVEncoderAudioQualityForVBRKey`
public let AVEncoderAudioQualityForVBRKey = "AVEncoderAudioQualityForVBRKey"

/// The key of the bit rate of all channels, in bits per second; excludes ``AVEncoderBitRatePerChannelKey``.
///
/// Apple: `AVEncoderBitRateKey`
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"

/// The key of the bit rate of one channel, in bits per second; excludes ``AVEncoderBitRateKey``.
///
/// Apple: `AVEncoderBitRatePerChannelKey`
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"

/// The key of the bit rate strategy, an `AVAudioBitRateStrategy_` string.
///
/// Apple: `AVEncoderBitRateStrategyKey`
public let AVEncoderBitRateStrategyKey = "AVEncoderBitRateStrategyKey"

/// The key of the number of bits in a sample of a lossless encoder's source: 8 to 24 for recordings.
///
/// Apple: `AVEncoderBitDepthHintKey`
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"

/// The key of the sample rate converter, an `AVSampleRateConverterAlgorithm_` string.
///
/// Apple: `AVSampleRateConverterAlgorithmKey`
public let AVSampleRateConverterAlgorithmKey = "AVSampleRateConverterAlgorithmKey"

/// The key of the converter's quality, an `AVAudioQuality` raw value.
///
/// Apple: `AVSampleRateConverterAudioQualityKey`
public let AVSampleRateConverterAudioQualityKey = "AVSampleRateConverterAudioQualityKey"

/// The key of the channel layout, the bytes of an ``AudioChannelLayout`` as data.
///
/// Apple: `AVChannelLayoutKey`
public let AVChannelLayoutKey = "AVChannelLayoutKey"

/// The key of the content's source, an `AVAudioContentSource` raw value; no effect on Linux.
///
/// Apple: `AVEncoderContentSourceKey`
public let AVEncoderContentSourceKey = "AVEncoderContentSourceKey"

/// The key of dynamic range control, an `AVAudioDynamicRangeControlConfiguration` raw value; no effect on Linux.
///
/// Apple: `AVEncoderDynamicRangeControlConfigurationKey`
public let AVEncoderDynamicRangeControlConfigurationKey = "AVEncoderDynamicRangeControlConfigurationKey"

/// The key of the frequency of sync packets; no effect on Linux.
///
/// Apple: `AVEncoderASPFrequencyKey`
public let AVEncoderASPFrequencyKey = "AVEncoderASPFrequencyKey"

// MARK: Strings

/// A constant bit rate.
///
/// Apple: `AVAudioBitRateStrategy_Constant`
public let AVAudioBitRateStrategy_Constant = "AVAudioBitRateStrategy_Constant"

/// A bit rate that holds over a long time.
///
/// Apple: `AVAudioBitRateStrategy_LongTermAverage`
public let AVAudioBitRateStrategy_LongTermAverage = "AVAudioBitRateStrategy_LongTermAverage"

/// A variable bit rate within bounds.
///
/// Apple: `AVAudioBitRateStrategy_VariableConstrained`
public let AVAudioBitRateStrategy_VariableConstrained = "AVAudioBitRateStrategy_VariableConstrained"

/// A variable bit rate.
///
/// Apple: `AVAudioBitRateStrategy_Variable`
public let AVAudioBitRateStrategy_Variable = "AVAudioBitRateStrategy_Variable"

/// The usual converter.
///
/// Apple: `AVSampleRateConverterAlgorithm_Normal`
public let AVSampleRateConverterAlgorithm_Normal = "AVSampleRateConverterAlgorithm_Normal"

/// The converter of the highest quality.
///
/// Apple: `AVSampleRateConverterAlgorithm_Mastering`
public let AVSampleRateConverterAlgorithm_Mastering = "AVSampleRateConverterAlgorithm_Mastering"

/// A minimum-phase converter, with little delay.
///
/// Apple: `AVSampleRateConverterAlgorithm_MinimumPhase`
public let AVSampleRateConverterAlgorithm_MinimumPhase = "AVSampleRateConverterAlgorithm_MinimumPhase"

// MARK: Linux additions

/// Vorbis (`vorb`), which Linux programs put into Ogg files.
///
/// A Linux addition; Apple has no counterpart.
public let kAudioFormatVorbis: AudioFormatID = 0x766F_7262

/// Ogg (`Oggf`), for Vorbis and Opus.
///
/// A Linux addition; Apple has no counterpart.
public let kAudioFileOggType: AudioFileTypeID = 0x4F67_6766

// MARK: Numbers

/// The quality of an encoder or a sample rate converter.
///
/// Apple: `AVAudioQuality`
public enum AVAudioQuality: Int, Sendable {
    /// The lowest quality.
    case min = 0
    /// Low quality.
    case low = 0x20
    /// Medium quality.
    case medium = 0x40
    /// High quality.
    case high = 0x60
    /// The highest quality.
    case max = 0x7F
}

/// The kind of content for an encoder's dynamic range control.
///
/// Apple: `AVAudioDynamicRangeControlConfiguration`
public enum AVAudioDynamicRangeControlConfiguration: Int, Sendable {
    /// No control.
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

/// The source of an encoder's content.
///
/// Apple: `AVAudioContentSource`
public enum AVAudioContentSource: Int, Sendable {
    /// An unknown source.
    case unspecified = -1
    /// A reserved value.
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
