/// The times at which the frames of a capture were heard, estimated from their arrivals.
///
/// No frame comes before it was heard, and now and then one comes at once: the earliest arrivals, set against the
/// number of frames counted until then, are the device's clock. So times are known to a fraction of a millisecond after
/// a few deliveries, on any server, and frames that never came are known too.
///
/// Times are seconds of ``MonotonicClock``.
struct CaptureTimeline {
    /// How much slower than ours the device's clock may run: cheap ones do by 0.0002, and ours may be made to run
    /// faster by 0.0005, to be right again.
    private static let drift = 0.001
    /// Frames may be missing when they come so much later than those before them, in seconds.
    static let suspicious = 0.5
    /// How long deliveries are looked at before it is said how many are missing, in seconds.
    static let settling = 0.3
    /// Shorter holes are none, in seconds: devices differ in how late they deliver.
    static let tolerance = 0.01

    /// Frames since the beginning, with the silence for those that never came.
    private(set) var frames = 0
    /// When the last frames came; at first the beginning.
    private(set) var lastArrival: Double
    private let rate: Double
    /// When the first frame was heard.
    private var origin: Double?
    /// What the origin would be if nothing were missing, and until when that is found out.
    private var assessment: (origin: Double, end: Double)?
    private var isSuspicious = false

    /// A capture that begins now.
    init(rate: Double, at now: Double) {
        self.rate = rate
        lastArrival = now
    }

    /// Whether anything has come yet.
    var hasBegun: Bool { origin != nil }

    /// Whether frames that come are to be held back, because it is not known yet how many are missing before them.
    var isAssessing: Bool { assessment != nil }

    /// Nothing has come in time: the frames since the beginning are missing.
    mutating func begin() { if origin == nil { origin = lastArrival } }

    /// The stream is on another device: something may be missing.
    mutating func deviceChanged() { isSuspicious = hasBegun }

    /// Counts frames that came; true if those that are held back, these among them, can be released.
    mutating func received(_ count: Int, at now: Double) -> Bool {
        if hasBegun, assessment == nil, isSuspicious || now - lastArrival - Double(count) / rate > Self.suspicious {
            assessment = (.infinity, now + Self.settling)
        }
        isSuspicious = false
        frames += count
        let candidate = now - Double(frames) / rate
        if let known = assessment {
            assessment?.origin = min(known.origin, candidate)
        } else {
            origin = min(candidate, origin.map { $0 + Self.drift * (now - lastArrival) } ?? candidate)
        }
        lastArrival = now
        return assessment.map { now >= $0.end } ?? false
    }

    /// Ends the assessment; returns how many frames are missing before those that were held back.
    mutating func assess() -> Int {
        guard let found = assessment?.origin, let known = origin else { return 0 }
        assessment = nil
        guard found.isFinite else { return 0 }
        let missing = found - known
        let count = missing > Self.tolerance ? Int((missing * rate).rounded()) : 0
        frames += count
        origin = found - Double(count) / rate
        return count
    }

    /// Counts silence up to a time, for a device from which nothing comes; returns how many frames that is.
    mutating func fill(until time: Double) -> Int {
        guard let target = frame(at: time), target > frames else { return 0 }
        defer { frames = target }
        return target - frames
    }

    /// The first frame that was heard at a time or later; nil before anything came.
    func frame(at time: Double) -> Int? {
        guard let origin else { return nil }
        let position = ((time - origin) * rate).rounded(.up)
        return position.magnitude < 0x1p53 ? Int(position) : position < 0 ? .min / 2 : .max / 2
    }
}
