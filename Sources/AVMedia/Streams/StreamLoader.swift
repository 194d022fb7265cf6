internal import AudioFiles
internal import Foundation

/// A reader of a network stream, which loads it ahead into a buffer on a thread of its own.
///
/// The thread waits while the buffer is full, and ends with the loader or with an error. `condition` is a leaf: all
/// functions for other threads return at once.
// SAFETY: everything mutable is guarded by `condition`, but `reader` and `joining`, which only the thread uses, and
// `onProgress`, which is set before ``start()``.
final class StreamLoader: @unchecked Sendable {
    /// The loaded part of the stream at a moment.
    struct Status {
        /// The stream's format; nil until it is open.
        var format: StreamFormat?
        /// The frames in the buffer.
        var frames: Range<Int64> = 0..<0
        /// Whether no frames follow: the stream has ended, or failed.
        var isComplete = false
        /// The error that kept the stream from opening, or ended it early.
        var error: StreamError?
        /// Whether loading waits until frames are taken.
        var isFull = false
        /// Whether a seek is pending; no frames can be taken meanwhile.
        var isSeeking = false
        /// The network traffic.
        var traffic = StreamTraffic()
        /// Seconds of sound that were loaded in a second, and the seconds of that measurement.
        var speed = (rate: 0.0, seconds: 0.0)
    }

    /// Seconds that are loaded ahead of the listener: usually, and at least.
    private static let ahead = (usual: 20.0, least: 1.0)
    /// Seconds that are kept behind the listener.
    private static let history = 6.0
    /// The limit of either in bytes of decoded sound, for high rates with many channels.
    private static let room = (ahead: 32 << 20, history: 16 << 20)
    /// Seconds that the server has for its current answer when a seek is requested; after them the connection is made
    /// anew.
    private static let patience = 0.25
    /// Seconds of sound that a radio has to send so that it is joined again without a pause.
    private static let worthJoining = 5.0

    private let url: String
    private let limits: StreamLimits
    private let condition = NSCondition()
    private var status = Status()
    /// Seconds that are loaded ahead of the listener.
    private var ahead = StreamLoader.ahead.usual
    private var buffer = StreamBuffer(channels: 1)
    /// The frame after the last one that was taken.
    private var taken: Int64 = 0
    private var isClosed = false
    /// Whether the thread may be waiting for the server.
    private var isReading = false
    /// Frames that were loaded since the last call of `onProgress`.
    private var untold = 0
    private var seekTarget: Int64?
    private var cancellation = StreamCancellation()
    private var measuring = (since: ContinuousClock.now, frames: Int64(0))
    private var lastAnnouncement = ""
    private var announced: [(frame: Int64, text: String)] = []
    private var reader: StreamReader?
    /// Seconds before a radio is joined again, and frames that were loaded since it was joined last.
    private var joining = (pause: 0, frames: 0)
    /// Called on the loader's thread when the status has changed.
    var onProgress: @Sendable () -> Void = {}

    init(url: String, limits: StreamLimits) {
        self.url = url
        self.limits = limits
    }

    // MARK: From any thread

    /// Opens the stream, and begins to load.
    func start() {
        let thread = Thread { [self] in
            // Foundation takes a thread's name only on that thread, and only when `start()` has returned.
            locked {}
            Thread.current.name = "AVPlayer stream"
            run()
        }
        locked { thread.start() }
    }

    /// Ends the thread, in the middle of a read too.
    func close() {
        locked {
            isClosed = true
            cancellation.cancel()
            condition.broadcast()
        }
    }

    var current: Status {
        locked {
            var now = status
            now.frames = buffer.start..<buffer.end
            now.isFull = isFull
            now.isSeeking = seekTarget != nil
            let seconds = Double((ContinuousClock.now - measuring.since) / .milliseconds(1)) / 1000
            let loaded = Double(measuring.frames) / (status.format?.sampleRate ?? 1)
            now.speed = (seconds > 0 ? loaded / seconds : 0, seconds)
            return now
        }
    }

    /// Up to `count` frames from `frame` on; empty if that frame is not loaded yet.
    ///
    /// The frames count as heard from now on.
    func take(from frame: Int64, count: Int) -> [Float] {
        locked {
            guard seekTarget == nil else { return [] }
            let samples = buffer.frames(from: frame, count: count)
            taken = frame + Int64(samples.count / buffer.channels)
            buffer.forget(before: taken - frames(Self.history, in: Self.room.history))
            condition.broadcast()
            return samples
        }
    }

