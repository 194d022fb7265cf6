internal import Glibc
internal import PulseClient
internal import SessionPolicy

/// A stream that records: exactly the frames that were heard while it was to run, in their time.
///
/// A capture that pauses listens on for ``linger``, so that one that goes on soon does so at the right frame. Then it corks
/// its stream, which lets go of the microphone, and sees to it that what the server had not sent yet does not come later.
/// Where the server's source is gone for a while, silence stands for it.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class Capture: @unchecked Sendable {
    /// What a capture tells its recorder, on the main loop's thread with the lock held.
    package struct Handlers: Sendable {
        /// Interleaved frames, and how many bytes; nil data for frames that never came.
        var data: @Sendable (UnsafeRawBufferPointer?, Int) -> Void
        /// The session paused the capture; told whether it was running and the app did not ask for it.
        var interrupted: @Sendable (Bool) -> Void
        /// Something became of the input.
        var news: @Sendable (CaptureNews) -> Void
        /// The stream ended without our doing: killed, or its server or source went away.
        var ended: @Sendable () -> Void

        /// Handlers of a capture.
        package init(
            data: @escaping @Sendable (UnsafeRawBufferPointer?, Int) -> Void,
            interrupted: @escaping @Sendable (_ wasRunning: Bool) -> Void,
            news: @escaping @Sendable (CaptureNews) -> Void = { _ in }, ended: @escaping @Sendable () -> Void
        ) {
            self.data = data
            self.interrupted = interrupted
            self.news = news
            self.ended = ended
        }
    }

    /// How long an input may be dead or flat before that is news, in seconds.
    package static let patience = 2.0
    /// How long before its time a capture begins to listen, so that it knows the device's clock by then, in seconds.
    private static let lead = 10.0
    /// How long a capture listens on after it has paused, in seconds: who goes on soon loses nothing.
    private static let linger = 2.0
    /// How long the last frames are waited for when a capture ends, in seconds.
    private static let tail = 0.3

    private let stream: RecordStream
    private let rate: Double
    private let bytesPerFrame: Int
    private let handlers: Handlers
    private var isClosed = false
    /// Whether the stream is still there.
    package var isOpen: Bool { !isClosed }
    /// Whether frames are wanted.
    package private(set) var isRunning = false
    /// Asked before frames flow; true keeps them away, because the session was interrupted in between.
    var isHeldBack: () -> Bool = { false }
    var onRunning: () -> Void = {}
    var onEnd: () -> Void = {}

    /// Whether the server was told to let frames flow.
    private var isFlowing = false
    /// Whether the server throws away what it has not sent yet when it is told to.
    ///
    /// On PipeWire that concerns buffers of the graph too, which still wait for sound; there it is counted what is old.
    private let flushes: Bool
    /// How many times the server has still to say that what is old is thrown away, or counted.
    private var unsettled = 0
    /// Frames to come that were heard before the last pause.
    private var stale = 0
    private var timeline: CaptureTimeline
    /// Frames heard before are not wanted; nil once there were some that are.
    private var start: Double?
    /// Frames heard later are not wanted.
    private var end: Double?
    private var hasEnded = false
    /// Frames that wait until it is known how many are missing before them.
    private var held: [UInt8] = []
    private var silence = SilenceWatch()
    private var isLost = false
    /// What the last arrival was at the server's last answer during a loss.
    private var lastAnswered: Double?
    /// Silence since the input was lost, in frames.
    private var missing = 0
    private lazy var timer = MainloopTimer(mainloop: stream.mainloop) { [weak self] in self?.tick() }

    init(_ stream: RecordStream, flushes: Bool, handlers: Handlers) {
        self.stream = stream
        self.flushes = flushes
        self.handlers = handlers
        rate = Double(stream.spec.rate)
        bytesPerFrame = stream.spec.bytesPerFrame
        timeline = CaptureTimeline(rate: rate, at: 0)
    }

    /// The time by which captures begin and end, in seconds; it never goes back.
    package static var clock: Double { MonotonicClock.seconds }

    /// Changes how much is delivered at a time.
    ///
    /// With the main loop's lock held.
    package func setPace(_ pace: CaptureRequest.Pace) {
        guard !isClosed else { return }
        stream.sync { $0.setBufferAttributes(attributes(pace)) }
    }

    private func attributes(_ pace: CaptureRequest.Pace) -> BufferAttributes {
        // PulseAudio takes half of it for the device, which sets the pace.
        BufferAttributes(fragmentSize: UInt32(stream.spec.bytes(pace.rawValue * (flushes ? 2 : 1))))
    }

    func open(source: String?, pace: CaptureRequest.Pace, flags: StreamFlags) throws(PulseError) {
        try stream.sync { stream throws(PulseError) in
            stream.setHandlers(
                data: { [weak self] _, bytes, count in self?.received(bytes, count) },
                event: { [weak self] stream, event in self?.happened(event, to: stream) })
            try stream.connect(
                to: source, attributes: attributes(pace), flags: flags)
            let mainloop = stream.mainloop
            _ = mainloop.wait(timeout: .milliseconds(1500)) { stream.state != .creating }
            if case .failed(let error) = stream.state { throw error }
            guard stream.state == .ready else {
                stream.close()
                throw PulseError(.timeout, in: "pa_stream_connect_record")
            }
        }
    }

    /// The number of our source output; nil without one.
    var index: UInt32? { stream.sync { $0.index } }

    /// The name of the source that the stream is on.
    var source: String? { stream.sync { $0.device?.name } }

    // MARK: Running

    /// Lets frames flow, from those on that are heard at a time of ``clock``; nil is now.
    ///
    /// With the main loop's lock held.
    package func resume(at time: Double? = nil) {
        guard !isClosed, !isRunning else { return }
        guard !isHeldBack() else { return handlers.interrupted(true) }
        isRunning = true
        start = max(time ?? 0, MonotonicClock.seconds)
        end = nil
        hasEnded = false
        if isFlowing { timer.start(after: .seconds(1)) } else { flowWhenDue() }
        onRunning()
    }

    /// Stops the flow at once, and lets go of the microphone.
    ///
    /// With the main loop's lock held.
    package func pause() {
        guard isRunning || isFlowing else { return }
        if isRunning, timeline.isAssessing { release() }
        isRunning = false
        quiet()
        // A thread may wait for the last frames.
        stream.mainloop.signal()
        onRunning()
    }

    /// Stops the flow after the frames that are heard now, for which it waits a moment; soon after that it lets go of the
    /// microphone.
    ///
    /// With the main loop's lock held, on a thread that may wait.
    package func finish() {
        guard isRunning else { return }
        guard isFlowing, !stream.mainloop.isOnLoop else { return pause() }
        end = MonotonicClock.seconds
        _ = stream.mainloop.wait(timeout: .seconds(Self.tail)) { hasEnded || !isRunning }
        guard isRunning else { return }
        if !hasEnded {
            if timeline.isAssessing { release() }
            if let end, end - timeline.lastArrival > CaptureTimeline.suspicious { fill(until: end) }
        }
        isRunning = false
        timer.start(after: .seconds(Self.linger))
        onRunning()
    }

    /// Ends the stream.
    ///
    /// With the main loop's lock held.
    package func close() {
        guard !isClosed else { return }
        if isRunning, timeline.isAssessing { release() }
        isRunning = false
        isFlowing = false
        isClosed = true
        timer.cancel()
        stream.sync { $0.close() }
        onEnd()
    }

    /// Pauses at the session's wish; `interrupting` if the app did not ask for it.
    func stop(interrupting: Bool) {
        let wasRunning = isRunning
        pause()
        // An interruption may come in two steps, and the second one finds nothing that runs.
        if wasRunning || !interrupting { handlers.interrupted(wasRunning && interrupting) }
    }

    /// Has the server stop, and sees to what it has not sent yet.
    private func quiet() {
        timer.cancel()
        guard isFlowing else { return }
        isFlowing = false
        unsettled += 1
        stream.sync { stream in
            stream.cork(true)
            if flushes {
                stream.flush { [weak self] _ in self?.settled() }
            } else {
                stream.updateTiming { [weak self] _ in self?.settled() }
            }
        }
    }

    private func settled() {
        unsettled -= 1
        if !flushes { stale = Int(stream.sync { $0.timing?.queued } ?? 0) / bytesPerFrame }
        if isRunning, !isFlowing { flowWhenDue() }
    }

    private func flowWhenDue() {
        guard unsettled == 0, !isClosed else { return }
        let now = MonotonicClock.seconds
        let wait = (start ?? now) - now - Self.lead
        guard wait <= 0 else { return timer.start(after: .seconds(min(wait, 1e6))) }
        isFlowing = true
        timeline = CaptureTimeline(rate: rate, at: now)
        silence = SilenceWatch()
        isLost = false
        stream.sync { stream in
            // What the device's thread was about to hand over when the last flush came.
            if flushes { stream.flush() }
            stream.cork(false)
        }
        timer.start(after: .seconds(1))
    }

    private func tick() {
        guard isRunning else { return quiet() }
        guard isFlowing else { return flowWhenDue() }
        timer.start(after: .seconds(1))
        guard MonotonicClock.seconds - timeline.lastArrival >= Self.patience else { return }
        if !isLost {
            isLost = true
            missing = 0
            handlers.news(.lost)
        }
        let last = timeline.lastArrival
        stream.sync { $0.updateTiming { [weak self] result in self?.answered(result, since: last) } }
    }

    /// The server has answered, and has given nothing since `last`.
    ///
    /// Frames of a server that stood still may come right after its first answer; one that answers again a second later has
    /// nothing for us.
    private func answered(_ result: Result<Void, PulseError>, since last: Double) {
        guard case .success = result, isLost, timeline.lastArrival == last else { return }
        if lastAnswered == last { fill(until: MonotonicClock.seconds - 1) }
        lastAnswered = last
    }

    private func happened(_ event: StreamEvent, to stream: isolated RecordStream) {
        switch event {
        case .stateChanged(let state):
            stream.mainloop.signal()
            if case .failed = state { failed() }
        case .moved:
            guard isFlowing, let name = stream.device?.name else { return }
            timeline.deviceChanged()
            handlers.news(.moved(source: name))
        default: break
        }
    }

    private func failed() {
        guard !isClosed else { return }
        if timeline.isAssessing { release() }
        isClosed = true
        isRunning = false
        isFlowing = false
        timer.cancel()
        stream.mainloop.signal()
        onEnd()
        handlers.ended()
    }

    // MARK: Frames

    private func received(_ bytes: UnsafeRawBufferPointer?, _ count: Int) {
        var bytes = bytes
        var count = count
        let old = min(stale, count / bytesPerFrame)
        stale -= old
        guard isFlowing, count > old * bytesPerFrame else { return }
        bytes = bytes.map { UnsafeRawBufferPointer(rebasing: $0.dropFirst(old * bytesPerFrame)) }
        count -= old * bytesPerFrame
        let frames = count / bytesPerFrame
        let isSettled = timeline.received(frames, at: MonotonicClock.seconds)
        guard isRunning else {
            // Nobody wants what comes in a pause; but the clock goes on.
            if timeline.isAssessing { _ = timeline.assess() }
            return
        }
        guard timeline.isAssessing else {
            if isLost { found(silence: 0) }
            return deliver(bytes, frames, before: timeline.frames)
        }
        if let bytes { held += bytes.prefix(count) } else { held.append(contentsOf: repeatElement(0, count: count)) }
        if isSettled { release() }
    }

    /// Hands over what was held back, after the silence that belongs before it.
    private func release() {
        let gap = timeline.assess()
        let bytes = held
        held = []
        let frames = bytes.count / bytesPerFrame
        if gap > 0 { deliver(nil, gap, before: timeline.frames - frames) }
        if isLost || gap > 0 { found(silence: gap) }
        bytes.withUnsafeBytes { deliver($0, frames, before: timeline.frames) }
    }

    private func found(silence gap: Int) {
        let total = gap + (isLost ? missing : 0)
        isLost = false
        handlers.news(.restored(silence: Double(total) / rate))
    }

    private func fill(until time: Double) {
        let count = timeline.fill(until: time)
        guard count > 0 else { return }
        missing += count
        deliver(nil, count, before: timeline.frames)
    }

    /// Hands over those of the frames before `last` that were heard in time.
    private func deliver(_ bytes: UnsafeRawBufferPointer?, _ frames: Int, before last: Int) {
        var wanted = 0..<frames
        let first = last - frames
        if let start, let frame = timeline.frame(at: start) {
            wanted = wanted.clamped(to: max(0, min(frame - first, frames))..<frames)
        }
        if let end, let frame = timeline.frame(at: end), frame <= last {
            wanted = wanted.clamped(to: 0..<max(0, frame - first))
            hasEnded = true
            stream.mainloop.signal()
        }
        guard !wanted.isEmpty else { return }
        start = nil
        let range = wanted.lowerBound * bytesPerFrame..<wanted.upperBound * bytesPerFrame
        let part = bytes.map { UnsafeRawBufferPointer(rebasing: $0[range]) }
        if let part, let news = silence.heard(part, seconds: Double(wanted.count) / rate) { handlers.news(news) }
        handlers.data(part, range.count)
    }
}

/// Notices an input from which nothing but zeros comes: muted in hardware, or not granted.
private struct SilenceWatch {
    private var seconds = 0.0

    /// Looks at captured bytes, and says what is new.
    mutating func heard(_ bytes: UnsafeRawBufferPointer, seconds length: Double) -> CaptureNews? {
        let wasFlat = seconds >= Capture.patience
        seconds = bytes.areZero ? seconds + length : 0
        let isFlat = seconds >= Capture.patience
        return isFlat == wasFlat ? nil : isFlat ? .flat : .restored(silence: 0)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var areZero: Bool {
        guard let start = baseAddress, first == 0 else { return isEmpty }
        // Every byte equals the one before it.
        return memcmp(start, start + 1, count - 1) == 0
    }
}
