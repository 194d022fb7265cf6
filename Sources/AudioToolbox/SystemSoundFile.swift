internal import AudioFiles
internal import AudioHost
internal import Foundation

/// The sounds that may become system sounds.
package enum SystemSoundFormats: Sendable {
    /// Apple's: linear PCM or IMA4 in WAV, AIFF and CAF files.
    case systemSounds
    /// Whatever can be decoded: sound themes are Ogg Vorbis as a rule.
    case all

    func contains(_ format: AudioFileFormat) -> Bool {
        if self == .all { return true }
        let isKnown = [AudioContainer.wav, .aiff, .aifc, .caf].contains(format.container)
        return isKnown && (format.encoding == .imaADPCM || format.encoding.isLinearPCM)
    }
}

/// Reads the file of a system sound.
enum SystemSoundFile {
    /// The longest system sound, in seconds.
    static let longest = 30.0

    /// The sound in a file; nil for one without a frame.
    ///
    /// Throws Apple's code.
    static func read(_ url: URL, accepting formats: SystemSoundFormats) throws(SystemSoundError) -> SoundClip? {
        guard url.isFileURL else { throw SystemSoundError(kAudioServicesSystemSoundUnspecifiedError) }
        guard let reader = try? AudioFileReader(path: url.filePath), formats.contains(reader.format) else {
            throw SystemSoundError(kAudioServicesSystemSoundUnspecifiedError)
        }
        let format = reader.format
        guard Double(format.frames) <= longest * format.sampleRate else {
            throw SystemSoundError(kAudioServicesSystemSoundExceededMaximumDurationError)
        }
        let samples = samples(of: reader)
        // More than 16 bits are worth twice the memory of the server only where the file has them.
        let isShort = format.bitDepth <= 16
        let clip = SoundClip(
            storage: isShort ? .int16 : .float32, rate: Int(format.sampleRate.rounded()), channels: format.channels,
            frames: isShort ? bytes(samples.map(integer)) : bytes(samples))
        guard let clip else { throw SystemSoundError(kAudioServicesSystemSoundUnspecifiedError) }
        return samples.isEmpty ? nil : clip
    }

    /// All samples, up to where a damaged file ends.
    private static func samples(of reader: AudioFileReader) -> [Float] {
        let (channels, frames) = (reader.format.channels, Int(reader.format.frames))
        return [Float](unsafeUninitializedCapacity: frames * channels) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            var done = 0
            while done < frames,
                let read = try? reader.read(into: start + done * channels, frames: frames - done), read > 0
            {
                done += read
            }
            count = done * channels
        }
    }

    /// What stands for a sample in 16 bits; 0 for what is no number, which some codecs make of damaged files.
    static func integer(_ sample: Float) -> Int16 {
        sample.isNaN ? 0 : Int16(min(max((sample * 32_768).rounded(), -32_768), 32_767))
    }

    private static func bytes<Sample>(_ samples: [Sample]) -> [UInt8] { samples.withUnsafeBytes { [UInt8]($0) } }
}

/// Why there is no system sound.
struct SystemSoundError: Error {
    /// Apple's code.
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }
}

extension AudioEncoding {
    fileprivate var isLinearPCM: Bool { isIntegerPCM || self == .float32 || self == .float64 }
}
