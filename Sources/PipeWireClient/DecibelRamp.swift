internal import Glibc

/// A gain on its way from one value to another, by as many decibels in each moment.
///
/// Gains are linear, times in seconds on any one clock. Equal decibels sound even; what lies below −60 dB counts as
/// that on the way, and is silence at the end.
struct DecibelRamp: Hashable {
    let from: Float
    let to: Float
    let start: Double
    let duration: Double

    init(from: Float, to: Float, start: Double, duration: Double) {
        self.from = from
        self.to = to
        self.start = start
        self.duration = max(0, duration)
    }

    /// The gain at a time; `to` at the end and after.
    func gain(at time: Double) -> Float {
        let passed = time - start
        guard passed > 0 || duration == 0 else { return from }
        guard passed < duration else { return to }
        let low = max(from, Self.floor)
        let high = max(to, Self.floor)
        return low * powf(high / low, Float(passed / duration))
    }

    /// Whether it has arrived.
    func isOver(at time: Double) -> Bool { time - start >= duration }

    private static let floor: Float = 0.001
}
