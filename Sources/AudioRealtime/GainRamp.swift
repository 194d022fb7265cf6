/// A linear change of gain over a number of frames.
///
/// A ramp of n frames from a to b gives frame i (counted from 1) the gain `b − (b − a)/n · (n − i)`: the last frame has
/// exactly `b`, however long the ramp, because nothing is summed up on the way. So a ramp can go back as well, which it
/// does with frames that are rendered again.
package struct GainRamp: Sendable, Equatable {
    /// The gain at the end of the ramp, linear.
    package private(set) var target: Float
    /// The change from one frame to the next, linear.
    package private(set) var step: Float
    /// Frames of the whole ramp; 0 for a jump.
    private var length: Int
    /// Frames to the end; negative behind it, and more than `length` before the start.
    private var distance: Int

    /// A gain that does not change.
    @_noLocks
    package init(_ gain: Float) {
        target = gain
        step = 0
        length = 0
        distance = 0
    }

    /// Frames until the target is reached; 0 when nothing is changing.
    package var remaining: Int {
        @_noLocks get { length == 0 || distance < 0 ? 0 : distance }
    }

    /// The gain that the last frame had, linear.
    package var value: Float {
        @_noLocks get { distance <= 0 ? target : target - step * Float(distance < length ? distance : length) }
    }

    /// Replaces the ramp by one from the present value to `target` in `frames` frames; 0 frames jump.
    @_noLocks
    package mutating func move(to target: Float, frames: Int) {
        let start = value
        self.target = target
        length = start == target ? 0 : max(frames, 0)
        distance = length
        step = length == 0 ? 0 : (target - start) / Float(length)
    }

    /// Goes on by one frame and returns that frame's gain.
    @_noLocks
    package mutating func next() -> Float {
        distance &-= 1
        return value
    }

    /// Goes on by so many frames, or back by as many if negative.
    @_noLocks
    package mutating func advance(frames: Int) { distance &-= frames }
}
