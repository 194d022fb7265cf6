internal import AudioGraph

/// The way of sound from a tap's window to buffers of the app's format and size.
///
/// One thread at a time uses it.
final class TapWay {
    /// The longest buffer, in seconds, and that of an app without a wish.
    private static let (longest, usual) = (0.4, 0.1)

    private let rate: Double
    private let format: AVAudioFormat
    private let size: AVAudioFrameCount
    private let planar: AVAudioFormat
    private let converter: AVAudioConverter?
    /// The buffer that is being filled.
    private var partial: AVAudioPCMBuffer?
    /// The time of the next frame of a buffer, in frames of its format.
    private var time = 0
    /// The position of the next frame of the sound; nil before the first one.
    private var expected: Int?

    /// Nil if the format is not PCM of a common kind.
    init?(_ sound: AVAudioFormat, _ format: AVAudioFormat, wish: AVAudioFrameCount) {
        guard format.canBeRendered else { return nil }
        planar = sound.standardized
        self.format = format
        rate = sound.sampleRate
        let seconds = wish == 0 ? Self.usual : min(Double(wish) / format.sampleRate, Self.longest)
        size = AVAudioFrameCount(max((seconds * format.sampleRate).rounded(), 1))
        if format.hasSameSamples(as: planar) {
            converter = nil
        } else {
            guard let made = AVAudioConverter(from: planar, to: format) else { return nil }
            made.downmix = true
            converter = made
        }
    }

    /// Takes the first waiting frames of a window, at a position of the node, and gives full buffers with their times.
    ///
    /// Sound behind a gap begins a new buffer, and what was gathered before is given up.
    func take(
        _ window: TapBuffer, _ frames: Int, _ position: Int, _ give: (AVAudioPCMBuffer, AVAudioTime) -> Void
    ) {
        if position != expected {
            partial = nil
            time = Int((Double(position) * format.sampleRate / rate).rounded())
            converter?.reset()
        }
        expected = position + frames
        guard let input = AVAudioPCMBuffer(pcmFormat: planar, frameCapacity: AVAudioFrameCount(frames)),
            let channels = input.floatChannelData
        else { return }
        for channel in 0..<window.channels { window.copy(channel: channel, frames: frames, to: channels[channel]) }
        input.frameLength = AVAudioFrameCount(frames)
        guard let converter else { return gather(input, give) }
        var isGiven = false
        var status = AVAudioConverterOutputStatus.haveData
        while status == .haveData {
            guard let output = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: size) else { return }
            status = converter.convert(to: output, error: nil) { _, status in
                status.pointee = isGiven ? .noDataNow : .haveData
                defer { isGiven = true }
                return isGiven ? nil : input
            }
            gather(output, give)
        }
    }

    /// Puts frames of the format into buffers of the size.
    private func gather(_ input: AVAudioPCMBuffer, _ give: (AVAudioPCMBuffer, AVAudioTime) -> Void) {
        var done: AVAudioFrameCount = 0
        while done < input.frameLength {
            guard let buffer = partial ?? AVAudioPCMBuffer(pcmFormat: format, frameCapacity: size) else { return }
            partial = buffer
            let count = min(input.frameLength - done, size - buffer.frameLength)
            buffer.append(input, from: done, frames: count)
            done += count
            guard buffer.frameLength == size else { continue }
            partial = nil
            give(buffer, AVAudioTime(sampleTime: AVAudioFramePosition(time), atRate: format.sampleRate))
            time += Int(size)
        }
    }
}

extension AVAudioPCMBuffer {
    /// Adds frames of a buffer of the same format, for which there is room.
    fileprivate func append(_ other: AVAudioPCMBuffer, from start: AVAudioFrameCount, frames: AVAudioFrameCount) {
        let bytes = Int(format.basicDescription.mBytesPerFrame)
        for (target, source) in zip(blocks, other.blocks) {
            (target + Int(frameLength) * bytes).copyMemory(
                from: source + Int(start) * bytes, byteCount: Int(frames) * bytes)
        }
        frameLength += frames
    }
}
