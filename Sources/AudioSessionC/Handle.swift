internal import AudioHost
internal import CAVAudioSession
internal import Glibc
internal import Locks

/// A handle to the session: an event queue, with a descriptor that is readable while the queue has events.
final class Handle: Sendable {
    private struct State {
        var queue = EventQueue()
        var isClosed = false
        /// The number of streams that this part of the app has running.
        var playing: Int32 = 0
    }

    /// An eventfd; it is written to and read with the lock of `state` held.
    let descriptor: Int32
    private let state = Guarded(State())

    /// A handle with an empty queue; nil if there is no descriptor.
    init?() {
        descriptor = session_shims_eventfd()
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// The number of streams that run.
    var playing: Int32 {
        get { state.withLock { $0.playing } }
        set { state.withLock { $0.playing = $0.isClosed ? 0 : newValue } }
    }

    /// Adds an event; takes a leaf lock only.
    func append(_ event: Event) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let wasEmpty = state.queue.isEmpty
            state.queue.append(event)
            if wasEmpty { signal() }
        }
    }

    /// Takes the oldest event.
    func next() -> Event? {
        state.withLock { state in
            guard !state.isClosed, let event = state.queue.next() else { return nil }
            if state.queue.isEmpty { clearSignal() }
            return event
        }
    }

    /// The number of events.
    var count: Int { state.withLock { $0.queue.count } }

    /// Drops all events, and wakes the threads that wait; the descriptor is closed with the last of them.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.playing = 0
            state.queue.removeAll()
            signal()
        }
    }

    /// Makes the descriptor readable.
    private func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    /// Makes the descriptor unreadable.
    private func clearSignal() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }

    /// Waits for an event; returns false if the time is over, or if a signal handler ran on this thread.
    ///
    /// - Parameter milliseconds: The time; negative means for ever.
    func wait(milliseconds: Int32) throws(Failure) -> Bool {
        let end = milliseconds < 0 ? nil : MonotonicClock.seconds + Double(milliseconds) / 1000
        while true {
            let (isEmpty, isClosed) = state.withLock { ($0.queue.isEmpty, $0.isClosed) }
            guard !isClosed else { throw .closed("session") }
            guard isEmpty else { return true }
            let rest = end.map { Int32(clamping: Int(max(0, ($0 - MonotonicClock.seconds) * 1000).rounded(.up))) } ?? -1
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = Glibc.poll(&poll, 1, rest)
            if ready == 0 { return false }
            if ready < 0 {
                guard errno == EINTR else { throw Failure(AVAS_ERROR_SYSTEM, String(cString: strerror(errno))) }
                return false
            }
        }
    }
}
