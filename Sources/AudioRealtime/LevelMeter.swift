import RealtimeShims

/// The levels of a piece of sound, one for each channel; linear, full scale is 1.
package struct Levels: Sendable, Equatable {
    /// The largest magnitude.
    package var peak: [Float]
    /// The root of the mean square.
    package var average: [Float]

    /// Creates levels from linear values, one for each channel.
    package init(peak: [Float], average: [Float]) {
        self.peak = peak
        self.average = average
    }
}

/// A linear level in decibels relative to full scale (dBFS), never below −160.
package func decibels(_ linear: Float) -> Float {
    guard linear > 0 else { return -160 }
    return max(Float(20 * rt_log10(Double(linear))), -160)
}

/// A meter of peak and mean square of interleaved buffers, for example captured ones.
///
/// `measure` neither allocates nor locks; it may be called from the callback that brings the buffers.
// Used on one thread at a time; callers of `measure` and `take` on different threads hold one lock for both.
package final class LevelMeter {
    /// Number of interleaved channels.
    package let channels: Int
    private let peaks: UnsafeMutablePointer<Float>
    private let squares: UnsafeMutablePointer<Double>
    private let measured: UnsafeMutablePointer<Int>

    /// Creates a meter for buffers of `channels` interleaved channels.
    package init(channels: Int) {
        self.channels = channels
        peaks = .allocate(capacity: channels)
        squares = .allocate(capacity: channels)
        measured = .allocate(capacity: 1)
        peaks.initialize(repeating: 0, count: channels)
        squares.initialize(repeating: 0, count: channels)
        measured.initialize(to: 0)
    }

    deinit {
        peaks.deallocate()
        squares.deallocate()
        measured.deallocate()
    }

    /// Adds interleaved 16-bit frames to the measurement.
    @_noLocks
    package func measure(int16 source: UnsafePointer<Int16>, frames: Int) {
        for index in 0..<frames &* channels { add(Float(source[index]) * 0x1p-15, channel: index % channels) }
        measured.pointee &+= frames
    }

    /// Adds interleaved 32-bit frames to the measurement.
    @_noLocks
    package func measure(int32 source: UnsafePointer<Int32>, frames: Int) {
        for index in 0..<frames &* channels { add(Float(source[index]) * 0x1p-31, channel: index % channels) }
        measured.pointee &+= frames
    }

    /// Adds interleaved floating-point frames to the measurement.
    @_noLocks
    package func measure(float source: UnsafePointer<Float>, frames: Int) {
        for index in 0..<frames &* channels { add(source[index], channel: index % channels) }
        measured.pointee &+= frames
    }

    /// Adds a number of silent frames to the measurement.
    @_noLocks
    package func measureSilence(frames: Int) { measured.pointee &+= frames }

    /// The levels since the last call, or nil if nothing was measured; starts a new measurement.
    package func take() -> Levels? {
        let frames = measured.pointee
        guard frames > 0 else { return nil }
        let levels = Levels(
            peak: (0..<channels).map { peaks[$0] },
            average: (0..<channels).map { Float((squares[$0] / Double(frames)).squareRoot()) })
        peaks.update(repeating: 0, count: channels)
        squares.update(repeating: 0, count: channels)
        measured.pointee = 0
        return levels
    }

    @_noLocks
    private func add(_ sample: Float, channel: Int) {
        let magnitude = sample < 0 ? -sample : sample
        if magnitude > peaks[channel] { peaks[channel] = magnitude }
        squares[channel] += Double(sample) * Double(sample)
    }
}
