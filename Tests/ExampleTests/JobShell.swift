import Foundation
import HeadlessServer
import TestSupport

/// A person's shell on a terminal of its own, whose jobs are stopped, sent to the background and brought back.
final class JobShell: Sendable {
    let terminal: TerminalProcess

    init(on server: HeadlessServer) throws {
        guard let bash = HeadlessServer.findBinary("bash") else { throw SupportError("no bash") }
        // No prompt either, which could be taken for what a program draws.
        terminal = try TerminalProcess(
            path: bash.path, ["--norc", "--noprofile", "-i"], on: server, environment: ["PS1": "", "HISTFILE": ""])
    }

    deinit {
        // Its jobs go with it.
        if terminal.exit == nil { kill(terminal.processID, SIGHUP) }
    }

    /// A command as shells read it.
    static func quoted(_ words: [String]) -> String {
        words.map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }.joined(separator: " ")
    }

    /// Runs one of this package's programs in the foreground, and returns its process.
    func start(_ program: String, _ arguments: [String]) async throws -> pid_t {
        let words = Self.quoted([try ChildProcess.executable(program).path] + arguments)
        // A shell says its number, and then is the program.
        terminal.type(#"sh -c 'echo "job:$$"; exec "$@"' sh "# + words + "\n")
        var process: pid_t?
        try await terminal.wait(for: "the job") {
            process = $0.screen.firstMatch(of: /job:(\d+)/).flatMap { pid_t($0.1) }
            return process != nil
        }
        guard let process else { throw SupportError("no job") }
        return process
    }

    /// Stops the job in the foreground, as a person does.
    func stop(_ process: pid_t) async throws {
        terminal.type("\u{1A}")
        try await terminal.wait(for: "the stop") { _ in TerminalProcess.state(of: process) == "T" }
    }

    /// Brings the job back; how it ends is told by ``waitForEnd()``.
    func bringBack(_ process: pid_t) async throws {
        terminal.type("fg; echo end:$?\n")
        // Until the shell has read this, Ctrl-C would take it back.
        try await terminal.wait(for: "the return") { _ in TerminalProcess.state(of: process) != "T" }
    }

    /// Waits for the end of the job that was brought back, and returns its exit status.
    func waitForEnd() async throws -> Int32? {
        var status: Int32?
        try await terminal.wait(for: "the end") {
            status = $0.screen.firstMatch(of: /end:(\d+)/).flatMap { Int32($0.1) }
            return status != nil
        }
        return status
    }
}
