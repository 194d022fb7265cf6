internal import AudioGraph
internal import Synchronization

/// The host time of a device's blocks, for the functions of apps that render or take them.
///
/// The thread that renders sets it before each block and reads it within; no call waits or allocates.
final class RenderClock: Sendable {
    /// The rate of the positions, in Hz.
    private let rate: Double
    private let start = Atomic<Int>(0)
    /// The host time of that position; 0 before the first block.
    private let startTime = Atomic<UInt64>(0)

    /// A clock of positions at a rate in Hz.
    init(rate: Double) { self.rate = rate }

    /// The position of the first frame of the newest block, and its host time.
    var lastStart: (position: Int, hostTime: UInt64) {
        (start.load(ordering: .acquiring), startTime.load(ordering: .acquiring))
    }

    /// Begins a block at a position, whose first frame is heard, or was captured, at a host time.
    func begin(_ position: Int, at hostTime: UInt64) {
        start.store(position, ordering: .releasing)
        startTime.store(hostTime, ordering: .releasing)
    }

    /// The time of a frame of a program.
    ///
    /// - Parameters:
    ///   - frame: Its number, which counts at a rate of its own.
    ///   - rate: That rate, in Hz.
    ///   - isNested: Whether the program is run faster or slower by a time effect: frames have the host time of the block
    ///     then.
    func stamp(_ frame: Int, rate frameRate: Double, isNested: Bool) -> AudioTimeStamp {
        var stamp = AudioTimeStamp()
        stamp.mSampleTime = Double(frame)
        stamp.mFlags = .sampleTimeValid
        let (position, hostTime) = lastStart
        guard hostTime > 0 else { return stamp }
        let seconds = isNested ? 0 : Double(frame) / frameRate - Double(position) / rate
        stamp.mHostTime = UInt64(max(0, Double(hostTime) + seconds * 1e9))
        stamp.mFlags.insert(.hostTimeValid)
        return stamp
    }
}

/// The clock of a program, for the functions that are called within its blocks.
struct ProgramClock {
    /// Nil in manual rendering.
    var clock: RenderClock?
    /// Whether the program is run by a time effect.
    var isNested = false

    /// The time of a frame at a rate in Hz; a sample time alone in manual rendering.
    func stamp(_ frame: Int, rate: Double) -> AudioTimeStamp {
        if let clock { return clock.stamp(frame, rate: rate, isNested: isNested) }
        var stamp = AudioTimeStamp()
        stamp.mSampleTime = Double(frame)
        stamp.mFlags = .sampleTimeValid
        return stamp
    }
}
