internal import AudioHost

/// The distance behind the server's read position at which queued sound can still be replaced.
///
/// While a change is on its way, the server goes on by nothing or by one of its blocks, so the distance is a block and
/// the way. PipeWire's blocks have the length of its quantum; PulseAudio's are as small as the device's latency. They
/// are estimated from the positions that the server reports.
struct RewindMargin: Hashable, Sendable {
    private let rate: Double
    private var latest: Int?
    /// The time of that report, in seconds of ``MonotonicClock``.
    private var latestTime = 0.0
    /// The largest number of frames of which the last steps are multiples; 0 while that is not known.
    private var block = 0
    /// The last steps that the server was seen to take, in frames.
    private var steps: [Int] = []
    /// The time that late changes have shown to be missing, in seconds.
    private var lateness = 0.0

    /// Time for the way to the server, in seconds.
    private static let way = 0.001
    /// The least margin, in seconds.
    private static let least = 0.006
    /// The longest block that is believed, in seconds: a few steps may have a large divisor in common.
    private static let longestBlock = 0.03
    /// How many steps are looked at: the blocks change when another program asks for other ones, and so do their places
    /// when the server ran out of data.
    private static let steps = 8

    init(rate: Int) { self.rate = Double(rate) }

    /// The distance from the server's position to the begin of a change, in seconds.
    var seconds: Double { max(Self.least, Double(block) / rate + Self.way) + lateness }

    /// Notes that the server has taken everything before a frame; returns the frame.
    @discardableResult
    mutating func observed(taken frame: Int, at time: Double) -> Int {
        if let latest, frame > latest { stepped(frame - latest) }
        latest = frame
        latestTime = time
        return frame
    }

    /// The frame up to which the server may have taken everything by now, from what it said last: its sink goes on as
    /// time does, by a block ahead.
    func mostTaken(at time: Double) -> Int {
        (latest ?? 0) + Int((time - latestTime + max(seconds, OutputBuffer().device)) * rate)
    }

    private mutating func stepped(_ frames: Int) {
        steps = steps.suffix(Self.steps - 1) + [frames]
        let largest = steps.reduce(0, Self.commonDivisor)
        let isBelievable = Double(largest) < Self.longestBlock * rate
        // Steps that happen to be of two blocks or four say nothing against what was seen before.
        if isBelievable || block == 0 || largest % block != 0 { block = isBelievable ? largest : 0 }
    }

    /// Notes that a change, which began at one frame, arrived when the server had taken everything before another.
    mutating func changed(at frame: Int, taken: Int) {
        lateness = min(taken > frame ? lateness + Double(taken - frame) / rate : lateness * 0.8, 0.06)
    }

    private static func commonDivisor(_ first: Int, _ second: Int) -> Int {
        var (large, small) = (first, second)
        while small != 0 { (large, small) = (small, large % small) }
        return large
    }
}
