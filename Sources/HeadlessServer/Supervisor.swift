import Foundation

/// A small shell that runs the server's programs and outlives this process just long enough to clean up.
///
/// It executes the lines it reads from a socket. The kernel closes the other end when this process ends, at the latest.
/// The shell then kills its children and removes the folder. (A death signal set with `prctl` would follow the *thread*
/// that started the child, which is the wrong one in a program with a pool of threads.)
struct Supervisor: Sendable {
    private let process: pid_t
    private let connection: Int32

    /// `POSIX_SPAWN_SETSID`, which the headers only define for GNU programs.
    private static let setSession: Int32 = 0x80

    private static let script = """
        folder=$1
        running=
        kill_all() { [ -z "$running" ] || kill -KILL $running; wait; running=; echo; } 2>/dev/null
        launch() { "$@" </dev/null >>"$folder/server.log" 2>&1 & running="$running $!"; echo $!; }
        leave() { kill_all >/dev/null; cd /; rm -rf "$folder"; }
        trap leave EXIT
        trap 'exit 1' HUP INT TERM
        cd "$folder" || exit 1
        while IFS= read -r line; do eval "$line"; done
        """

    init(folder: ServerFolder) throws {
        var ends: [Int32] = [-1, -1]
        // A socket rather than a pipe: a write to a dead supervisor must not raise SIGPIPE in an app.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            let error = HeadlessServerError("cannot make a socket: \(String(cString: strerror(errno)))")
            folder.remove()
            throw error
        }
        ends = ends.map(Self.raised)
        defer { close(ends[1]) }
        connection = ends[0]
        do {
            process = try Self.spawn(
                ["/bin/sh", "-c", Self.script, "sh", folder.path], input: ends[1], log: folder.log,
                environment: folder.serverEnvironment)
        } catch {
            close(ends[0])
            folder.remove()
            throw error
        }
    }

    /// The descriptor, or a duplicate that is none of the three standard ones.
    ///
    /// If stdout is closed, the connection could get its number, and the shell would execute the process's output.
    private static func raised(_ descriptor: Int32) -> Int32 {
        guard (0...STDERR_FILENO).contains(descriptor) else { return descriptor }
        defer { close(descriptor) }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }

    /// Executes one line of shell that prints one line, and returns what it printed.
    func run(_ line: String) throws -> String {
        let message = Array((line + "\n").utf8)
        guard send(connection, message, message.count, Int32(MSG_NOSIGNAL)) == message.count else {
            throw HeadlessServerError("the headless server's supervisor is gone")
        }
        var reply: [UInt8] = []
        while true {
            var poll = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            var byte: UInt8 = 0
            // No command takes longer than a program's start.
            guard Glibc.poll(&poll, 1, 10_000) == 1, recv(connection, &byte, 1, 0) == 1 else {
                throw HeadlessServerError("the headless server's supervisor does not answer")
            }
            if byte == UInt8(ascii: "\n") { return String(decoding: reply, as: UTF8.self) }
            reply.append(byte)
        }
    }

    /// Starts a program that is killed with the supervisor; its output goes to the server's log.
    func launch(_ command: [String]) throws -> pid_t {
        let reply = try run("launch " + command.map(Self.quoted).joined(separator: " "))
        guard let process = pid_t(reply) else { throw HeadlessServerError("cannot start \(command[0]): \(reply)") }
        return process
    }

    /// Kills the programs, removes the folder, and returns when both are done.
    func end() {
        close(connection)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    }

    /// A word quoted for the shell.
    static func quoted(_ word: String) -> String {
        "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    private static func spawn(
        _ command: [String], input: Int32, log: String, environment: [String: String]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, input, 1)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_APPEND, 0)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // In its own process session: Ctrl-C and Ctrl-Z at the terminal are for the app, which still needs its server.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGCHLD] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(Self.setSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw HeadlessServerError("cannot start \(command[0]): \(String(cString: strerror(code)))")
        }
        return process
    }
}
