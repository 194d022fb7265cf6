internal import CSystemdBus
internal import Glibc
internal import Locks

/// The thread of a bus connection, which runs jobs and dispatches the connection's messages, one at a time.
///
/// The first job starts the thread, a job that needs the connection makes it connect, and ``end()`` ends it. After a
/// loss the next job that needs the connection reconnects, which is rare, and no caller waits for it.
// SAFETY: `shared` has its own lock; `connection` and `whenLost` are only used on the thread, except that the owner
// sets the latter before the first job.
final class BusThread: @unchecked Sendable {
    /// The state that other threads reach.
    private struct Shared {
        var jobs: [@Sendable () -> Void] = []
        var isStarted = false
        var mustEnd = false
        var thread: pthread_t?
        /// The ends of a socket pair, -1 without file descriptors; a byte sent to `set` ends a poll of `ring`.
        var alarm: (set: Int32, ring: Int32) = (-1, -1)
    }

    private let address: String
    /// Returns sd-bus's functions, on the thread; nil without the library.
    private let library: @Sendable () -> UnsafePointer<systemd_bus>?
    private let shared = Guarded(Shared())
    private var connection: BusConnection?
    /// Called on the thread when a connection is over; set before the first job.
    var whenLost: (() -> Void)?

    init(address: String, library: @escaping @Sendable () -> UnsafePointer<systemd_bus>?) {
        self.address = address
        self.library = library
    }

    deinit {
        shared.withLock { shared in
            if shared.alarm.set >= 0 { close(shared.alarm.set) }
            if shared.alarm.ring >= 0 { close(shared.alarm.ring) }
        }
    }

    // MARK: From any thread

    /// Runs a job on the thread: at once if called there, else later, in the order of the calls.
    func perform(_ job: @escaping @Sendable () -> Void) {
        let isHere = shared.withLock { shared in
            guard !shared.mustEnd else { return false }
            if let thread = shared.thread, pthread_equal(thread, pthread_self()) != 0 { return true }
            shared.jobs.append(job)
            if shared.isStarted { Self.ring(shared.alarm) } else { shared.isStarted = start() }
            return false
        }
        if isHere { job() }
    }

    /// Closes the connection and ends the thread after all earlier jobs.
    func end() {
        shared.withLock { shared in
            shared.mustEnd = true
            if shared.isStarted { Self.ring(shared.alarm) }
        }
    }

    /// Starts the thread, which retains this object; false if the process is out of threads.
    ///
    /// The next job tries again.
    private func start() -> Bool {
        // SAFETY: retained for the thread, which takes the reference over as it starts.
        let kept = Unmanaged.passRetained(self)
        var new = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            // SAFETY: the reference that `start()` retained for this thread.
            if let pointer { Unmanaged<BusThread>.fromOpaque(pointer).takeRetainedValue().run() }
            return nil
        }
        guard pthread_create(&new, nil, body, kept.toOpaque()) == 0 else {
            kept.release()
            return false
        }
        pthread_detach(new)
        return true
    }

    private static func ring(_ alarm: (set: Int32, ring: Int32)) {
        var byte: UInt8 = 1
        // A full socket has woken the thread already.
        _ = send(alarm.set, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    // MARK: On the thread

    /// The connection, opened now if there is none; nil without a bus.
    func connected() -> BusConnection? {
        if connection == nil { connection = BusConnection(address: address, library: library()) }
        return connection
    }

    /// The connection, if there is one.
    var existing: BusConnection? { connection }

    private func run() {
        Self.nameThread("desktop-bus")
        // Signals are handled by the app's threads.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        shared.withLock { $0.thread = pthread_self() }
        while true {
            let (due, isLast, ring) = shared.withLock { shared in
                // Created here, so that all later jobs find it.
                if shared.alarm.ring < 0 { shared.alarm = Self.makeAlarm() }
                defer { shared.jobs = [] }
                return (shared.jobs, shared.mustEnd, shared.alarm.ring)
            }
            for job in due { job() }
            if isLast { break }
            if let connection, !connection.process() { lose(connection) }
            poll(ring)
        }
        connection?.close()
        connection = nil
    }

    /// Sets the calling thread's name, for debuggers and `ps`.
    private static func nameThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, name.utf8.count)
        close(file)
    }

    private static func makeAlarm() -> (set: Int32, ring: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return (-1, -1) }
        return (ends[0], ends[1])
    }

    private func lose(_ lost: BusConnection) {
        connection = nil
        lost.close()
        whenLost?()
    }

    private func poll(_ ring: Int32) {
        var events = [pollfd(fd: ring, events: Int16(POLLIN), revents: 0)]
        var milliseconds: Int32 = -1
        if let connection {
            guard let wait = connection.wait() else { return lose(connection) }
            events.append(wait.events)
            milliseconds = wait.milliseconds
        }
        // Without an alarm (out of descriptors), the thread polls for jobs and descriptors.
        if ring < 0 { milliseconds = milliseconds < 0 ? 100 : min(milliseconds, 100) }
        guard Glibc.poll(&events, nfds_t(events.count), milliseconds) > 0, events[0].revents != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        while recv(ring, &bytes, bytes.count, 0) == bytes.count {}
    }
}
