/// What an app schedules: a buffer, or a part of a file.
enum ScheduledSource {
    case buffer(AVAudioPCMBuffer)
    case file(URL, start: AVAudioFramePosition, frames: Int64)
}

/// The sound of a scheduled source in a player's format, chunk by chunk.
///
/// One thread at a time uses it. Reading waits for the disk.
final class SoundStream {
    /// The frames of a chunk of a file.
    static let chunk: AVAudioFrameCount = 16_384

    private enum Input {
        case buffer(AVAudioPCMBuffer)
        case file(AVAudioFile)
        case nothing
    }

    /// Whether the sound comes in one chunk.
    let isWhole: Bool

    private let format: AVAudioFormat
    private let converter: AVAudioConverter?
    private var input: Input
    /// The frames of the file that are still to be read.
    private var left: Int64 = 0

    /// A stream in deinterleaved Float32 of a rate and number of channels.
    ///
    /// What cannot be opened or converted has no frames. The file is opened anew, so that the app's `framePosition` stays
    /// its own; frames that do not exist are left out.
    init(_ source: ScheduledSource, _ format: AVAudioFormat) {
        self.format = format
        let given: AVAudioFormat
        switch source {
        case .buffer(let buffer):
            isWhole = true
            given = buffer.format
            input = .buffer(buffer)
        case .file(let url, let start, let frames):
            isWhole = false
            guard let file = try? AVAudioFile(forReading: url) else {
                (input, converter) = (.nothing, nil)
                return
            }
            file.framePosition = start
            left = min(frames, file.length - file.framePosition)
            given = file.processingFormat
            input = .file(file)
        }
        guard !given.hasSameSamples(as: format) else {
            converter = nil
            return
        }
        converter = AVAudioConverter(from: given, to: format)
        converter?.downmix = true
        if converter == nil { input = .nothing }
    }

    /// The next chunk, which has a frame at least; nil at the end.
    func next() -> AVAudioPCMBuffer? {
        guard let converter else { return piece(Self.chunk) }
        guard let output = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: capacity(converter)) else { return nil }
        converter.convert(to: output, error: nil) { [self] frames, status in
            let buffer = piece(max(frames, 1))
            status.pointee = buffer == nil ? .endOfStream : .haveData
            return buffer
        }
        return output.frameLength > 0 ? output : nil
    }

    /// The frames of the converter's output at once: all of a buffer.
    private func capacity(_ converter: AVAudioConverter) -> AVAudioFrameCount {
        guard case .buffer(let buffer) = input else { return Self.chunk }
        let frames = Double(buffer.frameLength) * format.sampleRate / converter.inputFormat.sampleRate
        return AVAudioFrameCount(min(frames.rounded(.up) + 1, Double(Int32.max)))
    }

    private func piece(_ frames: AVAudioFrameCount) -> AVAudioPCMBuffer? {
        switch input {
        case .nothing: return nil
        case .buffer(let buffer):
            input = .nothing
            return buffer.frameLength > 0 ? buffer : nil
        case .file(let file):
            let count = AVAudioFrameCount(min(Int64(frames), left))
            guard count > 0, let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: count),
                (try? file.read(into: buffer, frameCount: count)) != nil
            else {
                input = .nothing
                return nil
            }
            left -= Int64(buffer.frameLength)
            return buffer
        }
    }
}
