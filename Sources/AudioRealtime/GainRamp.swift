/// A linear change of gain over a number of frames.
///
/// A ramp of n frames from a to b gives frame i (counted from 1) the gain `b − (b − a)/n · (n − i)`: the last frame has
/// exactly `b`, however long the ramp, because nothing is summed up on the way.
package struct GainRamp: Sendable, Equatable {
    /// The gain at the end of the ramp, linear.
    package private(set) var target: Float
    /// The change from one frame to the next, linear.
    package private(set) var step: Float
    /// Frames until the target is reached; 0 when nothing is changing.
    package private(set) var remaining: Int

    /// A gain that does not change.
    @_noLocks
    package init(_ gain: Float) {
        target = gain
        step = 0
        remaining = 0
    }

    /// The gain that the last frame had, linear.
    package var value: Float {
        @_noLocks get { remaining == 0 ? target : target - step * Float(remaining) }
    }

    /// Replaces the ramp by one from the present value to `target` in `frames` frames; 0 frames jump.
    @_noLocks
    package mutating func move(to target: Float, frames: Int) {
        let start = value
        self.target = target
        remaining = start == target ? 0 : max(frames, 0)
        step = remaining == 0 ? 0 : (target - start) / Float(remaining)
    }

    /// Goes on by one frame and returns that frame's gain.
    @_noLocks
    package mutating func next() -> Float {
        if remaining > 0 { remaining &-= 1 }
        return value
    }
}
