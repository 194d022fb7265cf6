import RealtimeShims
import Synchronization

/// A sound source in the mix: a ring of Float32 interleaved frames at the stream's rate, with gain, pan and meter.
///
/// A feeder thread writes, the render side (see ``Mixer``) reads, and any thread sets gain and pan or asks for levels.
// SAFETY: other threads only use the atomics and their own side of the ring; the rest belongs to the render side.
package final class Voice: @unchecked Sendable {
    /// Number of source channels.
    package let channels: Int
    let state: UnsafeMutablePointer<VoiceState>

    /// Makes a silent voice at gain 1.
    ///
    /// - Parameters:
    ///   - channels: Number of interleaved source channels.
    ///   - matrix: From these channels to the mixer's.
    ///   - capacity: Frames that the feeder can write ahead.
    ///   - history: Frames that can be rendered again, see ``rewind(frames:)``.
    package init(channels: Int, matrix: ChannelMatrix, capacity: Int, history: Int) {
        self.channels = channels
        state = .allocate(capacity: 1)
        state.initialize(to: VoiceState(channels: channels, matrix: matrix, capacity: capacity, history: history))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    // MARK: Feeder thread

    /// Copies up to `frames` interleaved frames in and returns how many fitted.
    @_noLocks
    package func write(_ source: UnsafePointer<Float>, frames: Int) -> Int {
        state.pointee.ring.write(source, frames: frames)
    }

    /// The number of frames that a write would accept now.
    package var writableFrames: Int { state.pointee.ring.writableFrames() }

    /// Copies up to `frames` frames, from the voice's frame `frame` on, that were written and are not rendered yet.
    ///
    /// Returns the number of frames copied.
    package func copy(from frame: Int, frames: Int, to destination: UnsafeMutablePointer<Float>) -> Int {
        state.pointee.ring.copy(from: frame, frames: frames, to: destination)
    }

    /// Discards the frames written from the voice's frame `frame` on, which must not have been rendered yet.
    ///
    /// Under the renderer's lock.
    package func truncate(to frame: Int) { state.pointee.ring.truncate(to: frame) }

    /// Sets whether the last frame was written, so that an empty ring means the end and not starvation.
    package func setEnded(_ ended: Bool) { state.pointee.isEnded.store(ended, ordering: .releasing) }

    // MARK: Any thread

    /// Moves the gain linearly from its present value to `gain` (linear) within `rampFrames` frames of this voice.
    ///
    /// 0 frames jump at the next render call. A later call replaces an earlier one, also before the next render call.
    /// With `start` the ramp begins at another gain than the current one, which is reached in `start.frames` first.
    package func setGain(_ gain: Float, rampFrames: Int, from start: (gain: Float, frames: Int)? = nil) {
        if let start {
            let lead = VoiceState.command(start.gain, Self.frames(start.frames))
            state.pointee.pendingStart.store(lead, ordering: .relaxed)
        }
        state.pointee.pendingGain.store(VoiceState.command(gain, Self.frames(rampFrames)), ordering: .releasing)
    }

    private static func frames(_ count: Int) -> UInt32 { UInt32(clamping: min(max(count, 0), Int(Int32.max))) }

    /// Places the sound between left (−1) and right (1) at constant power; the centre is exactly gain 1 on both.
    ///
    /// Without a left and a right output it has no effect. A change is spread over 256 frames once sound runs.
    package func setPan(_ pan: Float) {
        let gains = Self.panGains(pan)
        let command = VoiceState.command(gains.left, gains.right.bitPattern)
        state.pointee.pendingPan.store(command, ordering: .releasing)
    }

    /// The gain of the last rendered frame, or one that is already set for the next.
    package var currentGain: Float {
        let pending = state.pointee.pendingGain.load(ordering: .acquiring)
        let jumps = pending != VoiceState.none && UInt32(truncatingIfNeeded: pending) == 0
        let bits = jumps ? UInt32(pending >> 32) : state.pointee.currentGain.load(ordering: .acquiring)
        return Float(bitPattern: bits)
    }

    /// Whether rendering measures levels.
    package var isMetering: Bool {
        get { state.pointee.isMetering.load(ordering: .relaxed) }
        set { state.pointee.isMetering.store(newValue, ordering: .relaxed) }
    }

    /// The number of frames written and not rendered yet.
    package var readableFrames: Int { state.pointee.ring.readableFrames() }

    /// Whether the last frame was written.
    package var isEnded: Bool { state.pointee.isEnded.load(ordering: .acquiring) }

    /// Whether the last frame was written and every frame was rendered.
    package var isFinished: Bool {
        state.pointee.isEnded.load(ordering: .acquiring) && state.pointee.ring.readableFrames() == 0
    }

    /// The frames that the mixer needed before the feeder had written them, since the last reset.
    package var framesStarved: Int { state.pointee.framesStarved.load(ordering: .relaxed) }

    /// The position of the next frame to render: the frames rendered since the last reset, less the rewound ones.
    package var framesRendered: Int { state.pointee.ring.framesRead() }

    /// The levels after gain, for each source channel, of the `window` frames before frame `atFrame`.
    ///
    /// Levels are stored in blocks of one render call, and every block that overlaps the window counts whole. Nil if
    /// nothing was metered there, or if it was too long ago (256 blocks).
    package func levels(atFrame: Int, window: Int) -> Levels? {
        state.pointee.levels.levels(atFrame: atFrame, window: window)
    }

    // MARK: Render side

    /// Moves the next frame to render back by up to `frames` frames and returns by how many.
    ///
    /// On the render thread, or under the lock it holds. Gain and pan are rewound as well, up to the last change of
    /// each.
    package func rewind(frames: Int) -> Int {
        let count = state.pointee.ring.rewind(frames: frames)
        guard count > 0 else { return 0 }
        advanceRamps(state, frames: -count)
        state.pointee.levels.forget(after: state.pointee.ring.framesRead())
        return count
    }

    /// Replaces the matrix from the next frame to render on, to use the voice in another mixer.
    ///
    /// On the render thread, or under the lock it holds.
    package func setMatrix(_ matrix: ChannelMatrix) {
        precondition(matrix.inputs == channels, "the matrix does not fit the voice's channels")
        state.pointee.places.pointee.coefficients.deallocate()
        state.pointee.places.pointee = VoiceState.Places(matrix)
    }

    /// Skips up to `frames` frames that were heard in spite of a rewind; returns the number of frames skipped.
    ///
    /// On the render thread, or under the lock it holds.
    package func skip(frames: Int) -> Int {
        let count = state.pointee.ring.skip(frames: frames)
        advanceRamps(state, frames: count)
        return count
    }

    /// Empties the voice and counts from zero.
    ///
    /// Under the renderer's lock, and only while the feeder does not write.
    ///
    /// - Parameter keepsRamps: Whether gain and pan keep their ramps; otherwise they jump to the targets.
    package func reset(keepsRamps: Bool = false) {
        state.pointee.ring.reset()
        state.pointee.levels.forget(after: 0)
        state.pointee.isEnded.store(false, ordering: .releasing)
        state.pointee.framesStarved.store(0, ordering: .relaxed)
        takeCommands(state)
        if !keepsRamps { finishRamps(state) }
    }

    /// Copies another voice's gain, with the rest of its ramp.
    ///
    /// Under the lock of the render sides of both.
    package func takeGain(of other: Voice) {
        takeCommands(other.state)
        takeCommands(state)
        state.pointee.ramps.pointee.gain = other.state.pointee.ramps.pointee.gain
        state.pointee.currentGain.store(state.pointee.ramps.pointee.gain.value.bitPattern, ordering: .releasing)
    }

    /// √2·cos and √2·sin of the angle between left (0) and right (π/2).
    static func panGains(_ pan: Float) -> (left: Float, right: Float) {
        // The sine of a rounded angle is not exact at the three places where that matters.
        let pan = pan.isNaN ? 0 : min(max(pan, -1), 1)
        switch pan {
        case -1: return (Float(2).squareRoot(), 0)
        case 0: return (1, 1)
        case 1: return (0, Float(2).squareRoot())
        default:
            let angle = Double(pan + 1) * .pi / 4
            return (Float(2.0.squareRoot() * rt_cosine(angle)), Float(2.0.squareRoot() * rt_sine(angle)))
        }
    }
}
