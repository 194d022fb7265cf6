internal import AudioHost

/// From which frames on a capture hands over silence instead of what was heard.
///
/// What was heard before a change is handed over after it: a word that was said while the input was muted is not to be
/// recorded once it is not.
struct CaptureSecrecy {
    /// What becomes of a frame.
    enum Hearing {
        case heard
        /// The app muted its input.
        case muted
        /// The app may not listen, which is news.
        case denied
    }

    private var now = Hearing.heard
    /// What comes after, from which frames on; in their order.
    private var changes: [(frame: Int, hearing: Hearing)] = []
    /// What comes after that, while it is not known which frame was heard when; in its order.
    private var unplaced: [(time: Double, hearing: Hearing)] = []

    private var last: Hearing { unplaced.last?.hearing ?? changes.last?.hearing ?? now }

    /// Changes what becomes of all frames.
    mutating func set(_ hearing: Hearing) {
        now = hearing
        changes = []
        unplaced = []
    }

    /// A timeline begins anew: what was to change has.
    mutating func restart() { set(last) }

    /// Changes what becomes of what is heard from a time on, before any frame has come.
    mutating func set(_ hearing: Hearing, at time: Double) {
        if hearing != last { unplaced.append((time, hearing)) }
    }

    /// Frames have come: it is known now which of them is heard when.
    mutating func place(_ frame: (Double) -> Int?) {
        let times = unplaced
        unplaced = []
        for change in times { _ = set(change.hearing, from: frame(change.time) ?? 0) }
    }

    /// Changes what becomes of the frames from `frame` on; false if that is no change.
    mutating func set(_ hearing: Hearing, from frame: Int) -> Bool {
        guard hearing != last else { return false }
        changes.append((max(frame, changes.last?.frame ?? frame), hearing))
        return true
    }

    /// What becomes of the frames from `frame` on, and where that ends; frames before it are not asked for again.
    mutating func hearing(at frame: Int) -> (hearing: Hearing, end: Int) {
        while let next = changes.first, next.frame <= frame {
            now = next.hearing
            changes.removeFirst()
        }
        return (now, changes.first?.frame ?? .max)
    }
}

extension Capture {
    /// Changes what becomes of what is heard from now on.
    ///
    /// With the main loop's lock held.
    func setHearing(muted: Bool, denied: Bool) {
        let hearing = denied ? CaptureSecrecy.Hearing.denied : muted ? .muted : .heard
        let now = MonotonicClock.seconds
        guard isFlowing else { return secrecy.set(hearing) }
        guard let frame = timeline.frame(at: now) else { return secrecy.set(hearing, at: now) }
        if secrecy.set(hearing, from: frame) { hurry() }
    }

    /// Hands frames over, from the timeline's `first` on; in secret ones levels fall.
    func handOver(_ bytes: UnsafeRawBufferPointer?, _ frames: Int, from first: Int) {
        var done = 0
        while done < frames {
            let (hearing, end) = secrecy.hearing(at: first + done)
            let count = min(frames - done, max(1, end - (first + done)))
            let range = done * bytesPerFrame..<(done + count) * bytesPerFrame
            handOver(bytes.map { UnsafeRawBufferPointer(rebasing: $0[range]) }, range.count, hearing)
            done += count
        }
    }

    private func handOver(_ bytes: UnsafeRawBufferPointer?, _ size: Int, _ hearing: CaptureSecrecy.Hearing) {
        let seconds = Double(size / bytesPerFrame) / rate
        // What was lost is nobody's secret, and may be hours.
        guard hearing == .heard || bytes == nil else {
            if zeros.count < size { zeros = [UInt8](repeating: 0, count: size) }
            return zeros.withUnsafeBytes { all in
                let part = UnsafeRawBufferPointer(rebasing: all.prefix(size))
                if hearing == .denied, let news = silence.heard(part, seconds: seconds) { handlers.news(news) }
                handlers.data(part, size)
            }
        }
        if let bytes, let news = silence.heard(bytes, seconds: seconds) { handlers.news(news) }
        handlers.data(bytes, size)
    }
}
