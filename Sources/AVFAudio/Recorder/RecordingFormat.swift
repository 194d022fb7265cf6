internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import Foundation

/// What a recorder's settings ask for, checked, with what they leave open filled in by ``completed(rate:channels:)``.
struct RecordingFormat {
    let container: AudioContainer
    let formatID: AudioFormatID
    /// Of the file, in Hz; nil for the input's own.
    private(set) var sampleRate: Double?
    /// nil for the input's own.
    private(set) var channels: Int?
    /// Bits of a sample of PCM and of the lossless codecs.
    let bitDepth: Int
    let isFloat: Bool
    let isBigEndian: Bool
    let encoder: EncoderSettings
    /// How this process converts to the file's rate; nil leaves that to the server.
    let converter: ConverterSettings?
    let channelLayout: Data?
    /// The input's rate in Hz where this process converts.
    private var inputRate: Double?

    /// Reads a dictionary of settings for a file of the given name.
    ///
    /// Throws 'fmt?' (`kAudioFileUnsupportedDataFormatError`) for what cannot be recorded, 'typ?' for an unknown type
    /// of file. Keys that are for other formats than the one asked for are ignored, whatever they hold.
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
            // Lossless means that no bit goes: 24 hold 20, but nothing here holds 32.
            guard (8...24).contains(hint) else {
                throw NSError.unsupportedFormat("Lossless formats are recorded with 16 or 24 bits, not with \(hint).")
            }
            return hint > 16 ? 24 : 16
        default: return 16
        }
    }

    /// A container that has but one byte order decides, and single bytes have none; `settings` says afterwards what it
    /// became.
    private static func isBigEndian(_ container: AudioContainer, isPCM: Bool, depth: Int, wanted: Bool?) -> Bool {
        guard depth != 8 else { return false }
        return switch container {
        case .caf: wanted ?? false
        case .aiff, .au: isPCM
        // 'sowt' is for 16 bits: many readers take wider samples in it for something else.
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
        // What is left is the encoder's to say, before there is a file; /dev/null is none.
        let trial = completed(rate: 44100, channels: 1)
        do throws(AudioFileError) { _ = try trial.makeWriter(path: "/dev/null") } catch {
            // Who asks can tell a library that is not installed from a format that cannot be.
            throw NSError(
                file: .unsupportedEncoding, message: "The file \(error.message).",
                errno: error.kind == .missingLibrary ? ELIBACC : nil)
        }
    }

    // MARK: What is left open

    /// The rates of a codec that knows but some, in Hz, highest first.
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

    /// The format with the input's own rate and channels, or those next to them, where the settings left them open.
    func completed(rate: Int, channels: Int) -> RecordingFormat {
        var format = self
        let input = min(max(Double(rate), Self.rates.lowerBound), Self.rates.upperBound)
        let nearest = codecRates?.min { abs($0 - input) < abs($1 - input) } ?? input
        format.sampleRate = sampleRate ?? nearest
        // No server has more than 32.
        format.channels = self.channels ?? min(max(channels, 1), mostChannels, 32)
        format.inputRate = converter == nil ? nil : input
        return format
    }

    /// Whether ``completed(rate:channels:)`` would change anything.
    var isOpen: Bool { sampleRate == nil || channels == nil || (converter != nil && inputRate == nil) }

    // MARK: What it becomes

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

    /// The form in which the server delivers it: the file's own depth, so that nothing is converted twice.
    var captureFormat: CaptureRequest.Format {
        if isFloat || isLossy || converts { return .float32 }
        return bitDepth > 16 ? .int32 : .int16
    }

    private var converts: Bool { inputRate != nil && inputRate != sampleRate }

    /// Frames a second that the server is asked for, in Hz: the file's, or the input's where this process converts.
    var captureRate: Double { inputRate ?? sampleRate ?? 44100 }

    /// Where the channels of a captured frame belong; empty is the order of a WAV file.
    var places: [Channel] { encoding.channelOrder(channels: channels ?? 2)?.compactMap(Channel.init) ?? [] }

    var bytesPerCapturedFrame: Int { (captureFormat == .int16 ? 2 : 4) * (channels ?? 2) }

    /// Creates the file, or empties it; frames come in ``captureFormat`` and at ``captureRate``.
    ///
    /// Throws as ``AudioFileWriter`` does.
    func makeWriter(path: String) throws(AudioFileError) -> AudioFileWriter {
        let channels = channels ?? 2
        var conversion: SampleRateConversion?
        if converts, let converter {
            conversion = SampleRateConversion(
                inputRate: captureRate, quality: converter.quality, isMinimumPhase: converter.isMinimumPhase)
        }
        // Only CAF and AIFC leave the byte order open.
        let order = container == .caf || (container == .aifc && !isBigEndian && encoding == .pcm16) ? isBigEndian : nil
        return try AudioFileWriter(
            path: path, container: container, encoding: encoding, sampleRate: sampleRate ?? 44100, channels: channels,
            bigEndian: formatID == kAudioFormatLinearPCM ? order : nil, quality: encoder.quality,
            bitRate: encoder.bitRate(channels: channels), strategy: encoder.strategy, conversion: conversion)
    }

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
