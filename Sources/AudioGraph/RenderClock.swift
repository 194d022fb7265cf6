/// The frames of one sample rate during a block of a program.
///
/// Its positions follow from the renderer's position alone, so they are the same for every size of blocks, and for
/// every program of a renderer.
struct RenderClock {
    /// The rate as a fraction of the renderer's.
    let ratio: RateRatio
    /// The position of the block's first frame.
    var position = 0
    /// The frames of the block.
    var frames = 0

    init(ratio: RateRatio) { self.ratio = ratio }

    /// The most frames in a block of `frames` frames of the renderer.
    func most(of frames: Int) -> Int { ratio.position(frames) + 1 }

    /// Begins a block of the renderer.
    @_noLocks
    mutating func begin(position start: Int, frames count: Int) {
        position = ratio.position(start)
        frames = ratio.position(start &+ count) &- position
    }
}

/// A ratio of two sample rates, as a fraction in its lowest terms.
package struct RateRatio: Sendable, Equatable {
    let numerator: Int
    let denominator: Int

    /// The ratio of a rate to another one, both in Hz; rates that are no integers count in steps of 1/1000 Hz.
    package init(_ rate: Double, to other: Double) {
        precondition([rate, other].allSatisfy { $0 > 0 && $0 <= Self.greatest }, "a sample rate is in range")
        let isWhole = rate == rate.rounded() && other == other.rounded()
        let scale = isWhole ? 1.0 : 1000
        let (one, two) = (max(Int((rate * scale).rounded()), 1), max(Int((other * scale).rounded()), 1))
        let divisor = Self.divisor(one, two)
        numerator = one / divisor
        denominator = two / divisor
    }

    /// The greatest rate, in Hz: products of two rates in 1/1000 Hz stay below 2^62.
    package static let greatest = 2_000_000.0

    /// The position that stands for a position of the other rate: the first frame that does not begin before it.
    @_noLocks
    package func position(_ other: Int) -> Int {
        let whole = other / denominator
        let rest = other &- whole &* denominator
        return whole &* numerator &+ (rest &* numerator &+ denominator &- 1) / denominator
    }

    /// The frame of the first rate in which a frame of the other one begins, and how far in, in `denominator`ths.
    @_noLocks
    func place(_ other: Int) -> (frame: Int, phase: Int) {
        let whole = other / denominator
        let product = (other &- whole &* denominator) &* numerator
        let frame = product / denominator
        return (whole &* numerator &+ frame, product &- frame &* denominator)
    }

    private static func divisor(_ one: Int, _ two: Int) -> Int { two == 0 ? one : divisor(two, one % two) }
}