    /// Goes on at another frame, with ``Status/isSeeking`` until that is loaded; false if the stream has failed.
    func seek(to frame: Int64) -> Bool {
        locked {
            guard status.error == nil, !isClosed else { return false }
            seekTarget = frame
            status.isComplete = false
            announced = []
            // A server that is silent loses its connection; one that answers keeps it.
            if isReading { cancellation.cancel(after: Self.patience) }
            condition.broadcast()
            return true
        }
    }

    /// Loads so many seconds ahead of the listener from now on, 1 at least; 0 stands for the usual 20.
    func load(ahead seconds: Double) {
        locked {
            ahead = seconds > 0 ? max(seconds, Self.ahead.least) : Self.ahead.usual
            condition.broadcast()
        }
    }

    /// Begins a new measurement of the speed.
    func measure() { locked { measuring = (.now, 0) } }

    /// The titles of a radio up to a frame; each is returned once.
    func announcements(upTo frame: Int64) -> [String] {
        locked {
            let due = announced.filter { $0.frame <= frame }.map(\.text)
            announced.removeAll { $0.frame <= frame }
            return due
        }
    }

    /// The frame of the next title.
    var nextAnnouncement: Int64? { locked { announced.first?.frame } }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    private var isFull: Bool {
        status.format != nil && buffer.end - max(taken, buffer.start) >= frames(ahead, in: Self.room.ahead)
    }

    /// The frames of a number of seconds, or fewer if they do not fit into a number of bytes.
    private func frames(_ seconds: Double, in bytes: Int) -> Int64 {
        let room = bytes / (buffer.channels * MemoryLayout<Float>.size)
        return Int64(min(seconds * (status.format?.sampleRate ?? 0), Double(room)))
    }

    // MARK: The thread

    private func run() {
        do throws(StreamError) {
            let start = ContinuousClock.now
            try open()
            rested(since: start)
            onProgress()
            while waitForWork() {
                let target = locked {
                    isReading = true
                    return seekTarget
                }
                let start = ContinuousClock.now
                defer { rested(since: start) }
                if let target { try go(to: target) } else { try load() }
                if isWorthTelling { onProgress() }
            }
        } catch {
            locked {
                // The frames before the seek are not at its target.
                if let seekTarget {
                    buffer.restart(at: seekTarget)
                    taken = seekTarget
                }
                seekTarget = nil
                status.error = error
                status.isComplete = true
            }
            onProgress()
        }
        reader = nil
    }

    /// Notes the end of one or more calls of the reader.
    private func rested(since start: ContinuousClock.Instant) {
        var traffic = reader?.takeTraffic() ?? StreamTraffic()
        traffic.seconds = Double((ContinuousClock.now - start) / .microseconds(1)) / 1e6
        locked {
            isReading = false
            status.traffic += traffic
        }
    }

    /// The parts that could not be loaded since the last call.
    func takeFailures() -> [StreamTraffic.Failure] {
        locked {
            defer { status.traffic.failures = [] }
            return status.traffic.failures
        }
    }

