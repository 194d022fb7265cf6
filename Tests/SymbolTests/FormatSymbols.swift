import AVFAudio
import Testing

extension SymbolLedger {
    mutating func formats() {
        format()
        settings()
        values()
        encodings()
        files()
    }

    private mutating func format() {
        // MARK: AVAudioFormat
        works(AVAudioFormat.self)
        works(AVAudioFormat.init(streamDescription:))
        works(AVAudioFormat.init(streamDescription:channelLayout:))
        works(AVAudioFormat.init(standardFormatWithSampleRate:channels:))
        works(AVAudioFormat.init(standardFormatWithSampleRate:channelLayout:))
        works(AVAudioFormat.init(commonFormat:sampleRate:channels:interleaved:))
        works(AVAudioFormat.init(commonFormat:sampleRate:interleaved:channelLayout:))
        works(AVAudioFormat.init(settings:))
        works(AVAudioFormat.init(cmAudioFormatDescription:))
        works(\AVAudioFormat.isStandard)
        works(\AVAudioFormat.commonFormat)
        works(\AVAudioFormat.channelCount)
        works(\AVAudioFormat.sampleRate)
        works(\AVAudioFormat.isInterleaved)
        works(\AVAudioFormat.streamDescription)
        works(\AVAudioFormat.channelLayout)
        works(\AVAudioFormat.magicCookie)
        works(\AVAudioFormat.settings)
        works(\AVAudioFormat.formatDescription)
        works({ $0 == $1 } as (AVAudioFormat, AVAudioFormat) -> Bool, named: "AVAudioFormat ==")
        works(CMAudioFormatDescription.self)
        works(AVAudioCommonFormat.self)
        works(AVAudioCommonFormat.otherFormat, raw: 0)
        works(AVAudioCommonFormat.pcmFormatFloat32, raw: 1)
        works(AVAudioCommonFormat.pcmFormatFloat64, raw: 2)
        works(AVAudioCommonFormat.pcmFormatInt16, raw: 3)
        works(AVAudioCommonFormat.pcmFormatInt32, raw: 4)
        works(AVAudioChannelCount.self)
        works(AVAudioFrameCount.self)
        works(AVAudioFramePosition.self)
        works(AVAudioNodeBus.self)
        works(AVAudioChannelLayout.self)
        works(AVAudioChannelLayout.init(layoutTag:))
        works(AVAudioChannelLayout.init(layout:))
        works(\AVAudioChannelLayout.layout)
        works(\AVAudioChannelLayout.layoutTag)
        works(\AVAudioChannelLayout.channelCount)
        works(AudioChannelLayout.self, note: "recorders take the count of channels from it")
        works(AudioChannelDescription.self)
        works(AudioChannelBitmap.self)
        works(AudioChannelFlags.self)
        works(AudioStreamBasicDescription.self)
    }

