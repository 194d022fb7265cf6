internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Foundation

/// The checked format of a recorder's settings; ``completed(rate:channels:)`` fills in missing values.
struct RecordingFormat {
    let container: AudioContainer
    let formatID: AudioFormatID
    /// The sample rate of the file, in Hz; nil means the input's own.
    private(set) var sampleRate: Double?
    /// The number of channels; nil means the input's own.
    private(set) var channels: Int?
    /// The number of bits in a sample of PCM and lossless codecs.
    let bitDepth: Int
    let isFloat: Bool
    let isBigEndian: Bool
    let encoder: EncoderSettings
    /// The converter to the file's rate in this process; nil leaves the conversion to the server.
    let converter: ConverterSettings?
    let channelLayout: Data?
    /// The input's rate in Hz, if this process converts.
    private var inputRate: Double?

    /// Reads a settings dictionary for a file with a given name.
    ///
    /// Throws 'fmt?' (`kAudioFileUnsupportedDataFormatError`) for a format that cannot be recorded, 'typ?' for an
    /// unknown file type. Keys of other formats are ignored, whatever their values.
    init(settings: [String: Any], url: URL) throws {
        do {
            try self.init(SettingsReader(settings), url)
        } catch let error as SettingsReader.WrongType {
            throw NSError.unsupportedFormat("The value of \(error.key) is not \(error.wanted).")
        }
    }

    private init(_ reader: SettingsReader, _ url: URL) throws {
        (container, formatID) = try RecordingContainer.choose(
            type: try reader.integer(AVAudioFileTypeKey), format: try reader.integer(AVFormatIDKey), url: url)
        let isPCM = formatID == kAudioFormatLinearPCM
        isFloat = isPCM ? try reader.bool(AVLinearPCMIsFloatKey) ?? false : false
        let order = isPCM ? try reader.bool(AVLinearPCMIsBigEndianKey) : nil
        bitDepth = try Self.depth(reader, formatID, isFloat: isFloat)
        isBigEndian = Self.isBigEndian(container, isPCM: isPCM, depth: isFloat ? 0 : bitDepth, wanted: order)
        encoder = try EncoderSettings(reader, formatID)
        converter = try ConverterSettings(reader)
        channelLayout = try reader.data(AVChannelLayoutKey)
        sampleRate = try reader.number(AVSampleRateKey)
        channels = try reader.integer(AVNumberOfChannelsKey)
        if let channelLayout {
            let count = try Self.channels(in: channelLayout)
            guard channels == nil || channels == count else {
                throw NSError.unsupportedFormat("The channel layout has \(count) channels, the settings have others.")
            }
            channels = count
        }
        try check()
    }

    private static let rates = 8000.0...192_000

    private static func depth(_ reader: SettingsReader, _ format: AudioFormatID, isFloat: Bool) throws -> Int {
        switch format {
        case kAudioFormatLinearPCM:
            let depth = try reader.integer(AVLinearPCMBitDepthKey) ?? (isFloat ? 32 : 16)
            guard isFloat ? depth == 32 : [8, 16, 24, 32].contains(depth) else {
                throw NSError.unsupportedFormat("Linear PCM of \(depth) bits cannot be recorded.")
            }
            return depth
        case kAudioFormatAppleLossless, kAudioFormatFLAC:
            let hint = try reader.integer(AVEncoderBitDepthHintKey) ?? 16
            // Lossless means that no bit is dropped: 20 bits fit into 24, but no codec here has 32.
            guard (8...24).contains(hint) else {
                throw NSError.unsupportedFormat("Lossless formats are recorded with 16 or 24 bits, not with \(hint).")
            }
            return hint > 16 ? 24 : 16
        default: return 16
        }
    }

