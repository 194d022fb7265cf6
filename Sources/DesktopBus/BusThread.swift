internal import Foundation

/// The thread that speaks with a bus: it runs jobs, and the connection's business, one at a time.
///
/// It is started by the first job, connects when a job asks for the connection, and ends on request. A connection that
/// was lost is made anew by the next job that asks: buses are restarted rarely, and nobody has to wait for that.
// SAFETY: what is shared is guarded by `lock`; `connection` and `whenLost` are touched on the thread only, but
// that the owner sets the latter before the first job.
final class BusThread: @unchecked Sendable {
    private let address: String
    private let lock = NSLock()
    private var jobs: [@Sendable () -> Void] = []
    private var isStarted = false
    private var mustEnd = false
    private var thread: pthread_t?
    /// What is written into the first comes out of the second, and ends a poll; -1 where no descriptors were left.
    private var alarm: (set: Int32, ring: Int32) = (-1, -1)

    private var connection: BusConnection?
    /// Called on the thread when a connection is over; set before the first job.
    var whenLost: (() -> Void)?

    init(address: String) {
        self.address = address
    }

    deinit {
        if alarm.set >= 0 { close(alarm.set) }
        if alarm.ring >= 0 { close(alarm.ring) }
    }

    // MARK: From any thread

    /// Runs a job on the thread: at once if that is where we are, else later, in the order of the calls.
    func perform(_ job: @escaping @Sendable () -> Void) {
        let isHere = lock.withLock {
            guard !mustEnd else { return false }
            if let thread, pthread_equal(thread, pthread_self()) != 0 { return true }
            jobs.append(job)
            startOrWake()
            return false
        }
        if isHere { job() }
    }

    /// Closes the connection and ends the thread once it has done the jobs that it was given.
    func end() {
        lock.withLock {
            mustEnd = true
            if isStarted { ring() }
        }
    }

    private func startOrWake() {
        guard !isStarted else { return ring() }
        isStarted = true
        Thread { self.run() }.start()
    }

    private func ring() {
        var byte: UInt8 = 1
        // Full means that it rings already.
        _ = send(alarm.set, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    // MARK: On the thread

    /// The connection, made now if there is none; `nil` if there is no bus.
    func connected() -> BusConnection? {
        if connection == nil { connection = BusConnection(address: address) }
        return connection
    }

    /// The connection, if there is one.
    var existing: BusConnection? { connection }

    private func run() {
        // Foundation's `name`, if it is set before the start, never reaches the kernel, and with it what lists threads.
        try? "desktop-bus".write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
        // Signals are for the app's threads.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        lock.withLock { thread = pthread_self() }
        while true {
            let (due, isLast) = lock.withLock {
                // Here, so that all jobs but those that are taken now find it.
                makeAlarm()
                defer { jobs = [] }
                return (jobs, mustEnd)
            }
            for job in due { job() }
            if isLast { break }
            if let connection, !connection.process() { lose(connection) }
            poll()
        }
        connection?.close()
        connection = nil
    }

    private func makeAlarm() {
        guard alarm.ring < 0 else { return }
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        if socketpair(AF_UNIX, type, 0, &ends) == 0 { alarm = (ends[0], ends[1]) }
    }

    private func lose(_ lost: BusConnection) {
        connection = nil
        lost.close()
        whenLost?()
    }

    private func poll() {
        var events = [pollfd(fd: alarm.ring, events: Int16(POLLIN), revents: 0)]
        var milliseconds: Int32 = -1
        if let connection {
            guard let wait = connection.wait() else { return lose(connection) }
            events.append(wait.events)
            milliseconds = wait.milliseconds
        }
        // Nobody can wake it for want of descriptors: it looks for jobs, and for descriptors, by itself.
        if alarm.ring < 0 { milliseconds = milliseconds < 0 ? 100 : min(milliseconds, 100) }
        guard Glibc.poll(&events, nfds_t(events.count), milliseconds) > 0, events[0].revents != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        while recv(alarm.ring, &bytes, bytes.count, 0) == bytes.count {}
    }
}
