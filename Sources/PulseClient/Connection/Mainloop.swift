internal import CPulse
internal import Glibc
internal import Locks
internal import Synchronization

/// The thread on which libpulse runs, and the lock that guards all state of its connections.
///
/// A `Mainloop` is the serial executor of the actors of this module: their isolated code runs either on the loop's own
/// thread or on a thread that holds the loop's lock (``MainloopActor/sync(_:)``). Both exclude each other.
///
/// The thread is started by ``init()`` and ends with the last reference.
///
/// PulseAudio: `pa_threaded_mainloop`.
public final class Mainloop: SerialExecutor {
    // SAFETY: the pointer never changes; libpulse's own lock guards what it points to.
    nonisolated(unsafe) let raw: OpaquePointer
    // SAFETY: as `raw`.
    nonisolated(unsafe) let api: UnsafeMutablePointer<pa_mainloop_api>
    /// The thread that took the lock through ``withLock(_:)``, or 0.
    private let owner = Atomic<UInt>(0)
    // SAFETY: only touched with the loop's lock held.
    private nonisolated(unsafe) var jobs: [UnownedJob] = []

    /// Starts the loop's thread.
    ///
    /// Throws ``PulseError/Code/unknown`` if the process is out of descriptors or threads; a later attempt may succeed.
    ///
    /// PulseAudio: `pa_threaded_mainloop_new`, `pa_threaded_mainloop_start`.
    public init() throws(PulseError) {
        guard let raw = pa_threaded_mainloop_new(), let api = pa_threaded_mainloop_get_api(raw) else {
            throw PulseError(
                .unknown, in: "pa_threaded_mainloop_new", explanation: "this process is out of file descriptors")
        }
        pa_threaded_mainloop_set_name(raw, "pulse")
        guard pa_threaded_mainloop_start(raw) == 0 else {
            pa_threaded_mainloop_free(raw)
            throw PulseError(.unknown, in: "pa_threaded_mainloop_start", explanation: "this process is out of threads")
        }
        self.raw = raw
        self.api = api
    }

    deinit {
        // The loop cannot stop itself from its own thread, on which the last reference may be released.
        if pa_threaded_mainloop_in_thread(raw) != 0 {
            Mainloop.dispose(later: raw)
        } else {
            pa_threaded_mainloop_stop(raw)
            pa_threaded_mainloop_free(raw)
        }
    }

