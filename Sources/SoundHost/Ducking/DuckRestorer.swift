internal import AudioHost
internal import Glibc
package import PulseClient
package import SessionPolicy

/// Another process that gives everything back if this one, the last that knows what is lowered, is killed.
///
/// It is the program `audiosession`, beside the running program or in PATH, started with the argument `guard` and a
/// socket as its standard input. Down the socket go lines: `server=ADDRESS`, `ledger=TEXT` after each change,
/// and `restored`. The guard ends at `restored`; where the socket ends without it, this process is dead, and the guard
/// does its work.
///
/// The program that uses the library must not notice: the guard is no child of it (what is started starts the real
/// guard and ends at once; it is waited for on a thread), is in a session of its own, so that Ctrl-C does not reach it,
/// and keeps no file open but the socket.
// SAFETY: only touched with the main loop's lock held.
package final class DuckRestorer: @unchecked Sendable {
    private let server: String?
    private let findsProgram: () -> String?
    /// Looked for when it is needed first, which it never is in most processes.
    private lazy var program = findsProgram()
    private var socket: Int32 = -1
    private var isStarting = false
    private var isUnavailable = false

    /// A guard that is started when it is needed.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil looks where every client looks.
    ///   - program: The program to start with the argument `guard`; nil for none.
    package init(server: String?, program: @autoclosure @escaping () -> String? = DuckRestorer.findProgram()) {
        self.server = server
        findsProgram = program
    }

    deinit {
        // A host that goes away with streams lowered is like a process that dies.
        if socket >= 0 { close(socket) }
    }

    /// Whether a guard stands by.
    package var isRunning: Bool { socket >= 0 }

    /// Whether there is nothing to wait for before something is lowered: a guard stands by, or cannot be had.
    package var isReady: Bool { isRunning && !isStarting || program == nil || isUnavailable }

    /// Starts the guard before anything is lowered; false if there is nothing to wait for.
    ///
    /// Otherwise `action` is called, with the lock of `mainloop` held, as soon as there is nothing to wait for any
    /// more.
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

    /// Tells the guard what is lowered, and ends it with the last stream; starts one if there is none any more.
    package func note(_ ledger: DuckLedger) {
        guard !ledger.records.isEmpty else { return dismiss() }
        let line = "ledger=" + ledger.text
        // That a guard is dead shows only when it is told something, and this may be told only once.
        if !sendLine(line), start(started: { _ in }) { sendLine(line) }
    }

    /// Ends the guard: nothing is lowered.
    package func dismiss() {
        guard socket >= 0 else { return }
        sendLine("restored")
        guard socket >= 0 else { return }
        close(socket)
        socket = -1
    }

    /// Leaves to the guard what it knows to be lowered; false if there is none that knows.
    package func takeOver() -> Bool {
        guard socket >= 0 else { return false }
        // As if this process had died.
        close(socket)
        socket = -1
        return true
    }

    /// Sends a line; false if there is no guard, or none any more.
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

    /// `started` is called on a thread of its own, and told whether the program could be started; false if there is
    /// none.
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
