internal import CPulse
internal import Glibc

/// A one-shot timer on a ``Mainloop``; its handler runs on the loop's thread with the lock held.
///
/// Use it with the loop's lock held.
///
/// PulseAudio: `pa_mainloop_api.time_new`.
public final class MainloopTimer {
    private let mainloop: Mainloop
    private let handler: () -> Void
    private var event: OpaquePointer?

    /// Makes a timer that is not running.
    public init(mainloop: Mainloop, handler: @escaping () -> Void) {
        self.mainloop = mainloop
        self.handler = handler
    }

    deinit { mainloop.withLock { cancel() } }

    /// Whether the handler is still to come.
    public var isRunning: Bool { event != nil }

    /// Calls the handler once after `delay`; an earlier start is forgotten.
    public func start(after delay: Duration) {
        cancel()
        // A wall-clock time is turned into a monotonic one by libpulse at once, so a clock that jumps later is
        // harmless.
        var time = timeval()
        pa_gettimeofday(&time)
        let parts = delay.components
        pa_timeval_add(&time, pa_usec_t(max(0, parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)))
        event = mainloop.api.pointee.time_new(
            mainloop.api, &time,
            { _, _, _, userdata in
                guard let userdata else { return }
                // SAFETY: `cancel()`, which runs before the timer goes away, frees the event that holds this pointer.
                Unmanaged<MainloopTimer>.fromOpaque(userdata).takeUnretainedValue().fire()
            },
            // SAFETY: see above.
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Forgets the handler's next call.
    public func cancel() {
        guard let event else { return }
        self.event = nil
        mainloop.api.pointee.time_free(event)
    }

    private func fire() {
        cancel()
        handler()
    }
}
