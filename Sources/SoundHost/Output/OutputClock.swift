internal import Glibc

/// The time of the output, which all of its players share, in seconds since it was made.
///
/// While the stream runs it is the stream's frames that count, so that a time names one exact frame; while it does not,
/// the machine's clock goes on from where the frames stopped. It never goes back, and goes on from one output to the
/// next: a paused player may outlive the one that it was heard on.
struct OutputClock: Sendable {
    private let rate: Double
    /// A frame of the stream and its time, while the stream runs.
    private var anchor: (frame: Int, time: Double)?
    /// A time, and the machine's clock at it, while the stream does not run.
    private var rest: (time: Double, clock: Double)
    private var latest = 0.0

    init(rate: Int) {
        self.rate = Double(rate)
        rest = (0, Self.monotonic)
    }

    /// A clock that goes on from that of an earlier output, whose stream does not run any more.
    init(rate: Int, after earlier: OutputClock) {
        self.rate = Double(rate)
        (rest, latest) = (earlier.rest, earlier.latest)
    }

    /// The time now, when `frame` is heard; the frame only counts while the stream runs.
    mutating func now(heard frame: Int) -> Double {
        let time = anchor.map { $0.time + Double(frame - $0.frame) / rate } ?? rest.time + Self.monotonic - rest.clock
        latest = max(latest, time)
        return latest
    }

    /// Notes that the stream starts with a frame.
    mutating func start(frame: Int) { anchor = (frame, now(heard: frame)) }

    /// Notes that the stream stops after a frame.
    mutating func stop(heard frame: Int) {
        rest = (now(heard: frame), Self.monotonic)
        anchor = nil
    }

    /// The frame that is heard at a time; nil while the stream does not run.
    func frame(at time: Double) -> Int? {
        anchor.map { anchor in
            // Far beyond anything that a stream lives to see.
            let distance = min(max((time - anchor.time) * rate, -1e12), 1e12)
            return anchor.frame + Int(distance.rounded())
        }
    }

    private static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
