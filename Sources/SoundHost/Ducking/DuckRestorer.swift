internal import AudioHost
internal import Glibc
package import PulseClient
package import SessionPolicy

/// The guard process, which restores all lowered streams if this process is killed.
///
/// The guard is the program `audiosession`, beside the running program or in PATH, started with the argument `guard` and a
/// socket as its standard input. Down the socket go lines: `server=ADDRESS`, `ledger=TEXT` after each change,
/// and `restored`. The guard ends at `restored`; where the socket ends without it, this process is dead, and the guard
/// does its work.
///
/// The guard is invisible to the program that uses the library. It is not its child: the process that is started starts
/// the real guard, exits at once, and is waited for on a thread. It has a process session of its own, out of reach of
/// Ctrl-C, and no open file but the socket.
///
/// Use it with the main loop's lock held.
package final class DuckRestorer {
    private let server: String?
    private let findsProgram: () -> String?
    /// The program's path; looked up at first use, since most processes never need it.
    private lazy var program = findsProgram()
    private var socket: Int32 = -1
    private var isStarting = false
    private var isUnavailable = false

    /// A guard that is started at the first ledger with entries.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil looks where every client looks.
    ///   - program: The program to start with the argument `guard`; nil for none.
    package init(server: String?, program: @autoclosure @escaping () -> String? = DuckRestorer.findProgram()) {
        self.server = server
        findsProgram = program
    }

    deinit {
        // To the guard, a host that goes away with lowered streams is like a process that dies.
        if socket >= 0 { close(socket) }
    }

    /// Whether a guard process has been started.
    package var isRunning: Bool { socket >= 0 }

    /// Whether streams may be lowered now: the guard is running, or none is available.
    package var isReady: Bool { isRunning && !isStarting || program == nil || isUnavailable }

    /// Starts the guard if needed, and returns whether the caller has to wait for it.
    ///
    /// If so, `action` is called with the lock of `mainloop` held, once the guard is running or has failed to start.
    package func prepare(on mainloop: Mainloop, then action: @escaping () -> Void) -> Bool {
        guard !isReady, !isStarting else { return isStarting }
        isStarting = start { [weak self] isThere in
            mainloop.withLock {
                guard let self else { return }
                self.isStarting = false
                self.isUnavailable = !isThere
                action()
            }
        }
        return isStarting
    }

    /// Sends the guard a ledger; dismisses it if that has no records, and restarts a guard that has died.
    package func note(_ ledger: DuckLedger) {
        guard !ledger.records.isEmpty else { return dismiss() }
        let line = "ledger=" + ledger.text
        // A dead guard shows only when a line is sent to it, and this ledger may be sent only once.
        if !sendLine(line), start(started: { _ in }) { sendLine(line) }
    }

    /// Ends the guard, as all streams are restored.
    package func dismiss() {
        guard socket >= 0 else { return }
        sendLine("restored")
        guard socket >= 0 else { return }
        close(socket)
        socket = -1
    }

    /// Has the guard restore all streams of its ledger now; false if there is no guard.
    package func takeOver() -> Bool {
        guard socket >= 0 else { return false }
        // As if this process had died.
        close(socket)
        socket = -1
        return true
    }

    /// Sends a line to the guard; false if there is none, or it has died.
    @discardableResult
    private func sendLine(_ line: String) -> Bool {
        guard socket >= 0 else { return false }
        let bytes = Array((line + "\n").utf8)
        let sent = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if sent == bytes.count { return true }
        close(socket)
        socket = -1
        return false
    }

    // MARK: Starting

    /// The program `audiosession`, beside the running program, then in PATH; nil if there is none.
    package static func findProgram() -> String? {
        var folders: [String] = []
        if let own = realpath("/proc/self/exe", nil) {
            let path = String(cString: own)
            free(own)
            if let slash = path.lastIndex(of: "/") { folders.append(String(path[..<slash])) }
        }
        let path = AppIdentity.environment("PATH") ?? ""
        folders += path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return folders.lazy.map { $0 + "/audiosession" }.first { access($0, X_OK) == 0 }
    }

    /// Starts the guard program; false if there is none.
    ///
    /// `started` is called on another thread with the outcome.
    private func start(started: @escaping (Bool) -> Void) -> Bool {
        guard let program else { return false }
        var ends: [Int32] = [-1, -1]
        // A socket rather than a pipe: a write to a dead guard must not raise SIGPIPE in the app.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return false
        }
        // SAFETY: released once, by the thread or, where there is none, here.
        let errand = Unmanaged.passRetained(Errand(program: program, input: ends[1], started: started))
        var thread = pthread_t()
        // Starting a program takes a millisecond, and its end has to be waited for: not on the loop.
        guard pthread_create(&thread, nil, DuckRestorer.runErrand, errand.toOpaque()) == 0 else {
            errand.release()
            ends.forEach { close($0) }
            return false
        }
        pthread_detach(thread)
        socket = ends[0]
        sendLine("server=" + (server ?? ""))
        return true
    }

    /// Starts the program and waits for its end, which comes as soon as it has started the real guard.
    private final class Errand {
        let program: String
        let input: Int32
        let started: (Bool) -> Void

        init(program: String, input: Int32, started: @escaping (Bool) -> Void) {
            self.program = program
            self.input = input
            self.started = started
        }

        func run() {
            let child = HelperProcess.start([program, "guard"], input: input, detached: nil)
            close(input)
            started(child != nil)
            guard let child else { return }
            // Another part of the app may wait for any child, and be faster.
            while waitpid(child, nil, 0) == -1 && errno == EINTR {}
        }
    }

    private static func run(_ errand: UnsafeMutableRawPointer?) {
        guard let errand else { return }
        // SAFETY: balances passRetained in start(); the thread runs once.
        Unmanaged<Errand>.fromOpaque(errand).takeRetainedValue().run()
    }

    fileprivate static let runErrand: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        DuckRestorer.run($0)
        return nil
    }
}
