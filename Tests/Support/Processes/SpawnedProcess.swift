import Foundation

/// A started process with the reading ends of its two outputs; read by one thread, and waited for by one.
struct SpawnedProcess: Sendable {
    let processID: pid_t
    /// The writing end of its standard input, whoever closes it; nil if it reads from /dev/null.
    let input: Int32?
    private let output: Int32
    private let error: Int32
    private let started = ContinuousClock.now

    init(_ program: String, _ arguments: [String], environment: [String: String], input takesInput: Bool) throws {
        let inputPipe = takesInput ? try Self.pipe() : nil
        let outputPipe = try Self.pipe()
        let errorPipe = try Self.pipe()
        defer { [outputPipe.write, errorPipe.write, inputPipe?.read].forEach { if let end = $0 { close(end) } } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let inputPipe {
            posix_spawn_file_actions_adddup2(&actions, inputPipe.read, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, outputPipe.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errorPipe.write, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The test runner's threads may block signals, which a child would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw SupportError("cannot start \(program): \(String(cString: strerror(code)))") }
        processID = process
        input = inputPipe?.write
        output = outputPipe.read
        error = errorPipe.read
    }

    /// Hands over what the process writes until it has closed both outputs.
    func readToEnd(output store: ([UInt8]) -> Void, error storeError: ([UInt8]) -> Void) {
        var open = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: error, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while open.contains(where: { $0.fd >= 0 }) {
            guard poll(&open, nfds_t(open.count), -1) > 0 else { continue }
            for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
                let count = read(open[index].fd, &buffer, buffer.count)
                if count > 0 {
                    (index == 0 ? store : storeError)(Array(buffer[..<count]))
                } else if count == 0 || errno != EINTR {
                    precondition(count == 0 || errno != EBADF, "somebody else closed a file of this process")
                    close(open[index].fd)
                    open[index].fd = -1
                }
            }
        }
    }

    /// Waits for the end of the process, whose ID stays its own until ``exit()``.
    func waitForEnd() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
    }

    /// Says how the process ended, and what it cost; once, after ``waitForEnd()``.
    func exit() -> ChildProcess.Exit {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(processID, &status, 0, &usage) == -1 && errno == EINTR {}
        let signal = status & 0x7f
        let time = [usage.ru_utime, usage.ru_stime].map { Duration.seconds($0.tv_sec) + .microseconds($0.tv_usec) }
        return ChildProcess.Exit(
            status: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
            wallTime: ContinuousClock.now - started, processorTime: time[0] + time[1],
            peakResidentBytes: Int(usage.ru_maxrss) * 1024)
    }

    /// Sockets, because a pipe that no other child inherits in between (`pipe2`) is not to be had from Swift: a
    /// forgotten writing end elsewhere would hide the end of the output.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw SupportError("no socket: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }
}