    private static func dispose(later raw: OpaquePointer) {
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            let loop = pointer.map { OpaquePointer($0) }
            pa_threaded_mainloop_stop(loop)
            pa_threaded_mainloop_free(loop)
            return nil
        }
        if pthread_create(&thread, nil, body, UnsafeMutableRawPointer(raw)) == 0 { pthread_detach(thread) }
    }

    // MARK: The lock

    /// Whether the calling thread is the loop's own, or holds its lock.
    public var isHeld: Bool {
        pa_threaded_mainloop_in_thread(raw) != 0 || owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Whether the calling thread is the loop's own.
    ///
    /// That thread must never wait for the server.
    public var isOnLoop: Bool { pa_threaded_mainloop_in_thread(raw) != 0 }

    /// Runs `body` with the loop's lock held; calls can be nested.
    ///
    /// Waits for the lock, for as long as another thread holds it.
    ///
    /// PulseAudio: `pa_threaded_mainloop_lock`, `pa_threaded_mainloop_unlock`.
    public func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if isHeld { return try body() }
        pa_threaded_mainloop_lock(raw)
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        defer {
            owner.store(0, ordering: .relaxed)
            pa_threaded_mainloop_unlock(raw)
        }
        return try body()
    }

    /// Waits until `condition` is true, with the lock released meanwhile; returns whether it became true before
    /// `timeout`.
    ///
    /// In a call of an app it returns at that call's deadline at the latest.
    ///
    /// Must be called with the lock held, and never on the loop's own thread. As after an `await`, state guarded by the
    /// lock may have changed when it returns. The condition is evaluated again after each ``signal()``.
    ///
    /// PulseAudio: `pa_threaded_mainloop_wait`.
    public func wait(timeout: Duration, until condition: () -> Bool) -> Bool {
        precondition(!isOnLoop, "waiting for the sound server on the thread that serves it would never end")
        if condition() { return true }
        let expired = Flag()
        let timer = MainloopTimer(mainloop: self) { [unowned self] in
            expired.isSet = true
            self.signal()
        }
        timer.start(after: CallDeadline.limit(timeout))
        defer { timer.cancel() }
        let me = owner.load(ordering: .relaxed)
        while !expired.isSet {
            owner.store(0, ordering: .relaxed)
            pa_threaded_mainloop_wait(raw)
            owner.store(me, ordering: .relaxed)
            if condition() { return true }
        }
        return condition()
    }

    /// Wakes all threads in ``wait(timeout:until:)``.
    ///
    /// PulseAudio: `pa_threaded_mainloop_signal`.
    public func signal() { pa_threaded_mainloop_signal(raw, 0) }

    // `isSet` is only touched with the loop's lock held.
    private final class Flag { var isSet = false }

    // MARK: Executor

    /// Runs a job of an actor on the loop's thread, with its lock held.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        withLock {
            jobs.append(job)
            guard jobs.count == 1 else { return }
            pa_mainloop_api_once(
                api,
                { _, userdata in
                    guard let userdata else { return }
                    // SAFETY: balances passRetained below; libpulse calls this exactly once.
                    Unmanaged<Mainloop>.fromOpaque(userdata).takeRetainedValue().runJobs()
                },
                // SAFETY: the loop must outlive the scheduled call, which releases it.
                Unmanaged.passRetained(self).toOpaque())
        }
    }

    /// Schedules `body` for the loop's next iteration, on its thread with the lock held; the caller holds the lock.
    func afterCallbacks(_ body: @escaping () -> Void) {
        final class Box {
            let loop: Mainloop
            let body: () -> Void
            init(_ loop: Mainloop, _ body: @escaping () -> Void) { (self.loop, self.body) = (loop, body) }
        }
        pa_mainloop_api_once(
            api,
            { _, userdata in
                guard let userdata else { return }
                // SAFETY: balances passRetained below; libpulse calls this exactly once.
                Unmanaged<Box>.fromOpaque(userdata).takeRetainedValue().body()
            },
            // SAFETY: released by the call, as the loop, which must outlive it.
            Unmanaged.passRetained(Box(self, body)).toOpaque())
    }

    private func runJobs() {
        let batch = jobs
        jobs.removeAll(keepingCapacity: true)
        for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// This loop as an executor for Swift's concurrency runtime.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Traps unless the calling thread is the loop's own or holds its lock.
    public func checkIsolated() { precondition(isHeld, "not holding the main loop's lock") }
}

/// An actor whose executor is a ``Mainloop``.
///
/// It is reachable with `await`, and from plain threads through ``sync(_:)``.
public protocol MainloopActor: Actor {
    /// The loop that the actor runs on.
    nonisolated var mainloop: Mainloop { get }
}

extension MainloopActor {
    /// Runs `body` on the actor from a thread that is not asynchronous, with the main loop's lock held.
    ///
    /// It takes well under a microsecond unless the loop is busy. Do not block in `body` but through
    /// ``Mainloop/wait(timeout:until:)``.
    public nonisolated func sync<T, E: Error>(_ body: (isolated Self) throws(E) -> T) throws(E) -> T {
        typealias Plain = (Self) throws(E) -> T
        let result: Result<T, E> = mainloop.withLock {
            withoutActuallyEscaping(body) { body in
                // SAFETY: the lock that is the actor's executor is held, so the isolation that the cast takes off is
                // given; `assumeIsolated` does the same, but could not return what is not Sendable.
                let plain = unsafeBitCast(body, to: Plain.self)
                do throws(E) { return .success(try plain(self)) } catch { return .failure(error) }
            }
        }
        return try result.get()
    }
}
