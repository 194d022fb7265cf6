internal import AudioGraph

/// An engine's rendering of what a device captures: taps and sinks of the input, by the capture's clock alone.
///
/// What leads on to the output waits in a window, which the output reads by its own clock.
// SAFETY: `RenderGate` gives the captured block to one thread at a time; the rest is constant or atomic.
final class CaptureRendering: @unchecked Sendable {
    /// The rate and channels of the capture, in deinterleaved Float32.
    let format: AVAudioFormat
    let renderer = Renderer()
    /// The frames on their way to the output.
    let window: TapBuffer
    /// The output's end of the window.
    let reader: DriftReader

    /// The host times at which blocks were captured.
    let clock: RenderClock
    /// The block that is being rendered, interleaved; nil for silence.
    private var block: UnsafePointer<Float>?

    /// A timeline that begins at 0.
    ///
    /// - Parameter waiting: The sound that is to wait for the output, in seconds.
    init(_ format: AVAudioFormat, waiting: Double) {
        self.format = format
        clock = RenderClock(rate: format.sampleRate)
        window = TapBuffer(channels: Int(format.channelCount), capacity: Int(format.sampleRate))
        reader = DriftReader(window, rate: format.sampleRate, target: waiting)
    }

    /// The position of the first frame of the newest block, and the host time at which it was captured.
    var lastStart: (position: Int, hostTime: UInt64) { clock.lastStart }

    /// Renders captured frames, at most as many as a block has; nil is silence.
    func render(_ samples: UnsafePointer<Float>?, frames: Int) {
        block = samples
        let duration = UInt64(Double(frames) / format.sampleRate * 1e9)
        clock.begin(renderer.position, at: mach_absolute_time() - duration)
        // Nobody hears the program's own output.
        withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Float>.self, capacity: 1) { none in
            guard let none = none.baseAddress else { return }
            renderer.render(into: UnsafePointer(none), channels: 0, frames: frames)
        }
        block = nil
    }

    /// Writes the captured block; false if it is silent.
    func give(_ samples: Samples, _ frames: Int, _ position: Int) -> Bool {
        guard let block else { return false }
        let (channels, first) = (Int(format.channelCount), position - clock.lastStart.position)
        for channel in 0..<min(channels, samples.channelCount) {
            let (source, target) = (block + first * channels + channel, samples.channels[channel])
            for frame in 0..<frames { target[frame] = source[frame * channels] }
        }
        return true
    }
}
