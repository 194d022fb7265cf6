/// A linear change of gain over a number of frames.
///
/// A ramp of n frames from a to b gives frame i (counted from 1) the gain `b − (b − a)/n · (n − i)`. The last frame has
/// exactly `b`, however long the ramp, because no errors are summed. A ramp can also be rewound, with frames that are
/// rendered again.
///
/// A ramp that begins at another gain than the present one is preceded by a lead, a short ramp to its start.
package struct GainRamp: Sendable, Equatable {
    /// The gain at the end of the ramp, linear.
    package private(set) var target: Float
    /// The change from one frame to the next, linear.
    package private(set) var step: Float
    /// Frames of the ramp; 0 for a jump.
    private var length: Int
    /// Frames of the lead before the ramp.
    private var leadLength: Int
    /// The lead's change from one frame to the next.
    private var leadStep: Float
    /// Frames to the end; negative behind it, and more than both lengths before the start.
    private var distance: Int

    /// A gain that does not change.
    @_noLocks
    package init(_ gain: Float) {
        target = gain
        step = 0
        length = 0
        leadLength = 0
        leadStep = 0
        distance = 0
    }

    /// Frames until the target is reached; 0 when nothing is changing.
    package var remaining: Int {
        @_noLocks get { length == 0 || distance < 0 ? 0 : distance }
    }

    /// The gain that the last frame had, linear.
    package var value: Float {
        @_noLocks get {
            if distance <= 0 { return target }
            if distance <= length { return target - step * Float(distance) }
            let before = distance &- length
            return target - step * Float(length) - leadStep * Float(before < leadLength ? before : leadLength)
        }
    }

    /// Replaces the ramp by one from the present value to `target` in `frames` frames; 0 frames jump.
    @_noLocks
    package mutating func move(to target: Float, frames: Int) {
        let start = value
        self.target = target
        length = start == target ? 0 : max(frames, 0)
        leadLength = 0
        distance = length
        step = length == 0 ? 0 : (target - start) / Float(length)
    }

    /// Replaces the ramp by one from `start`, which is reached in `leadFrames` frames, to `target` in `frames` more.
    @_noLocks
    package mutating func move(from start: Float, leadFrames: Int, to target: Float, frames: Int) {
        let before = value
        guard start != target, frames > 0 else { return move(to: target, frames: frames > 0 ? leadFrames : 0) }
        move(to: start, frames: 0)
        move(to: target, frames: frames)
        guard before != start, leadFrames > 0 else { return }
        leadLength = leadFrames
        leadStep = (start - before) / Float(leadFrames)
        distance = length &+ leadFrames
    }

    /// Advances by one frame and returns that frame's gain.
    @_noLocks
    package mutating func next() -> Float {
        distance &-= 1
        return value
    }

    /// Advances by a number of frames, or rewinds if negative.
    @_noLocks
    package mutating func advance(frames: Int) { distance &-= frames }
}
