internal import AudioGraph
internal import AudioRealtime

/// An engine's rendering for the device: the timeline, and the memory of a block.
///
/// One begins with each format of the device; its timeline goes on from one start of the engine to the next.
// SAFETY: `RenderGate` gives the block's memory to one thread at a time; the rest is constant or atomic.
final class DeviceRendering: @unchecked Sendable {
    /// The rate and channels of the session's output, in deinterleaved Float32.
    let format: AVAudioFormat
    let renderer = Renderer()
    /// The host times at which blocks are heard.
    let clock: RenderClock

    private let block: PlanarBlock
    private let interleaved: UnsafeMutablePointer<Float>

    /// A timeline that begins at 0.
    init(_ format: AVAudioFormat) {
        self.format = format
        clock = RenderClock(rate: format.sampleRate)
        block = PlanarBlock(channels: Int(format.channelCount))
        interleaved = .allocate(capacity: block.channels * GraphCompiler.longestBlock)
        interleaved.initialize(repeating: 0, count: block.channels * GraphCompiler.longestBlock)
    }

    deinit { interleaved.deallocate() }

    /// The position of the first frame of the newest block.
    var lastStart: Int { clock.lastStart.position }

    /// Renders the next frames, at most as many as a block has, to a ring that has room for them.
    ///
    /// - Parameter heard: The position that is heard now; nil before the first block.
    /// - Returns: The position of the first frame.
    func render(_ frames: Int, to ring: Voice, heard: Int?) -> Int {
        let position = renderer.position
        let delay = Double(position - (heard ?? position)) / format.sampleRate
        clock.begin(position, at: UInt64(max(0, Double(mach_absolute_time()) + delay * 1e9)))
        renderer.render(into: UnsafePointer(block.pointers), channels: block.channels, frames: frames)
        for channel in 0..<block.channels {
            let (source, target) = (block.pointers[channel], interleaved + channel)
            for frame in 0..<frames { target[frame &* block.channels] = source[frame] }
        }
        _ = ring.write(interleaved, frames: frames)
        return position
    }
}
