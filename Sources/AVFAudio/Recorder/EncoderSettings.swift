internal import AudioFiles
internal import Foundation

/// The settings of lossy encoders, checked.
struct EncoderSettings {
    /// The quality, 0 … 1; nil for the encoder's default.
    private(set) var quality: Double?
    private(set) var strategy: BitRateStrategy?
    private var bitRate: Int?
    private var bitRatePerChannel: Int?
    /// The keys and values as they were given.
    private(set) var settings: [String: Any] = [:]

    private static let strategies: [String: BitRateStrategy] = [
        AVAudioBitRateStrategy_Constant: .constant, AVAudioBitRateStrategy_LongTermAverage: .longTermAverage,
        AVAudioBitRateStrategy_VariableConstrained: .variableConstrained, AVAudioBitRateStrategy_Variable: .variable,
    ]

    /// Reads the keys that the format uses; throws 'fmt?', or the reader's error.
    init(_ reader: SettingsReader, _ format: AudioFormatID) throws {
        guard [kAudioFormatMPEG4AAC, kAudioFormatVorbis, kAudioFormatOpus].contains(format) else { return }
        if let name = try reader.text(AVEncoderBitRateStrategyKey) {
            guard let known = Self.strategies[name] else {
                throw NSError.unsupportedFormat("There is no bit rate strategy \(name).")
            }
            strategy = known
            settings[AVEncoderBitRateStrategyKey] = name
        }
        let usual = try Self.quality(reader, AVEncoderAudioQualityKey)
        let variable = try Self.quality(reader, AVEncoderAudioQualityForVBRKey)
        for (key, value) in [(AVEncoderAudioQualityKey, usual), (AVEncoderAudioQualityForVBRKey, variable)] {
            if let value { settings[key] = NSNumber(value: value) }
        }
        let chosen = strategy == .variable ? variable ?? usual : usual ?? variable
        quality = chosen.map { Double($0) / Double(AVAudioQuality.max.rawValue) }
        bitRate = try Self.bitRate(reader, AVEncoderBitRateKey)
        bitRatePerChannel = try Self.bitRate(reader, AVEncoderBitRatePerChannelKey)
        guard bitRate == nil || bitRatePerChannel == nil else {
            throw NSError.unsupportedFormat(
                "\(AVEncoderBitRateKey) and \(AVEncoderBitRatePerChannelKey) exclude each other.")
        }
        if let bitRate { settings[AVEncoderBitRateKey] = NSNumber(value: bitRate) }
        if let bitRatePerChannel { settings[AVEncoderBitRatePerChannelKey] = NSNumber(value: bitRatePerChannel) }
    }

    /// The bit rate for a number of channels, in bits per second; nil if the settings have none.
    func bitRate(channels: Int) -> Int? { bitRate ?? bitRatePerChannel.map { $0 * channels } }

    private static func bitRate(_ reader: SettingsReader, _ key: String) throws -> Int? {
        guard let rate = try reader.integer(key) else { return nil }
        guard (1...100_000_000).contains(rate) else {
            throw NSError.unsupportedFormat("A bit rate of \(rate) bits a second is not possible.")
        }
        return rate
    }

    /// Reads an `AVAudioQuality`, or a number in between.
    static func quality(_ reader: SettingsReader, _ key: String) throws -> Int? {
        guard let quality = try reader.integer(key) else { return nil }
        guard (AVAudioQuality.min.rawValue...AVAudioQuality.max.rawValue).contains(quality) else {
            throw NSError.unsupportedFormat("The value of \(key) must lie between 0 and 127.")
        }
        return quality
    }
}

/// The settings of the sample rate converter, checked.
struct ConverterSettings {
    let quality: SampleRateConversion.Quality
    let isMinimumPhase: Bool
    /// The keys and values as they were given.
    let settings: [String: Any]

    /// Reads the keys, nil if there are none; throws 'fmt?', or the reader's error.
    init?(_ reader: SettingsReader) throws {
        let algorithm = try reader.text(AVSampleRateConverterAlgorithmKey)
        let number = try EncoderSettings.quality(reader, AVSampleRateConverterAudioQualityKey)
        guard algorithm != nil || number != nil else { return nil }
        switch algorithm {
        case nil, AVSampleRateConverterAlgorithm_Normal, AVSampleRateConverterAlgorithm_MinimumPhase:
            quality = number.map(Self.quality) ?? .high
        case AVSampleRateConverterAlgorithm_Mastering: quality = .veryHigh
        case let name?: throw NSError.unsupportedFormat("There is no sample rate converter \(name).")
        }
        isMinimumPhase = algorithm == AVSampleRateConverterAlgorithm_MinimumPhase
        var settings: [String: Any] = [:]
        settings[AVSampleRateConverterAlgorithmKey] = algorithm
        settings[AVSampleRateConverterAudioQualityKey] = number.map { NSNumber(value: $0) }
        self.settings = settings
    }

    private static func quality(_ number: Int) -> SampleRateConversion.Quality {
        switch AVAudioQuality(rawValue: number & 0x60) {
        case _ where number == AVAudioQuality.max.rawValue: .veryHigh
        case .high: .high
        case .medium: .medium
        case .low: .low
        default: .quick
        }
    }
}