    private mutating func settings() {
        // MARK: Keys of settings
        works(AVFormatIDKey, is: "AVFormatIDKey")
        works(AVSampleRateKey, is: "AVSampleRateKey")
        works(AVNumberOfChannelsKey, is: "AVNumberOfChannelsKey")
        works(AVLinearPCMBitDepthKey, is: "AVLinearPCMBitDepthKey")
        works(AVLinearPCMIsBigEndianKey, is: "AVLinearPCMIsBigEndianKey")
        works(AVLinearPCMIsFloatKey, is: "AVLinearPCMIsFloatKey")
        works(
            AVLinearPCMIsNonInterleaved, is: "AVLinearPCMIsNonInterleaved",
            note: "files hold interleaved sound, as on Apple's systems; `settings` says so")
        works(AVAudioFileTypeKey, is: "AVAudioFileTypeKey")
        works(AVEncoderAudioQualityKey, is: "AVEncoderAudioQualityKey")
        works(AVEncoderAudioQualityForVBRKey, is: "AVEncoderAudioQualityForVBRKey")
        works(AVEncoderBitRateKey, is: "AVEncoderBitRateKey")
        works(AVEncoderBitRatePerChannelKey, is: "AVEncoderBitRatePerChannelKey")
        works(AVEncoderBitRateStrategyKey, is: "AVEncoderBitRateStrategyKey")
        works(AVEncoderBitDepthHintKey, is: "AVEncoderBitDepthHintKey")
        works(AVSampleRateConverterAlgorithmKey, is: "AVSampleRateConverterAlgorithmKey")
        works(AVSampleRateConverterAudioQualityKey, is: "AVSampleRateConverterAudioQualityKey")
        works(AVChannelLayoutKey, is: "AVChannelLayoutKey")
        accepts(
            AVEncoderContentSourceKey, is: "AVEncoderContentSourceKey",
            because: "only for encoders that do not exist here; ignored, as keys of other formats are")
        accepts(
            AVEncoderDynamicRangeControlConfigurationKey, is: "AVEncoderDynamicRangeControlConfigurationKey",
            because: "only for encoders that do not exist here; ignored, as keys of other formats are")
        accepts(
            AVEncoderASPFrequencyKey, is: "AVEncoderASPFrequencyKey",
            because: "only for encoders that do not exist here; ignored, as keys of other formats are")
    }

    private mutating func values() {
        // MARK: Values of settings
        works(AVAudioBitRateStrategy_Constant, is: "AVAudioBitRateStrategy_Constant")
        works(AVAudioBitRateStrategy_LongTermAverage, is: "AVAudioBitRateStrategy_LongTermAverage")
        works(AVAudioBitRateStrategy_VariableConstrained, is: "AVAudioBitRateStrategy_VariableConstrained")
        works(AVAudioBitRateStrategy_Variable, is: "AVAudioBitRateStrategy_Variable")
        works(AVSampleRateConverterAlgorithm_Normal, is: "AVSampleRateConverterAlgorithm_Normal")
        works(AVSampleRateConverterAlgorithm_Mastering, is: "AVSampleRateConverterAlgorithm_Mastering")
        works(AVSampleRateConverterAlgorithm_MinimumPhase, is: "AVSampleRateConverterAlgorithm_MinimumPhase")
        works(AVAudioQuality.self)
        works(AVAudioQuality.min, raw: 0)
        works(AVAudioQuality.low, raw: 0x20)
        works(AVAudioQuality.medium, raw: 0x40)
        works(AVAudioQuality.high, raw: 0x60)
        works(AVAudioQuality.max, raw: 0x7F)
        works(AVAudioDynamicRangeControlConfiguration.self, note: "see `AVEncoderDynamicRangeControlConfigurationKey`")
        works(AVAudioDynamicRangeControlConfiguration.none, raw: 0)
        works(AVAudioDynamicRangeControlConfiguration.music, raw: 1)
        works(AVAudioDynamicRangeControlConfiguration.speech, raw: 2)
        works(AVAudioDynamicRangeControlConfiguration.movie, raw: 3)
        works(AVAudioDynamicRangeControlConfiguration.capture, raw: 4)
        works(AVAudioContentSource.self, note: "see `AVEncoderContentSourceKey`")
        works(AVAudioContentSource.unspecified, raw: -1)
        works(AVAudioContentSource.reserved, raw: 0)
        works(AVAudioContentSource.appleCapture_Traditional, raw: 1)
        works(AVAudioContentSource.appleCapture_Spatial, raw: 2)
        works(AVAudioContentSource.appleCapture_Spatial_Enhanced, raw: 3)
        works(AVAudioContentSource.appleMusic_Traditional, raw: 4)
    }

