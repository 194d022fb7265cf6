import Foundation

/// What was heard: samples per channel, with the questions that tests ask of them.
///
/// Positions and lengths are in frames, levels in dBFS (a full-scale sine has a peak level of 0 and an RMS level of
/// −3).
package struct Recording: Sendable {
    /// In Hz.
    package let sampleRate: Int
    /// The samples of each channel, −1 to 1.
    package let channels: [[Float]]
    /// The same as interleaved 16-bit samples, untouched; empty if the sink has another format.
    package let pcm16: [Int16]

    /// The number of frames.
    package var frames: Int { channels.first?.count ?? 0 }
    /// In seconds.
    package var duration: Double { Double(frames) / Double(sampleRate) }

    /// Takes interleaved 16-bit samples.
    package init(pcm16: [Int16], sampleRate: Int, channels count: Int) {
        self.pcm16 = pcm16
        self.sampleRate = sampleRate
        channels = Self.split(pcm16, count) { Float($0) / 32_768 }
    }

    /// Takes interleaved floating-point samples.
    package init(float samples: [Float], sampleRate: Int, channels count: Int) {
        pcm16 = []
        self.sampleRate = sampleRate
        channels = Self.split(samples, count) { $0 }
    }

    /// The frames of a range, as a recording of their own.
    package subscript(range: Range<Int>) -> Recording {
        let range = range.clamped(to: 0..<frames)
        let count = channels.count
        if !pcm16.isEmpty {
            let part = pcm16[range.lowerBound * count..<range.upperBound * count]
            return Recording(pcm16: Array(part), sampleRate: sampleRate, channels: count)
        }
        let part = range.flatMap { frame in channels.map { $0[frame] } }
        return Recording(float: part, sampleRate: sampleRate, channels: count)
    }

    /// The frame at a time in seconds.
    package func frame(at seconds: Double) -> Int { Int((seconds * Double(sampleRate)).rounded()) }

    /// The level of the root of the mean square, in dBFS; −infinity for silence.
    package func rmsLevel(_ range: Range<Int>? = nil, channel: Int = 0) -> Double {
        let part = channels[channel][clamped(range)]
        let sum = part.reduce(0.0) { $0 + Double($1) * Double($1) }
        return part.isEmpty ? -.infinity : 10 * log10(sum / Double(part.count))
    }

    /// The level of the largest sample, in dBFS; −infinity for silence.
    package func peakLevel(_ range: Range<Int>? = nil, channel: Int = 0) -> Double {
        20 * log10(Double(channels[channel][clamped(range)].reduce(0) { max($0, abs($1)) }))
    }

    /// From the first to the last frame that is louder than `threshold` (dBFS) on any channel; nil if none is.
    package func soundRange(threshold: Double = -60) -> Range<Int>? {
        let limit = Self.amplitude(threshold)
        guard let first = firstFrame(above: limit), let last = lastFrame(above: limit) else { return nil }
        return first..<last + 1
    }

    /// The holes: stretches of at least `minimumFrames` in which no channel is louder than `threshold` (dBFS).
    ///
    /// Without a range, only those within the sound count, not the silence before and after it.
    package func gaps(
        threshold: Double = -60, minimumFrames: Int = 44, in range: Range<Int>? = nil
    ) -> [Range<Int>] {
        let limit = Self.amplitude(threshold)
        guard let range = range ?? soundRange(threshold: threshold) else { return [] }
        var found: [Range<Int>] = []
        var start: Int?
        for frame in range {
            if isLoud(frame, limit) {
                if let begin = start, frame - begin >= minimumFrames { found.append(begin..<frame) }
                start = nil
            } else if start == nil {
                start = frame
            }
        }
        if let begin = start, range.upperBound - begin >= minimumFrames { found.append(begin..<range.upperBound) }
        return found
    }

    func clamped(_ range: Range<Int>?) -> Range<Int> {
        range?.clamped(to: 0..<frames) ?? 0..<frames
    }

    static func amplitude(_ level: Double) -> Float { Float(pow(10, level / 20)) }

    private func isLoud(_ frame: Int, _ limit: Float) -> Bool {
        for channel in channels where abs(channel[frame]) > limit { return true }
        return false
    }

    private func firstFrame(above limit: Float) -> Int? {
        channels.compactMap { $0.firstIndex { abs($0) > limit } }.min()
    }

    private func lastFrame(above limit: Float) -> Int? {
        channels.compactMap { $0.lastIndex { abs($0) > limit } }.max()
    }

    private static func split<Sample>(_ samples: [Sample], _ count: Int, _ convert: (Sample) -> Float) -> [[Float]] {
        let frames = samples.count / count
        // An empty array that is made as below writes to what all empty arrays share, which ThreadSanitizer dislikes.
        guard frames > 0 else { return Array(repeating: [], count: count) }
        return (0..<count).map { channel in
            [Float](unsafeUninitializedCapacity: frames) { values, initialized in
                for frame in 0..<frames { values[frame] = convert(samples[frame * count + channel]) }
                initialized = frames
            }
        }
    }
}

extension Recording: CustomStringConvertible {
    /// Short: where an expectation fails, a million samples say less.
    package var description: String { "\(frames) frames of \(channels.count) channels at \(sampleRate) Hz" }
}
