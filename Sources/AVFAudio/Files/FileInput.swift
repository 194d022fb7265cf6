internal import AudioFiles
internal import AudioRealtime

/// A sound file that is read into buffers of any common format.
///
/// One thread at a time uses it.
final class FileInput {
    /// The frame that the next read starts with.
    private(set) var position: AVAudioFramePosition = 0

    private let reader: AudioFileReader
    /// An error that came with frames, for the next read.
    private var pendingError: AudioFileError?

    init(_ reader: AudioFileReader) { self.reader = reader }

    /// The number of frames in the file.
    var length: AVAudioFramePosition { reader.format.frames }

    /// The format of the file as Apple's class.
    var fileFormat: AVAudioFormat { reader.format.audioFormat }

    /// Makes a frame the next; the nearest one there is.
    func move(to frame: AVAudioFramePosition) {
        position = min(max(frame, 0), length)
        pendingError = nil
    }

    /// Reads up to `frames` frames, for which the buffer has room, to its beginning.
    ///
    /// Throws the app's error if there is none; then the position is the end.
    func read(into buffer: AVAudioPCMBuffer, frames: AVAudioFrameCount) throws {
        guard frames > 0 else { return }
        do throws(AudioFileError) {
            let count = try read(buffer, Int(frames))
            position += AVAudioFramePosition(count)
            buffer.frameLength = AVAudioFrameCount(count)
            guard count == 0 else { return }
        } catch {
            position = length
            throw NSError.audio(error)
        }
        position = length
        throw NSError.audio(kAudioFileEndOfFileError, "The file has no more frames.")
    }

    private func read(_ buffer: AVAudioPCMBuffer, _ frames: Int) throws(AudioFileError) -> Int {
        if let error = pendingError {
            pendingError = nil
            throw error
        }
        guard position < length else { return 0 }
        if reader.position != position { try reader.seek(toFrame: position) }
        let wanted = Int(min(Int64(frames), length - position))
        return switch buffer.format.commonFormat {
        case .pcmFormatInt32:
            try pieces(buffer, wanted, zero: Int32(0)) { to, count throws(AudioFileError) in
                try reader.read(int32: to, frames: count)
            }
        case .pcmFormatFloat64:
            try pieces(buffer, wanted, zero: Double(0)) { to, count throws(AudioFileError) in
                try reader.read(double: to, frames: count)
            }
        case .pcmFormatInt16:
            try int16Pieces(buffer, wanted)
        default:
            try pieces(buffer, wanted, zero: Float(0)) { to, count throws(AudioFileError) in
                try reader.read(into: to, frames: count)
            }
        }
    }

    /// 16-bit samples, by way of Float32, which rounds wider ones to the nearest.
    private func int16Pieces(_ buffer: AVAudioPCMBuffer, _ frames: Int) throws(AudioFileError) -> Int {
        let channels = reader.format.channels
        var floats = [Float](repeating: 0, count: PlanarFrames.piece * channels)
        return try pieces(buffer, frames, zero: Int16(0)) { to, count throws(AudioFileError) in
            let made = try reader.read(into: &floats, frames: count)
            SampleConversion.int16(from: floats, to: to, count: made * channels)
            return made
        }
    }

    /// Reads interleaved pieces and puts them where the buffer has its channels.
    private func pieces<Sample>(
        _ buffer: AVAudioPCMBuffer, _ frames: Int, zero: Sample,
        _ read: (UnsafeMutablePointer<Sample>, Int) throws(AudioFileError) -> Int
    ) throws(AudioFileError) -> Int {
        var piece = [Sample](repeating: zero, count: PlanarFrames.piece * reader.format.channels)
        var done = 0
        while done < frames {
            let count: Int
            do throws(AudioFileError) { count = try read(&piece, min(frames - done, PlanarFrames.piece)) } catch {
                guard done > 0 else { throw error }
                pendingError = error
                break
            }
            guard count > 0 else { break }
            PlanarFrames.put(piece, frames: count, into: buffer, at: done)
            done += count
        }
        return done
    }
}

/// The way between interleaved frames and the channels of a buffer of the same samples.
enum PlanarFrames {
    /// The number of frames that are taken at once.
    static let piece = 4096

    /// Puts interleaved frames into a buffer, from a frame of it on.
    static func put<Sample>(_ source: UnsafePointer<Sample>, frames: Int, into buffer: AVAudioPCMBuffer, at start: Int)
    {
        let channels = Int(buffer.format.channelCount)
        guard buffer.blocks.count > 1 else {
            let samples = buffer.blocks[0].assumingMemoryBound(to: Sample.self)
            (samples + start * channels).update(from: source, count: frames * channels)
            return
        }
        for channel in 0..<channels {
            let samples = buffer.blocks[channel].assumingMemoryBound(to: Sample.self) + start
            for frame in 0..<frames { samples[frame] = source[frame &* channels &+ channel] }
        }
    }

    /// Takes interleaved frames out of a buffer, from a frame of it on.
    static func take<Sample>(
        _ buffer: AVAudioPCMBuffer, at start: Int, frames: Int, into destination: UnsafeMutablePointer<Sample>
    ) {
        let channels = Int(buffer.format.channelCount)
        guard buffer.blocks.count > 1 else {
            let samples = buffer.blocks[0].assumingMemoryBound(to: Sample.self)
            destination.update(from: samples + start * channels, count: frames * channels)
            return
        }
        for channel in 0..<channels {
            let samples = buffer.blocks[channel].assumingMemoryBound(to: Sample.self) + start
            for frame in 0..<frames { destination[frame &* channels &+ channel] = samples[frame] }
        }
    }
}
