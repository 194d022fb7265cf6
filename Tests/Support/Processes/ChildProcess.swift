package import Foundation
private import Glibc
package import HeadlessServer

/// A program run by a test: one of ours, found beside the test bundle, or a tool of the system.
///
/// Its output is collected as it comes. It is killed with its last reference. All members may be called on any thread.
// SAFETY: all mutable state is guarded by `lock`; one thread reads the output, and one waits for the process.
package final class ChildProcess: @unchecked Sendable {
    /// How a process ended, and what it cost.
    package struct Exit: Sendable {
        /// The exit status; nil if a signal ended it.
        package let status: Int32?
        /// The signal that ended it; nil if it exited.
        package let signal: Int32?
        /// From the start to the end of the process.
        package let wallTime: Duration
        /// Processor time in the program and in the kernel on its behalf.
        package let processorTime: Duration
        /// The largest resident set, in bytes.
        package let peakResidentBytes: Int
    }

    /// The process id.
    package let processID: Int32
    /// The program's name, for messages.
    package let name: String

    private let lock = NSLock()
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var isRead = false
    private var ended: Exit?
    private let input: Int32?

    /// Starts a program; `environment` is laid over this process's own.
    ///
    /// With `input`, it can be written to, and reads the end of its input when the last reference to it goes.
    package init(
        _ program: URL, _ arguments: [String] = [], environment: [String: String] = [:], input takesInput: Bool = false
    ) throws {
        name = program.lastPathComponent
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let spawned = try SpawnedProcess(program.path, arguments, environment: variables, input: takesInput)
        processID = spawned.processID
        input = spawned.input
        TestWatch.current?.add(processID)
        // Not self: a test that forgets its child must not keep it alive by reading from it.
        Thread.detachNewThread { [weak self] in
            spawned.readToEnd(
                output: { bytes in self?.store { $0.outputBytes += bytes } },
                error: { bytes in self?.store { $0.errorBytes += bytes } })
            self?.store { $0.isRead = true }
        }
        // A thread of its own, for a child's child may keep the output open: while any process is dead and not waited
        // for, Swift Testing's monitor of exit tests keeps a processor busy.
        Thread.detachNewThread { [weak self] in
            spawned.waitForEnd()
            guard let self else { return _ = spawned.exit() }
            store { $0.ended = spawned.exit() }
        }
    }

    /// Starts one of this package's programs, such as `player`, as a client of `server`.
    package convenience init(
        _ program: String, _ arguments: [String] = [], on server: HeadlessServer? = nil,
        environment: [String: String] = [:], input takesInput: Bool = false
    ) throws {
        let variables = (server?.environment ?? [:]).merging(environment) { $1 }
        try self.init(Self.executable(program), arguments, environment: variables, input: takesInput)
    }

    /// Starts one of the sound servers' tools, such as `parec`.
    package convenience init(tool: String, _ arguments: [String] = [], on server: HeadlessServer) throws {
        guard let program = HeadlessServer.findBinary(tool) else { throw SupportError("no \(tool): run `make setup`") }
        try self.init(program, arguments, environment: server.toolEnvironment)
    }

    deinit {
        if ended == nil { kill(processID, SIGKILL) }
        if let input { close(input) }
    }

    /// A program of this package, built into the same folder as the tests.
    package static func executable(_ name: String) throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw SupportError("\(program.path) is not built")
        }
        return program
    }

    /// What it has written to standard output so far, from a byte offset on.
    package func output(from offset: Int = 0) -> [UInt8] {
        lock.withLock { Array(outputBytes.dropFirst(offset)) }
    }

    /// The number of bytes it has written to standard output so far.
    package var outputCount: Int { lock.withLock { outputBytes.count } }

    /// The complete lines of standard output so far.
    package var outputLines: [String] {
        let text = String(decoding: output(), as: UTF8.self)
        return Array(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast())
    }

    /// What it has written to standard error so far.
    package var errorText: String { lock.withLock { String(decoding: errorBytes, as: UTF8.self) } }

    /// How it ended; nil until it has, and all its output is read.
    package var exit: Exit? { lock.withLock { isRead ? ended : nil } }

    /// Writes a line to its standard input; throws if it was started without, or does not read any more.
    package func write(line: String) throws {
        guard let input else { throw SupportError("\(name) has no input") }
        let bytes = Array((line + "\n").utf8)
        // A socket, so that a process that is gone is an error here and no signal.
        guard Glibc.send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SupportError("\(name) does not read \"\(line)\": it wrote \(outputLines.suffix(3)) and \(errorText)")
        }
    }

    /// Sends a signal, if it still runs.
    package func send(_ signal: Int32) {
        store { if $0.ended == nil { kill(processID, signal) } }
    }

    /// Waits until it has ended and all its output is read.
    @discardableResult
    package func wait(timeout: Duration = .seconds(30)) async throws -> Exit {
        try await waitUntil("the end of \(name)", timeout: timeout) { exit != nil }
        guard let exit else { throw SupportError("\(name) has not ended") }
        return exit
    }

    /// Waits for a line of standard output that `matches`, starting at line `first`, and returns it with its number.
    @discardableResult
    package func line(
        from first: Int = 0, timeout: Duration = hangLimit, where matches: (String) -> Bool
    ) async throws -> (number: Int, text: String) {
        var found: (number: Int, text: String)?
        do {
            try await waitUntil(timeout: timeout) {
                let over = exit != nil
                found = outputLines.enumerated().dropFirst(first).first { matches($1) }.map { ($0.offset, $0.element) }
                if found == nil && over { throw SupportError("") }
                return found != nil
            }
        } catch is SupportError {}
        if let found { return found }
        let state = exit.map { "it ended with \($0)" } ?? "it runs"
        throw SupportError(
            "\(name) did not print the expected line, \(state); it printed \(outputLines) and \(errorText)")
    }

    /// Waits for a JSON line whose `"event"` is `event` and that `matches`, starting at line `first`.
    @discardableResult
    package func event(
        _ event: String, from first: Int = 0, timeout: Duration = hangLimit,
        where matches: (JSONLine) -> Bool = { _ in true }
    ) async throws -> JSONLine {
        let line = try await line(from: first, timeout: timeout) { text in
            guard let json = JSONLine(text), json.string("event") == event else { return false }
            return matches(json)
        }
        guard let json = JSONLine(line.text, number: line.number) else { throw SupportError("not JSON: \(line.text)") }
        return json
    }

    /// Runs a program to its end and returns its standard output.
    package static func run(
        tool: String, _ arguments: [String], on server: HeadlessServer, timeout: Duration = hangLimit
    ) async throws -> String {
        let process = try ChildProcess(tool: tool, arguments, on: server)
        guard let exit = try? await process.wait(timeout: timeout) else {
            throw SupportError("\(tool) does not end; the server says: \(server.log.suffix(500))")
        }
        guard exit.status == 0 else {
            throw SupportError("\(tool) \(arguments.joined(separator: " ")) failed: \(process.errorText)")
        }
        return String(decoding: process.output(), as: UTF8.self)
    }

    private func store(_ change: (ChildProcess) -> Void) {
        lock.withLock { change(self) }
    }
}
