import Foundation

/// A measured program, with empty input and its output discarded.
struct Child {
    /// The kernel's record of a process that has ended.
    struct Usage {
        /// Processor time in seconds, user and system.
        var processor: Double
        /// The number of voluntary context switches of all threads.
        var sleeps: Int
    }

    let process: pid_t
    let started: ContinuousClock.Instant

    init(_ command: [String], environment: [String: String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + environment).forEach { free($0) } }
        var process: pid_t = 0
        let begin = ContinuousClock.now
        let code = posix_spawn(&process, command[0], &actions, nil, &words, &environment)
        guard code == 0 else { throw BenchError("cannot start \(command[0]): \(String(cString: strerror(code)))") }
        self.process = process
        started = begin
    }

    func kill() { _ = Glibc.kill(process, SIGKILL) }

    /// Waits for its end.
    func wait() -> Usage {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        return Usage(processor: times[0] + times[1], sleeps: Int(usage.ru_nvcsw))
    }

    /// The anonymous memory of the running process, in MiB.
    var anonymousMemory: Double { kilobytes("Anonymous:", in: "smaps_rollup") / 1024 }

    /// The peak resident memory of the running process, in MiB; `wait4` would include this process's from before
    /// `exec`.
    var peakMemory: Double { kilobytes("VmHWM:", in: "status") / 1024 }

    private func kilobytes(_ name: String, in file: String) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The processor time and voluntary context switches of running processes so far.
struct Load {
    /// The processor time, in seconds.
    var processor = 0.0
    var sleeps = 0

    init(of processes: [Int32]) {
        for process in processes {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
            for task in tasks {
                let folder = "/proc/\(process)/task/\(task)/"
                let times = try? String(contentsOfFile: folder + "schedstat", encoding: .utf8)
                processor += (times?.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
                let status = (try? String(contentsOfFile: folder + "status", encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
                sleeps += line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
            }
        }
    }

    static func - (late: Load, early: Load) -> Load {
        var difference = late
        difference.processor -= early.processor
        difference.sleeps -= early.sleeps
        return difference
    }
}
