import Foundation
import HeadlessServer

/// A failure of a measured process.
struct BenchError: Error, CustomStringConvertible {
    let description: String
}

/// Sessions in processes of their own, and their lines in the order of arrival.
final class Crowd {
    /// One line of a session.
    struct Word {
        let process: Int32
        let event: String
        let times: [UInt64]
    }

    private(set) var processes: [Process] = []
    private let told = Pipe()
    private var unread: [UInt8] = []

    /// Starts a number of sessions, and returns when each is ready.
    init(_ count: Int, as role: String, on server: HeadlessServer) throws {
        for _ in 0..<count {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [role]
            process.environment = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
            process.standardInput = Pipe()
            process.standardOutput = told.fileHandleForWriting
            try process.run()
            processes.append(process)
            // One after the other: PulseAudio refuses connections when more than six wait.
            _ = try next { $0.event == "ready" }
        }
    }

    deinit { for process in processes { process.terminate() } }

    /// Sends a command to one session.
    func send(_ command: String, to index: Int) throws {
        guard let input = processes[index].standardInput as? Pipe else { return }
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    /// Sends a command to one session and returns its duration and its start, in nanoseconds.
    @discardableResult
    func order(_ command: String, of index: Int) throws -> (start: UInt64, end: UInt64) {
        try send(command, to: index)
        let word = try next { $0.process == processes[index].processIdentifier && $0.event != "began" }
        guard word.times.count == 2 else { throw BenchError(description: "\(command): \(word.event)") }
        return (word.times[0], word.times[1])
    }

    private var kept: [Word] = []

    /// Waits for a line that matches; the others stay for later.
    func next(where matches: (Word) -> Bool) throws -> Word {
        if let index = kept.firstIndex(where: matches) { return kept.remove(at: index) }
        while true {
            let word = try read()
            if matches(word) { return word }
            kept.append(word)
        }
    }

    /// Drops the lines that nothing has waited for.
    func forget() { kept = [] }

    private func read() throws -> Word {
        let descriptor = told.fileHandleForReading.fileDescriptor
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                let words = line.split(separator: " ")
                let times = words.dropFirst(2).compactMap { UInt64($0) }
                return Word(process: Int32(words[0]) ?? 0, event: String(words[1]), times: times)
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, 10_000) == 1 else { throw BenchError(description: "a session does not answer") }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            guard count > 0 else { throw BenchError(description: "the sessions are gone") }
            unread += bytes[..<count]
        }
    }

    /// The processor time of one session so far, in seconds.
    func processorTime(of index: Int) -> Double {
        let path = "/proc/\(processes[index].processIdentifier)/stat"
        let stat = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