    /// Whether the file is big endian: containers with a single byte order decide, and single bytes have none.
    ///
    /// `settings` reports the result.
    private static func isBigEndian(_ container: AudioContainer, isPCM: Bool, depth: Int, wanted: Bool?) -> Bool {
        guard depth != 8 else { return false }
        return switch container {
        case .caf: wanted ?? false
        case .aiff, .au: isPCM
        // 'sowt' is for 16 bits: many readers misread wider samples in it.
        case .aifc: isPCM && !(depth == 16 && wanted == false)
        default: false
        }
    }

    private static func channels(in layout: Data) throws -> Int {
        guard layout.count >= 12 else { throw SettingsReader.WrongType(key: AVChannelLayoutKey, wanted: "a layout") }
        let words = layout.withUnsafeBytes { bytes in
            (0..<3).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) }
        }
        return switch words[0] {
        case kAudioChannelLayoutTag_UseChannelDescriptions: Int(words[2])
        case kAudioChannelLayoutTag_UseChannelBitmap: words[1].nonzeroBitCount
        case let tag: Int(AudioChannelLayoutTag_GetNumberOfChannels(tag))
        }
    }

    private func check() throws {
        if let sampleRate, !Self.rates.contains(sampleRate) || sampleRate != sampleRate.rounded() {
            throw NSError.unsupportedFormat("The sample rate must be a whole number from 8000 to 192000 Hz.")
        }
        if let channels, !(1...64).contains(channels) {
            throw NSError.unsupportedFormat("The number of channels must lie between 1 and 64.")
        }
        if isFloat && container == .aiff {
            throw NSError.unsupportedFormat("AIFF holds integers only; floating point goes into AIFC, CAF or WAV.")
        }
        if let sampleRate, let legal = codecRates, !legal.contains(sampleRate) {
            let known = legal.map { String(Int($0)) }.joined(separator: ", ")
            throw NSError.unsupportedFormat("The encoder takes these sample rates only: \(known) Hz.")
        }
        if let channels, channels > mostChannels {
            throw NSError.unsupportedFormat("The format has no more than \(mostChannels) channels.")
        }
        // The encoder checks the rest, before the file exists; /dev/null is never created.
        let trial = completed(rate: 44100, channels: 1)
        do throws(AudioFileError) { _ = try trial.makeWriter(path: "/dev/null") } catch {
            // The code tells a missing library from an impossible format.
            throw NSError(
                file: .unsupportedEncoding, message: "The file \(error.message).",
                errno: error.kind == .missingLibrary ? ELIBACC : nil)
        }
    }

    // MARK: Missing values

    /// The legal sample rates of a codec in Hz, highest first; nil if all are.
    private var codecRates: [Double]? {
        switch formatID {
        case kAudioFormatMPEG4AAC:
            [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000]
        case kAudioFormatOpus: [48000, 24000, 16000, 12000, 8000]
        default: nil
        }
    }

    private var mostChannels: Int {
        switch formatID {
        case kAudioFormatFLAC, kAudioFormatAppleLossless, kAudioFormatMPEG4AAC, kAudioFormatVorbis, kAudioFormatOpus: 8
        case kAudioFormatAppleIMA4: 2
        default: 64
        }
    }

    /// Fills in the input's rate and channels, or the nearest legal ones, where the settings have none.
    func completed(rate: Int, channels: Int) -> RecordingFormat {
        var format = self
        let input = min(max(Double(rate), Self.rates.lowerBound), Self.rates.upperBound)
        let nearest = codecRates?.min { abs($0 - input) < abs($1 - input) } ?? input
        format.sampleRate = sampleRate ?? nearest
        // No server supports more than 32.
        format.channels = self.channels ?? min(max(channels, 1), mostChannels, 32)
        format.inputRate = converter == nil ? nil : input
        return format
    }

    /// Whether ``completed(rate:channels:)`` would change the format.
    var isOpen: Bool { sampleRate == nil || channels == nil || (converter != nil && inputRate == nil) }

    // MARK: Results

    var encoding: AudioEncoding {
        switch formatID {
        case kAudioFormatULaw: return .ulaw
        case kAudioFormatALaw: return .alaw
        case kAudioFormatAppleIMA4: return .imaADPCM
        case kAudioFormatAppleLossless: return bitDepth > 16 ? .alac24 : .alac16
        case kAudioFormatMPEG4AAC: return .aac
        case kAudioFormatVorbis: return .vorbis
        case kAudioFormatOpus: return .opus
        default: break
        }
        if isFloat { return .float32 }
        switch bitDepth {
        case 8: return [.wav, .rf64, .w64].contains(container) ? .pcmU8 : .pcmS8
        case 24: return .pcm24
        case 32: return .pcm32
        default: return .pcm16
        }
    }

    private var isLossy: Bool { [.aac, .vorbis, .opus].contains(encoding) }

    /// The sample encoding of the capture: the file's own depth, so that nothing is converted twice.
    var captureFormat: CaptureRequest.Format {
        if isFloat || isLossy || converts { return .float32 }
        return bitDepth > 16 ? .int32 : .int16
    }

    private var converts: Bool { inputRate != nil && inputRate != sampleRate }

    /// The sample rate of the capture, in Hz: the file's, or the input's if this process converts.
    var captureRate: Double { inputRate ?? sampleRate ?? 44100 }

    /// The positions of a captured frame's channels; empty means the order of a WAV file.
    var places: [Channel] { encoding.channelOrder(channels: channels ?? 2)?.compactMap(Channel.init) ?? [] }

    var bytesPerCapturedFrame: Int { (captureFormat == .int16 ? 2 : 4) * (channels ?? 2) }

    /// Creates or empties the file; frames come in ``captureFormat`` and at ``captureRate``.
    ///
    /// Throws the errors of ``AudioFileWriter``.
    func makeWriter(path: String) throws(AudioFileError) -> AudioFileWriter {
        let channels = channels ?? 2
        var conversion: SampleRateConversion?
        if converts, let converter {
            conversion = SampleRateConversion(
                inputRate: captureRate, quality: converter.quality, isMinimumPhase: converter.isMinimumPhase)
        }
        // Only CAF and AIFC have a choice of byte order.
        let order = container == .caf || (container == .aifc && !isBigEndian && encoding == .pcm16) ? isBigEndian : nil
        return try AudioFileWriter(
            path: path, container: container, encoding: encoding, sampleRate: sampleRate ?? 44100, channels: channels,
            bigEndian: formatID == kAudioFormatLinearPCM ? order : nil, quality: encoder.quality,
            bitRate: encoder.bitRate(channels: channels), strategy: encoder.strategy, conversion: conversion)
    }

    /// The format as a settings dictionary; complete once rate and channels are known.
    var settings: [String: Any] {
        var values: [String: Any] = [AVFormatIDKey: NSNumber(value: formatID)]
        if let sampleRate { values[AVSampleRateKey] = NSNumber(value: sampleRate) }
        if let channels { values[AVNumberOfChannelsKey] = NSNumber(value: channels) }
        if formatID == kAudioFormatLinearPCM {
            values[AVLinearPCMBitDepthKey] = NSNumber(value: bitDepth)
            values[AVLinearPCMIsFloatKey] = NSNumber(value: isFloat)
            values[AVLinearPCMIsBigEndianKey] = NSNumber(value: isBigEndian)
            values[AVLinearPCMIsNonInterleaved] = NSNumber(value: false)
            if encoding == .pcmU8 { values[AudioStreamBasicDescription.isUnsignedKey] = NSNumber(value: true) }
        } else if [kAudioFormatAppleLossless, kAudioFormatFLAC].contains(formatID) {
            values[AVEncoderBitDepthHintKey] = NSNumber(value: bitDepth)
        }
        if let channelLayout { values[AVChannelLayoutKey] = channelLayout }
        values.merge(encoder.settings) { $1 }
        values.merge(converter?.settings ?? [:]) { $1 }
        return values
    }
}
