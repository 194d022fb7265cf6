import Foundation
package import HeadlessServer

/// An app with a session, in a process of its own: `session-peer`, which docs/session-tests.md describes.
///
/// Commands may be sent from any task; each waits for its own answer.
// SAFETY: all mutable state is guarded by `lock`.
package final class Peer: @unchecked Sendable {
    /// The process.
    package let process: ChildProcess
    /// Which app it is, for messages.
    package let name: String
    private let lock = NSLock()
    private var commands = 0
    /// For each event, the first line that has not been handed out.
    private var unread: [String: Int] = [:]

    /// Starts an app as a client of `server`, and returns when it takes commands.
    ///
    /// - Parameters:
    ///   - name: What others are told that it is called (`application.name`).
    ///   - environment: Laid over the server's.
    package static func start(
        on server: HeadlessServer, name: String = "peer", environment: [String: String] = [:]
    ) async throws -> Peer {
        let variables = ["PULSE_PROP_application.name": name].merging(environment) { $1 }
        let process = try ChildProcess("session-peer", on: server, environment: variables, input: true)
        try await process.event("ready", timeout: hangLimit)
        return Peer(process, name)
    }

    /// An app that a test has started in its own way, with an input, and that takes commands.
    package init(_ process: ChildProcess, _ name: String) {
        self.process = process
        self.name = name
    }

    /// The process's id.
    package var processID: Int32 { process.processID }

    // MARK: Commands

    /// Sends a command and returns its answer; throws if the app could not do it.
    @discardableResult
    package func send(_ command: String) async throws -> JSONLine {
        let answer = try await attempt(command)
        guard answer.bool("ok") == true else { throw SupportError("\(name): \(command): \(answer)") }
        return answer
    }

    /// Sends a command and returns its answer, which may be that it failed (`ok`, `domain`, `code`, `fourCC`).
    @discardableResult
    package func attempt(_ command: String) async throws -> JSONLine {
        let id = lock.withLock {
            commands += 1
            return commands
        }
        try process.write(line: "\(id) \(command)")
        return try await process.event("answer", timeout: hangLimit) { $0.number("id") == Double(id) }
    }

    /// Sends `state` and returns what it prints, all that was posted before having been delivered.
    package func state() async throws -> JSONLine {
        let before = process.outputLines.count
        try await send("state")
        return try await process.event("state", from: before, timeout: hangLimit)
    }

    // MARK: Events

    /// Waits for an event that `matches`, and returns it; the same event is not returned again.
    @discardableResult
    package func wait(
        for event: String, timeout: Duration = hangLimit, where matches: (JSONLine) -> Bool = { _ in true }
    ) async throws -> JSONLine {
        let line: JSONLine
        do {
            line = try await process.event(
                event, from: lock.withLock { unread[event] ?? 0 }, timeout: timeout, where: matches)
        } catch {
            throw SupportError("\(name) was not told \(event): \(error)")
        }
        lock.withLock { unread[event] = line.number + 1 }
        return line
    }

    /// All events of these names so far, in their order.
    package func events(_ names: String...) -> [JSONLine] {
        process.outputLines.enumerated().compactMap { JSONLine($1, number: $0) }
            .filter { names.contains($0.string("event") ?? "") }
    }

    /// Waits until an interruption begins.
    @discardableResult
    package func waitForInterruption(timeout: Duration = hangLimit) async throws -> JSONLine {
        try await wait(for: "interruption", timeout: timeout) { $0.string("type") == "began" }
    }

    /// Waits until an interruption is over; `option` is 1 in it where the app should resume.
    @discardableResult
    package func waitForEnd(timeout: Duration = hangLimit) async throws -> JSONLine {
        try await wait(for: "interruption", timeout: timeout) { $0.string("type") == "ended" }
    }

    /// The interruptions so far: `began`, `ended 0`, `ended 1`.
    package var interruptions: [String] {
        events("interruption").map { line in
            let option = line.number("option").map { " \(Int($0))" } ?? ""
            return (line.string("type") ?? "?") + option
        }
    }

    // MARK: Its process

    /// Kills it (SIGKILL), and returns when it is gone.
    package func kill() async throws {
        process.send(SIGKILL)
        try await process.wait()
    }

    /// Stops it, as Ctrl-Z and debuggers do.
    package func stop() { process.send(SIGSTOP) }

    /// Lets a stopped one go on.
    package func `continue`() { process.send(SIGCONT) }

    /// Ends it in good order, and returns when it is gone.
    package func exit() async throws {
        _ = try? await send("exit")
        try await process.wait()
    }
}
