internal import AudioHost
internal import Glibc
internal import PulseClient

/// The frames of a capture: which of them are wanted, and what stands for those that never came.
///
/// On the main loop's thread, with the lock held.
extension Capture {
    func received(_ bytes: UnsafeRawBufferPointer?, _ count: Int) {
        var bytes = bytes
        var count = count
        let old = min(stale, count / bytesPerFrame)
        stale -= old
        guard isFlowing, count > old * bytesPerFrame else { return }
        bytes = bytes.map { UnsafeRawBufferPointer(rebasing: $0.dropFirst(old * bytesPerFrame)) }
        count -= old * bytesPerFrame
        let frames = count / bytesPerFrame
        let now = MonotonicClock.seconds
        let isSettled = timeline.received(frames, at: now)
        secrecy.place(timeline.frame)
        adaptDelivery()
        // As long as frames come nobody has to look whether they do.
        if isRunning, now - lookedAfter > Self.patience / 2 {
            lookedAfter = now
            timer.start(after: .seconds(Self.patience))
        }
        guard isRunning || isDraining else {
            // Nobody wants what comes in a pause; but the clock goes on.
            if timeline.isAssessing { _ = timeline.assess() }
            return
        }
        defer { if hasEnded { drained() } }
        guard timeline.isAssessing else {
            if isLost { found(silence: 0) }
            return deliver(bytes, frames, before: timeline.frames)
        }
        if let bytes { held += bytes.prefix(count) } else { held.append(contentsOf: repeatElement(0, count: count)) }
        if isSettled { release() }
    }

    /// Hands over what was held back, after the silence that belongs before it.
    func release() {
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

    func fill(until time: Double) {
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
        if let frame = endFrame ?? end.flatMap(timeline.frame), frame <= last {
            wanted = wanted.clamped(to: 0..<max(0, frame - first))
            hasEnded = true
            stream.mainloop.signal()
        }
        guard !wanted.isEmpty else { return }
        start = nil
        let range = wanted.lowerBound * bytesPerFrame..<wanted.upperBound * bytesPerFrame
        let part = bytes.map { UnsafeRawBufferPointer(rebasing: $0[range]) }
        handOver(part, wanted.count, from: first + wanted.lowerBound)
    }
}

/// Notices an input from which nothing but zeros comes: muted in hardware, or not granted.
struct SilenceWatch {
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
