import Foundation
import Glibc

/// A program with its arguments, looked up in PATH as by a shell.
struct CommandProgram: Sendable {
    /// The failure to run a program, with the exit status that shells use.
    struct Failure: Error {
        /// 127 if there is no such program, 126 if it cannot be executed.
        let status: Int32
        let message: String

        init(_ name: String, errno code: Int32) {
            status = code == ENOENT || code == ENOTDIR ? 127 : 126
            // A path was not looked for: it is not there, as shells say.
            let isSought = status == 127 && !name.contains("/")
            message = "\(name): " + (isSought ? "command not found" : String(cString: strerror(code)))
        }
    }

    /// The program's name as given, and the arguments.
    let words: [CommandWord]
    private let path: CommandWord

    /// The program's name without its folder.
    var name: String { path.text.split(separator: "/").last.map(String.init) ?? path.text }

    /// Finds the program in PATH, unless its name has a slash.
    init(_ words: [CommandWord]) throws(Failure) {
        self.words = words
        let name = words.first ?? CommandWord("")
        if name.bytes.contains(UInt8(ascii: "/")) {
            path = name
            guard let problem = Self.problem(with: path) else { return }
            throw Failure(name.text, errno: problem)
        }
        let folders = getenv("PATH").map { CommandWord(copying: $0) } ?? CommandWord("/usr/local/bin:/usr/bin:/bin")
        var worst: Int32 = ENOENT
        let entries = folders.bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for entry in entries where !name.bytes.isEmpty {
            // An empty entry means the current folder.
            let candidate = CommandWord(bytes: (entry.isEmpty ? Array(".".utf8) : Array(entry)) + "/".utf8 + name.bytes)
            guard let problem = Self.problem(with: candidate) else {
                path = candidate
                return
            }
            if problem == EACCES { worst = EACCES }
        }
        throw Failure(name.text, errno: worst)
    }

    private static func problem(with path: CommandWord) -> Int32? {
        let path = path.cString
        var status = stat()
        guard stat(path, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT != S_IFDIR else { return EISDIR }
        return access(path, X_OK) == 0 ? nil : errno
    }

    /// Starts the program in this process group, so that it has the terminal, with a given signal mask.
    ///
    /// - Parameter output: The file descriptor for its output; nil to inherit this process's.
    func start(
        environment: [CommandWord], signalMask: sigset_t, output: Int32? = nil
    ) throws(Failure) -> pid_t {
        // Whoever started us may ignore it, and then nobody learns how a child ended.
        signal(SIGCHLD, SIG_DFL)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = signalMask
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        }
        var process: pid_t = 0
        func spawn(_ path: CommandWord, _ words: [CommandWord]) -> Int32 {
            let arguments = words.map { strdup($0.cString) } + [nil]
            let variables = environment.map { strdup($0.cString) } + [nil]
            defer { (arguments + variables).forEach { free($0) } }
            return posix_spawn(&process, path.cString, &actions, &attributes, arguments, variables)
        }
        var code = spawn(path, words)
        // A script that does not name its interpreter: shells and `execvp` take it for one of the shell's.
        if code == ENOEXEC { code = spawn(Self.shell, [Self.shell, path] + words.dropFirst()) }
        guard code == 0 else { throw Failure(words.first?.text ?? "", errno: code) }
        return process
    }

    private static let shell = CommandWord("/bin/sh")

    /// Runs the program to its end and returns its output; nil if it cannot be run.
    func output() -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = try? start(
            environment: CommandEnvironment.inherited, signalMask: Signals.mask, output: ends[1])
        close(ends[1])
        let text = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
        guard let process else { return nil }
        _ = Self.wait(for: process)
        return String(decoding: text, as: UTF8.self)
    }

    /// Blocks until a process ends, and keeps its process ID from being reused until ``wait(for:)``.
    static func awaitEnd(of process: pid_t) {
        var info = siginfo_t()
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// The end of a program: a shell's code, which is the exit status, or 128 plus the number of the signal; and whether
    /// SIGINT killed it.
    typealias End = (code: Int32, isInterrupt: Bool)

    /// Blocks until a process ends, and reaps it.
    static func wait(for process: pid_t) -> End {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return (signal == 0 ? (status >> 8) & 0xff : 128 + signal, signal == SIGINT)
    }
}
