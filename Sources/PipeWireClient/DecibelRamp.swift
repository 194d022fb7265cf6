internal import Glibc

/// A gain ramp that is linear in decibels.
///
/// Gains are linear factors, times are seconds of any one clock. Gains below −60 dB count as −60 dB during the ramp; the
/// last one is exact.
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

    /// The gain at a time; `to` from the end on.
    func gain(at time: Double) -> Float {
        let passed = time - start
        guard passed > 0 || duration == 0 else { return from }
        guard passed < duration else { return to }
        let low = max(from, Self.floor)
        let high = max(to, Self.floor)
        return low * powf(high / low, Float(passed / duration))
    }

    /// Whether the ramp has ended at a time.
    func isOver(at time: Double) -> Bool { time - start >= duration }

    private static let floor: Float = 0.001
}
