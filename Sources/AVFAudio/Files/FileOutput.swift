internal import AudioFiles
internal import Foundation

/// A sound file that is written from buffers of any common format.
///
/// One thread at a time uses it.
final class FileOutput {
    private let writer: AudioFileWriter

    init(_ writer: AudioFileWriter) { self.writer = writer }

    /// The number of frames that were written.
    var length: AVAudioFramePosition { writer.framesWritten }

    /// Finishes the file; there is nobody to tell of an error.
    func close() { try? writer.close() }

    /// Writes what a buffer holds; throws the app's error.
    func write(from buffer: AVAudioPCMBuffer) throws {
        do throws(AudioFileError) { try write(buffer) } catch { throw NSError.audio(error) }
    }

    private func write(_ buffer: AVAudioPCMBuffer) throws(AudioFileError) {
        switch buffer.format.commonFormat {
        case .pcmFormatInt16:
            try pieces(buffer, zero: Int16(0)) { samples, frames throws(AudioFileError) in
                try writer.write(int16: samples, frames: frames)
            }
        case .pcmFormatInt32:
            try pieces(buffer, zero: Int32(0)) { samples, frames throws(AudioFileError) in
                try writer.write(int32: samples, frames: frames)
            }
        case .pcmFormatFloat64:
            try writeDoubles(buffer)
        default:
            try pieces(buffer, zero: Float(0)) { samples, frames throws(AudioFileError) in
                try writer.write(float: samples, frames: frames)
            }
        }
    }

    /// 64-bit samples: 32-bit files take them as integers, since Float32 has 24 bits only.
    private func writeDoubles(_ buffer: AVAudioPCMBuffer) throws(AudioFileError) {
        let isWide = writer.encoding == .pcm32
        try pieces(buffer, zero: Double(0)) { samples, frames throws(AudioFileError) in
            let all = UnsafeBufferPointer(start: samples, count: frames * writer.channels)
            if isWide {
                try writer.write(int32: all.map(Self.integer), frames: frames)
            } else {
                try writer.write(float: all.map { Float($0) }, frames: frames)
            }
        }
    }

    private static func integer(_ sample: Double) -> Int32 {
        guard !sample.isNaN else { return 0 }
        return Int32(min(max((sample * 0x1p31).rounded(.toNearestOrEven), -0x1p31), 0x1p31 - 1))
    }

    private func pieces<Sample>(
        _ buffer: AVAudioPCMBuffer, zero: Sample,
        _ write: (UnsafePointer<Sample>, Int) throws(AudioFileError) -> Void
    ) throws(AudioFileError) {
        var piece = [Sample](repeating: zero, count: PlanarFrames.piece * writer.channels)
        let frames = Int(buffer.frameLength)
        var done = 0
        while done < frames {
            let count = min(frames - done, PlanarFrames.piece)
            PlanarFrames.take(buffer, at: done, frames: count, into: &piece)
            try write(piece, count)
            done += count
        }
    }
}

extension FileOutput {
    /// The format of a file that settings ask for.
    ///
    /// Throws 'fmt?' for settings that no encoder takes, and those without a rate or channels, or 'typ?'.
    static func format(_ settings: [String: Any], _ url: URL) throws -> RecordingFormat {
        let format = try RecordingFormat(settings: lossless(settings, url), url: url)
        guard format.sampleRate != nil, format.channels != nil else {
            throw NSError.unsupportedFormat("The settings need a sample rate and a number of channels.")
        }
        return format
    }

    /// Settings of PCM for a kind of file that has no PCM, as those of its lossless codec.
    private static func lossless(_ settings: [String: Any], _ url: URL) throws -> [String: Any] {
        let reader = SettingsReader(settings)
        guard let format = try? reader.integer(AVFormatIDKey), format == Int(kAudioFormatLinearPCM),
            let (container, _) = try? RecordingContainer.choose(
                type: try reader.integer(AVAudioFileTypeKey), format: nil, url: url),
            let codec = codecs[container]
        else { return settings }
        let isFloat = (try? reader.bool(AVLinearPCMIsFloatKey)) ?? false
        let depth = (try? reader.integer(AVLinearPCMBitDepthKey)) ?? (isFloat ? 32 : 16)
        var changed = settings
        changed[AVFormatIDKey] = NSNumber(value: codec)
        changed[AVEncoderBitDepthHintKey] = NSNumber(value: depth > 16 ? 24 : 16)
        return changed
    }

    private static let codecs: [AudioContainer: AudioFormatID] = [
        .mpeg4: kAudioFormatAppleLossless, .flac: kAudioFormatFLAC,
    ]
}
