/// The samples of one bus: a block of Float32 for each channel.
///
/// A view of memory that belongs to a ``Program``, and is valid while the program lives.
package struct Samples {
    /// The address of each channel's first frame.
    package let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// Number of channels.
    package let channelCount: Int
    /// Whether the blocks are known to be silent; nil for blocks of which nobody asks.
    let silence: UnsafeMutablePointer<Silence>?

    /// A view of blocks that outlive it.
    package init(channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int) {
        self.init(channels: channels, channelCount: channelCount, silence: nil)
    }

    init(
        channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int,
        silence: UnsafeMutablePointer<Silence>?
    ) {
        self.channels = channels
        self.channelCount = channelCount
        self.silence = silence
    }

    /// Whether all frames of the blocks are zeros, as far as is known.
    var isSilent: Bool {
        @_noLocks get { silence?.pointee.isSilent ?? false }
    }

    /// Says that a block of sound is written.
    @_noLocks
    func becomeSound() { silence?.pointee.isSilent = false }

    /// Makes all frames zeros, `frames` at least, unless they are.
    @_noLocks
    func becomeSilent(frames: Int) {
        guard let silence else { return clear(frames: frames) }
        if silence.pointee.isSilent { return }
        clear(frames: silence.pointee.capacity)
        silence.pointee.isSilent = true
    }

    /// Writes `frames` frames of silence.
    @_noLocks
    package func clear(frames: Int) {
        for channel in 0..<channelCount { channels[channel].update(repeating: 0, count: frames) }
    }
}

/// What is known of the blocks of one bus.
struct Silence {
    /// Whether all frames are zeros.
    var isSilent: Bool
    /// The number of frames of each block.
    let capacity: Int
}

/// Copies frames of one channel.
@_noLocks
func copyFrames(_ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>, _ count: Int) {
    UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count &* MemoryLayout<Float>.stride)
}
