internal import RealtimeShims

/// The filter that reads sound between its frames: half of a sinc with a Kaiser window (β = 9).
struct InterpolatorTable: Sendable {
    /// The table that all effects copy.
    static let shared = InterpolatorTable()

    /// The length of the filter on each side at speeds up to 1, in frames.
    static var half: Int { @_noLocks get { 32 } }
    /// The places of a frame that have a coefficient; those between are interpolated.
    static var phases: Int { @_noLocks get { 512 } }
    /// The greatest speed at which nothing above half the rate folds back.
    static var greatest: Int { @_noLocks get { 4 } }
    /// The length of the filter on each side at the greatest speed: how late the sound is.
    static var delay: Int { @_noLocks get { half &* greatest } }

    let coefficients: [Float]

    private init() {
        let cutoff = 0.92
        coefficients = (0...Self.half * Self.phases + 1).map { index in
            let distance = Double(index) / Double(Self.phases)
            let place = distance / Double(Self.half)
            guard place <= 1 else { return 0 }
            let angle = Double.pi * cutoff * distance
            let sinc = angle < 1e-9 ? 1 : rt_sine(angle) / angle
            let window = Resampler.bessel(9 * (1 - place * place).squareRoot()) / Resampler.bessel(9)
            return Float(cutoff * sinc * window)
        }
    }
}

/// A reader of sound at a speed, which decides how much of the band passes.
struct Interpolator {
    private let coefficients: UnsafePointer<Float>
    /// Places of the table for a frame of the sound.
    private var step = Double(InterpolatorTable.phases)
    private var gain: Float = 1

    /// A reader with the coefficients of ``InterpolatorTable``.
    init(coefficients: UnsafePointer<Float>) { self.coefficients = coefficients }

    /// Chooses the filter for sound that is read so many times as fast.
    mutating func choose(speed: Double) {
        let factor = min(max(speed, 1), Double(InterpolatorTable.greatest))
        step = Double(InterpolatorTable.phases) / factor
        gain = Float(1 / factor)
    }

    /// The sound at a place behind a frame; `frame` points to it, and has ``InterpolatorTable/delay`` frames on each side.
    ///
    /// - Parameter fraction: The place between two frames, in 1/2³².
    @_noLocks
    func value(at frame: UnsafePointer<Float>, fraction: UInt64) -> Float {
        let place = Double(fraction) / 4_294_967_296
        return gain * (side(frame, -1, place) + side(frame + 1, 1, 1 - place))
    }

    /// The part of the sum on one side, from a frame at a distance on.
    @_noLocks
    private func side(_ frame: UnsafePointer<Float>, _ direction: Int, _ distance: Double) -> Float {
        var (sum, index, place): (Float, Int, Double) = (0, 0, distance * step)
        let end = Double(InterpolatorTable.half &* InterpolatorTable.phases)
        while place < end {
            let row = Int(place)
            let (lower, upper) = (coefficients[row], coefficients[row &+ 1])
            sum += frame[index] * (lower + (upper - lower) * Float(place - Double(row)))
            index &+= direction
            place += step
        }
        return sum
    }
}
