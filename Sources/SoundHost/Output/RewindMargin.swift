internal import AudioHost

/// How a server takes what is queued, which decides how soon after the server's place a change can begin.
///
/// The server goes on while the change is on its way: by nothing, or by one of its blocks. PipeWire's blocks are all
/// alike, and as long as its graph's slowest node lets them be; PulseAudio's are as small as the device's latency.
struct RewindMargin: Hashable, Sendable {
    private let rate: Double
    private var latest: Int?
    /// When the server said so, in seconds of ``MonotonicClock``.
    private var latestTime = 0.0
    /// The largest number of frames of which the last steps are multiples; 0 while that is not known.
    private var block = 0
    /// The last steps that the server was seen to take, in frames.
    private var steps: [Int] = []
    /// What late changes have shown to be missing, in seconds.
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

    /// How far behind the server's place a change begins, in seconds.
    var seconds: Double { max(Self.least, Double(block) / rate + Self.way) + lateness }

    /// The server has taken everything before a frame; returns the frame.
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

    /// A change that began at a frame was on the server when that had taken everything before another.
    mutating func changed(at frame: Int, taken: Int) {
        lateness = min(taken > frame ? lateness + Double(taken - frame) / rate : lateness * 0.8, 0.06)
    }

    private static func commonDivisor(_ first: Int, _ second: Int) -> Int {
        var (large, small) = (first, second)
        while small != 0 { (large, small) = (small, large % small) }
        return large
    }
}
