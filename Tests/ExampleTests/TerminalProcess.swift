import Foundation
import HeadlessServer
import TestSupport

/// A program on a terminal of its own: what a person sees and types.
///
/// The program leads a session whose controlling terminal is a pseudo-terminal, so that Ctrl-C and Ctrl-Z work.
// SAFETY: the mutable state is guarded by `lock`; only the reader thread waits for the process.
final class TerminalProcess: @unchecked Sendable {
    let processID: pid_t
    private let master: Int32
    private let slave: Int32
    private let lock = NSLock()
    private var seen: [UInt8] = []
    private var status: Int32?

    /// Starts one of this package's programs, such as `player`, as a client of `server`.
    convenience init(
        _ program: String, _ arguments: [String], on server: HeadlessServer, columns: UInt16 = 80,
        environment: [String: String] = [:]
    ) throws {
        let path = try ChildProcess.executable(program).path
        try self.init(path: path, arguments, on: server, columns: columns, environment: environment)
    }

    /// Starts any program.
    init(
        path: String, _ arguments: [String], on server: HeadlessServer, columns: UInt16 = 80,
        environment: [String: String] = [:]
    ) throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw SupportError("no pseudo-terminal") }
        for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (self.master, self.slave) = (master, slave)
        var name = [CChar](repeating: 0, count: 128)
        ttyname_r(slave, &name, name.count)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session leader opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | newSession))
        var variables = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
        variables["TERM"] = "xterm"
        variables["NO_COLOR"] = nil
        variables.merge(environment) { $1 }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var pairs = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + pairs).forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, &attributes, &words, &pairs) == 0 else {
            throw SupportError("cannot start \(path)")
        }
        processID = process
        Thread.detachNewThread { self.follow() }
    }

    deinit {
        close(master)
        close(slave)
    }

    /// Everything that was sent to the screen so far, escape sequences included.
    var screen: String { String(decoding: lock.withLock { seen }, as: UTF8.self) }

    /// The last state of the status line, escape sequences taken out.
    var line: String {
        let last = screen.components(separatedBy: "\r").last { !$0.isEmpty } ?? ""
        return last.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    }

    /// The lines of the last whole picture of a program that draws from the top again and again, without escape sequences.
    var lastPicture: [String] {
        let pictures = screen.components(separatedBy: "\u{1B}[H")
        guard let last = pictures.last(where: { $0.hasSuffix("\u{1B}[J") }) else { return [] }
        return last.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The exit status; nil while it runs.
    var exit: Int32? { lock.withLock { status } }

    /// Whether typed characters are shown and lines are edited, as a shell expects it.
    var isCooked: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// Whether nobody has hidden the cursor, or somebody has given it back.
    var showsCursor: Bool {
        let text = screen
        guard let hidden = text.range(of: "\u{1B}[?25l", options: .backwards) else { return true }
        return text[hidden.upperBound...].contains("\u{1B}[?25h")
    }

    /// The letter of the process's state, such as `T` for stopped.
    var state: Character? { Self.state(of: processID) }

    /// The same of any process.
    static func state(of process: pid_t) -> Character? {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.components(separatedBy: ") ").last?.first
    }

    /// Makes the window another width, of which the kernel tells by SIGWINCH.
    func resize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Types.
    func type(_ text: String) { _ = write(master, text, text.utf8.count) }

    /// Waits until the screen shows something.
    func wait(for what: String, timeout: Duration = hangLimit, _ condition: (TerminalProcess) -> Bool) async throws {
        do {
            try await waitUntil(what, timeout: timeout) { condition(self) }
        } catch {
            throw SupportError("\(error); the screen: \(screen.debugDescription)")
        }
    }

    /// Waits for the end and returns the exit status.
    func waitForExit(timeout: Duration = hangLimit) async throws -> Int32 {
        try await wait(for: "the exit", timeout: timeout) { $0.exit != nil }
        return exit ?? -1
    }

    private func follow() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&ready, 1, 20) > 0, ready.revents & Int16(POLLIN) != 0 {
                let count = read(master, &buffer, buffer.count)
                if count > 0 { lock.withLock { seen += buffer.prefix(count) } }
                continue
            }
            var code: Int32 = 0
            guard waitpid(processID, &code, WNOHANG) == processID else { continue }
            let ended = code & 0x7f == 0 ? (code >> 8) & 0xff : -(code & 0x7f)
            return lock.withLock { status = ended }
        }
    }
}

/// `POSIX_SPAWN_SETSID`, which glibc's headers hide from Swift.
private let newSession: Int32 = 0x80