    /// Waits for work; false when the loader was closed.
    private func waitForWork() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isClosed, seekTarget == nil, status.isComplete || isFull {
            condition.wait()
            measuring = (.now, 0)
        }
        return !isClosed
    }

    /// Whether enough was loaded for a call of `onProgress`, or loading has stopped.
    private var isWorthTelling: Bool {
        locked {
            let rate = Int(status.format?.sampleRate ?? 0)
            let isScarce = buffer.end - taken < Int64(rate)
            guard status.isComplete || isFull || untold >= (isScarce ? rate / 20 : rate / 2) else { return false }
            untold = 0
            return true
        }
    }

    /// Replaces a cancellation that was used, for the next connection; with the lock held.
    private func renewCancellation() {
        if !isClosed { cancellation = StreamCancellation() }
    }

    private func open() throws(StreamError) {
        let cancellation = locked { self.cancellation }
        reader = nil
        let reader = try StreamReader(url: url, limits: limits, cancellation: cancellation)
        self.reader = reader
        let isSame = locked {
            defer { if status.format == nil { status.format = reader.format } }
            guard let known = status.format else {
                buffer = StreamBuffer(channels: reader.format.channels)
                measuring = (.now, 0)
                return true
            }
            return known.channels == reader.format.channels && known.sampleRate == reader.format.sampleRate
        }
        if !isSame { throw StreamError(.malformed, "has become another sound") }
    }

    private func load() throws(StreamError) {
        guard let reader else { return }
        var samples: [Float] = []
        let count: Int
        do throws(StreamError) { count = try reader.read(into: &samples) } catch {
            // Given up for a seek.
            if error.kind == .cancelled || isGivenUp(for: nil) { return }
            guard reader.format.isRadio else { throw error }
            return try rejoin(error)
        }
        if count == 0 && reader.format.isRadio { return try rejoin(StreamError(.connectionLost, "has ended")) }
        joining.frames += count
        keep(samples, count, reader.announcement)
        reader.announcement = nil
    }

    private func keep(_ samples: [Float], _ count: Int, _ announcement: String?) {
        locked {
            if let announcement, announcement != lastAnnouncement {
                lastAnnouncement = announcement
                announced.append((buffer.end, announcement))
            }
            buffer.append(samples)
            measuring.frames += Int64(count)
            untold += count
            if count == 0 { status.isComplete = true }
        }
    }

    /// Whether another target was requested than the one that has just failed; the stream is opened anew for it.
    private func isGivenUp(for target: Int64?) -> Bool {
        locked {
            guard let seekTarget, seekTarget != target else { return false }
            cancellation.cancel()
            return true
        }
    }

    /// Goes to a frame; after an error with new connections, after pauses that grow.
    private func go(to target: Int64) throws(StreamError) {
        var pause = 0
        while true {
            do throws(StreamError) { return try attempt(target) } catch {
                // Given up for another one.
                if error.kind == .cancelled || isGivenUp(for: target) { return }
                guard error.isPassing, pause <= limits.reconnecting else { throw error }
            }
            guard rest(Double(pause), goingTo: target) else { return }
            pause = 2 * pause + 1
            locked { cancellation.cancel() }
        }
    }

    private func attempt(_ target: Int64) throws(StreamError) {
        let isOpen = locked { () -> Bool? in
            // The deadline belongs to a newer seek in that case.
            guard seekTarget == target else { return nil }
            if cancellation.withdraw() { return true }
            renewCancellation()
            return false
        }
        guard let isOpen else { return }
        if !isOpen { try open() }
        guard let reader else { return }
        var samples: [Float] = []
        try reader.seek(toFrame: target)
        let count = try reader.read(into: &samples)
        let end = reader.position
        let isWanted = locked {
            // Another target was requested meanwhile, or the same again, whose deadline has just passed.
            guard seekTarget == target, cancellation.withdraw() else { return false }
            seekTarget = nil
            // The loader may have met the end after the request.
            status.isComplete = false
            // Not every type of stream can go to any frame.
            taken = count > 0 ? end - Int64(count) : target
            buffer.restart(at: taken)
            measuring = (.now, 0)
            untold = .max / 2
            return true
        }
        if isWanted { keep(samples, count, nil) }
    }

    /// Joins a radio again, after pauses that grow; throws the error that made it necessary if that fails.
    ///
    /// The pauses go on growing, up to the longest, for a radio that sends little each time.
    private func rejoin(_ cause: StreamError) throws(StreamError) {
        let rate = reader?.format.sampleRate ?? 0
        if Double(joining.frames) >= Self.worthJoining * rate { joining.pause = 0 }
        joining = (min(joining.pause, limits.reconnecting), 0)
        while joining.pause <= limits.reconnecting {
            guard rest(Double(joining.pause)) else { return }
            joining.pause = 2 * joining.pause + 1
            locked { renewCancellation() }
            do throws(StreamError) { return try open() } catch {
                if error.kind == .cancelled { return }
            }
        }
        throw cause
    }

    /// Pauses; false if another target was requested meanwhile.
    private func rest(_ seconds: Double, goingTo target: Int64? = nil) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isClosed, seekTarget == target, condition.wait(until: end) {}
        return !isClosed && seekTarget == target
    }
}
