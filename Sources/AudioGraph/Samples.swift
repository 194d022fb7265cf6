/// The samples of one bus: a block of Float32 for each channel.
///
/// A view of memory that belongs to a ``Program``, and is valid while the program lives.
package struct Samples {
    /// The address of each channel's first frame.
    package let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// Number of channels.
    package let channelCount: Int

    /// A view of blocks that outlive it.
    package init(channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int) {
        self.channels = channels
        self.channelCount = channelCount
    }

    /// Writes `frames` frames of silence.
    @_noLocks
    func clear(frames: Int) {
        for channel in 0..<channelCount { channels[channel].update(repeating: 0, count: frames) }
    }
}

/// Copies frames of one channel.
@_noLocks
func copyFrames(_ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>, _ count: Int) {
    UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count &* MemoryLayout<Float>.stride)
}
