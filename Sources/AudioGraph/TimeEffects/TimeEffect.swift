internal import RealtimeShims
import Synchronization

/// The indices of a time effect's parameters.
package enum TimeParameter {
    /// Seconds of input for each second of output.
    package static let rate = 0
    /// The change of the pitch in cents.
    package static let pitch = 1
}

/// An effect that takes more or fewer frames than it gives: it changes the speed of sound, its pitch, or both.
///
/// The part of the graph above it is a program of its own, which the effect renders as it needs frames. The effect
/// outlives both programs. Output is late by ``delay`` frames of the input, at every speed. At the speed 1 and the pitch 0 it is the input,
/// bit for bit. The size of blocks changes no sample; a parameter counts from the next block on.
// SAFETY: the constants are set once; the state belongs to the render side, and `place` has atomics only.
package final class TimeEffect: @unchecked Sendable {
    /// What an effect changes.
    package enum Kind: Sendable {
        /// Speed and pitch together, from a quarter to four times.
        case varispeed
        /// Each for itself: the speed from 1/32 to 32 times, the pitch by up to two octaves.
        case timePitch

        /// The speeds that are rendered.
        package var rates: ClosedRange<Double> {
            switch self {
            case .varispeed: 0.25...4
            case .timePitch: 1.0 / 32...32
            }
        }

        /// How late the output is at a rate in Hz, in frames of the input.
        package func delay(atRate rate: Double) -> Int {
            switch self {
            case .varispeed: InterpolatorTable.delay
            case .timePitch: StretchLengths(rate: rate).delay + InterpolatorTable.delay
            }
        }
    }

    /// What the effect changes.
    package let kind: Kind
    /// Number of channels of input and output.
    package let channels: Int
    /// The rate of input and output, in Hz.
    package let rate: Double
    let state: UnsafeMutablePointer<TimeState>
    private let memory = ProgramMemory()

    /// Creates an effect with parameters as ``TimeParameter`` counts them.
    package init(
        _ kind: Kind, channels: Int, rate: Double, _ parameters: Parameters, _ switches: EffectSwitches
    ) {
        precondition(channels > 0, "a sound has a channel")
        (self.kind, self.channels, self.rate) = (kind, channels, rate)
        memory.keep(parameters)
        memory.keep(switches)
        let lengths = kind == .timePitch ? StretchLengths(rate: rate) : nil
        let delay = kind.delay(atRate: rate)
        let kept = delay + 2 * InterpolatorTable.delay + (lengths?.reach ?? 0) + 64
        let capacity = kept + TimeState.longestPull + 2 * TimeState.longestChunk
        let place = memory.allocate(TimePlace.self, count: 1)
        place.initialize(to: TimePlace())
        state = memory.allocate(TimeState.self, count: 1)
        state.initialize(
            to: TimeState(
                rates: kind.rates, parameters: parameters.list, switches: switches.state, place: place, delay: delay,
                fade: max(1, Int(rate / 100)),
                input: memory.samples(channels: channels, frames: capacity), capacity: capacity, kept: kept,
                stretch: lengths.map { Self.stretch($0, channels: channels, memory) },
                interpolator: Self.interpolator(memory)))
    }

    private static func interpolator(_ memory: ProgramMemory) -> Interpolator {
        let table = InterpolatorTable.shared.coefficients
        let place = memory.allocate(Float.self, count: table.count)
        for (index, value) in table.enumerated() { (place + index).initialize(to: value) }
        return Interpolator(coefficients: place)
    }

    private static func stretch(
        _ lengths: StretchLengths, channels: Int, _ memory: ProgramMemory
    ) -> UnsafeMutablePointer<StretchState> {
        let capacity = 3 * lengths.piece + 4 * InterpolatorTable.delay
        let state = memory.allocate(StretchState.self, count: 1)
        state.initialize(
            to: StretchState(
                lengths: lengths, sound: memory.samples(channels: channels, frames: capacity), capacity: capacity,
                tail: memory.samples(channels: channels, frames: lengths.overlap)))
        return state
    }

    /// How late the output is, in frames of the input.
    package var delay: Int { state.pointee.delay }

    /// The frame of the input that is rendered, or heard, at a frame of the output.
    ///
    /// The newest block says how both run: a frame of another time is as far away as its speed says. Any thread.
    package func inputFrame(at frame: Int, isHeard: Bool) -> Int {
        state.pointee.place.pointee.input(at: frame) - (isHeard ? delay : 0)
    }
}

/// Where the input of a time effect is at the beginning of the newest block.
struct TimePlace: ~Copyable {
    /// Odd while the numbers change.
    private let version = Atomic<Int>(0)
    private let output = Atomic<Int>(0)
    private let input = Atomic<Int>(0)
    private let speed = Atomic<UInt64>(1 << 32)

    /// Notes the frames at which a block begins, and the speed in 1/2³².
    func note(output frame: Int, input start: Int, speed now: UInt64) {
        _ = version.wrappingAdd(1, ordering: .sequentiallyConsistent)
        output.store(frame, ordering: .sequentiallyConsistent)
        input.store(start, ordering: .sequentiallyConsistent)
        speed.store(now, ordering: .sequentiallyConsistent)
        _ = version.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// The input's frame at a frame of the output.
    func input(at frame: Int) -> Int {
        while true {
            let before = version.load(ordering: .sequentiallyConsistent)
            let (start, from) = (
                input.load(ordering: .sequentiallyConsistent), output.load(ordering: .sequentiallyConsistent)
            )
            let now = speed.load(ordering: .sequentiallyConsistent)
            guard before % 2 == 0, version.load(ordering: .sequentiallyConsistent) == before else { continue }
            return start + Int((Double(frame - from) * Double(now) / 4_294_967_296).rounded(.down))
        }
    }
}
