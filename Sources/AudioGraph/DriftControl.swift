/// The control of a conversion between two clocks of nearly one rate, by the sound that waits between them.
///
/// What waits is held at a target: the average deviation, and its sum over time, change the ratio of the conversion. The
/// clocks of sound devices differ by some hundred millionths.
package struct DriftControl: Sendable {
    /// The greatest difference of the clocks that is followed, as a fraction.
    package static let limit = 0.002
    /// The time over which deviations are averaged, in seconds: many deliveries of a device.
    private static let smoothing = 1.0
    /// How fast a deviation is corrected, for each second; the sum over time has a quarter of its square.
    private static let gain = 0.1

    /// The target fill level of the buffer between the clocks, in seconds.
    package private(set) var target: Double
    private var deviation = 0.0
    private var difference = 0.0

    /// A control that begins with equal clocks.
    package init(target: Double) { self.target = target }

    /// The frames to take for each frame that is given.
    package var ratio: Double { 1 + Self.clamped(Self.gain * deviation + difference) }

    /// Notes what waits, in seconds, before the next `seconds` of sound are given.
    package mutating func follow(waiting: Double, for seconds: Double) {
        deviation += (waiting - target - deviation) * min(seconds / Self.smoothing, 1)
        difference = Self.clamped(difference + Self.gain * Self.gain / 4 * deviation * seconds)
    }

    /// Sets the target in seconds and forgets the deviation, after a break; the difference of the clocks stays known.
    package mutating func restart(target: Double) {
        self.target = target
        deviation = 0
    }

    private static func clamped(_ value: Double) -> Double { min(max(value, -limit), limit) }
}
