internal import AudioFiles
internal import AudioHost
internal import Foundation

/// The formats that a system sound may have.
package enum SystemSoundFormats: Sendable {
    /// Apple's formats: linear PCM or IMA4 in WAV, AIFF and CAF files.
    case systemSounds
    /// All readable formats: sound themes are usually Ogg Vorbis.
    case all

    func contains(_ format: AudioFileFormat) -> Bool {
        if self == .all { return true }
        let isKnown = [AudioContainer.wav, .aiff, .aifc, .caf].contains(format.container)
        return isKnown && (format.encoding == .imaADPCM || format.encoding.isLinearPCM)
    }
}

/// The reader of system sound files.
enum SystemSoundFile {
    /// The longest system sound, in seconds.
    static let longest = 30.0

    /// Reads the sound in a file; nil for a file without a frame.
    ///
    /// Throws Apple's error code. Waits for the disk.
    static func read(_ url: URL, accepting formats: SystemSoundFormats) throws(SystemSoundError) -> SoundClip? {
        guard url.namesFile else { throw SystemSoundError(kAudioServicesSystemSoundUnspecifiedError) }
        guard let reader = try? AudioFileReader(path: url.filePath), formats.contains(reader.format) else {
            throw SystemSoundError(kAudioServicesSystemSoundUnspecifiedError)
        }
        let format = reader.format
        guard Double(format.frames) <= longest * format.sampleRate else {
            throw SystemSoundError(kAudioServicesSystemSoundExceededMaximumDurationError)
        }
        let samples = samples(of: reader)
        // More than 16 bits cost twice the server's memory, so only for files that have them.
        let isShort = format.bitDepth <= 16
        let clip = SoundClip(
            storage: isShort ? .int16 : .float32, rate: Int(format.sampleRate.rounded()), channels: format.channels,
            frames: isShort ? bytes(samples.map(integer)) : bytes(samples))
        guard let clip else { throw SystemSoundError(kAudioServicesSystemSoundUnspecifiedError) }
        return samples.isEmpty ? nil : clip
    }

    /// Reads all samples, up to the damage in a damaged file.
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

    /// The 16-bit value of a sample; 0 for NaN, which some codecs produce from damaged files.
    static func integer(_ sample: Float) -> Int16 {
        sample.isNaN ? 0 : Int16(min(max((sample * 32_768).rounded(), -32_768), 32_767))
    }

    private static func bytes<Sample>(_ samples: [Sample]) -> [UInt8] { samples.withUnsafeBytes { [UInt8]($0) } }
}

/// The reason why a system sound could not be created.
struct SystemSoundError: Error {
    /// Apple's code.
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }
}

extension AudioEncoding {
    fileprivate var isLinearPCM: Bool { isIntegerPCM || self == .float32 || self == .float64 }
}