    private mutating func encodings() {
        // MARK: Encodings
        works(AudioFormatID.self)
        works(AudioFormatFlags.self)
        works(kAudioFormatLinearPCM, is: 0x6C70_636D)
        works(kAudioFormatMPEG4AAC, is: 0x6161_6320)
        works(kAudioFormatAppleLossless, is: 0x616C_6163)
        works(kAudioFormatAppleIMA4, is: 0x696D_6134)
        fails(kAudioFormatiLBC, is: 0x696C_6263, because: "'fmt?' when recorded: there is no encoder for it here")
        works(kAudioFormatULaw, is: 0x756C_6177)
        works(kAudioFormatALaw, is: 0x616C_6177)
        fails(
            kAudioFormatMPEG4AAC_HE, is: 0x6161_6368,
            because: "'fmt?' when recorded; players call all kinds of AAC 'aac '")
        fails(
            kAudioFormatMPEG4AAC_LD, is: 0x6161_636C,
            because: "'fmt?' when recorded; players call all kinds of AAC 'aac '")
        fails(
            kAudioFormatMPEG4AAC_ELD, is: 0x6161_6365,
            because: "'fmt?' when recorded; players call all kinds of AAC 'aac '"
        )
        fails(
            kAudioFormatMPEG4AAC_HE_V2, is: 0x6161_6370,
            because: "'fmt?' when recorded; players call all kinds of AAC 'aac '")
        works(
            kAudioFormatMPEGLayer1, is: 0x2E6D_7031,
            note: "players tell it; 'fmt?' when recorded, as on Apple's systems")
        works(
            kAudioFormatMPEGLayer2, is: 0x2E6D_7032,
            note: "players tell it; 'fmt?' when recorded, as on Apple's systems")
        works(
            kAudioFormatMPEGLayer3, is: 0x2E6D_7033,
            note: "players tell it; 'fmt?' when recorded, as on Apple's systems")
        works(kAudioFormatAC3, is: 0x6163_2D33, note: "players tell it; 'fmt?' when recorded")
        works(kAudioFormatFLAC, is: 0x666C_6163)
        works(kAudioFormatOpus, is: 0x6F70_7573)
        works(kAudioFormatAMR, is: 0x7361_6D72, note: "players tell it; 'fmt?' when recorded")
        fails(kAudioFormatAPAC, is: 0x6170_6163, because: "'fmt?' when recorded: nothing here reads or writes it")
        works(kAudioFormatFlagIsFloat, is: 1)
        works(kAudioFormatFlagIsBigEndian, is: 2)
        works(kAudioFormatFlagIsSignedInteger, is: 4)
        works(kAudioFormatFlagIsPacked, is: 8)
        works(kAudioFormatFlagIsAlignedHigh, is: 0x10)
        works(kAudioFormatFlagIsNonInterleaved, is: 0x20)
    }

    private mutating func files() {
        // MARK: Kinds of files
        works(AudioFileTypeID.self)
        works(kAudioFileAIFFType, is: 0x4149_4646)
        works(kAudioFileAIFCType, is: 0x4149_4643)
        works(kAudioFileWAVEType, is: 0x5741_5645)
        works(kAudioFileRF64Type, is: 0x5246_3634)
        fails(kAudioFileBW64Type, is: 0x4257_3634, because: "'typ?' when recorded or played: RF64 is what there is")
        works(kAudioFileWave64Type, is: 0x5736_3466)
        works(kAudioFileNeXTType, is: 0x4E65_5854)
        fails(kAudioFileMP3Type, is: 0x4D50_4733, because: "'typ?' when recorded; such files play")
        works(kAudioFileAAC_ADTSType, is: 0x6164_7473)
        works(kAudioFileMPEG4Type, is: 0x6D70_3466)
        works(kAudioFileM4AType, is: 0x6D34_6166)
        works(kAudioFileM4BType, is: 0x6D34_6266)
        works(kAudioFileCAFType, is: 0x6361_6666)
        fails(kAudioFile3GPType, is: 0x3367_7070, because: "'typ?' when recorded; such files play")
        fails(kAudioFileAMRType, is: 0x616D_7266, because: "'typ?' when recorded; such files play")
        works(kAudioFileFLACType, is: 0x666C_6163)
        fails(kAudioFileAC3Type, is: 0x6163_2D33, because: "'typ?' when recorded; such files play")
    }
}
