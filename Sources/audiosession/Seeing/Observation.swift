import CommandLineSupport
import Foundation
import Glibc
import Locks
import SessionHistory
import SessionPolicy
import SoundHost

/// A command that runs while a server is watched, and what the server and the command's libraries told meanwhile.
final class Observation: ServerWatchReceiver {
    /// What was seen from the first look at the server to the command's end.
    struct Outcome: Sendable {
        /// The server's events and the libraries' steps.
        let trace: Trace
        /// The number of lines of the libraries' file that are none of a step.
        let otherLines: Int
        /// The command's exit status as a shell has it; 0 without a command.
        let status: Int32
        /// Whether the command was ended because it ran too long.
        let isTimedOut: Bool
    }

    private struct State {
        var news = HistoryNews()
        var events: [HistoryEvent] = []
        var process: pid_t = 0
        var hasBegun = false
        /// Whether the last look is taken by ``finish(_:)``, so that an older one which is still read counts no more.
        var isFinishing = false
        /// The command's processes that were asked to end because it ran too long.
        var late: [pid_t] = []
        /// The folder of the file of steps, which only the user can enter; nil before the command runs.
        var folder: String?
    }

    private let access: ServerAccess
    private let program: CommandProgram?
    private let signalMask: sigset_t
    /// The seconds that the command may take; nil for no limit.
    private let limit: Double?
    private let conclude: @Sendable (Outcome) -> Int32
    private let clocks = HistoryClocks.system
    private let state = Guarded(State())

    /// The seconds between the request to end and SIGKILL.
    private static let grace = 2

    /// An observation that has not begun.
    ///
    /// - Parameters:
    ///   - program: The command; nil to watch until a signal asks for the end.
    ///   - limit: The seconds after which the command is ended.
    ///   - conclude: Takes the outcome and returns this process's exit status.
    init(
        _ access: ServerAccess, program: CommandProgram?, signalMask: sigset_t, limit: Double? = nil,
        conclude: @escaping @Sendable (Outcome) -> Int32
    ) {
        (self.access, self.program, self.signalMask) = (access, program, signalMask)
        (self.limit, self.conclude) = (limit, conclude)
    }

    /// The path of the file of steps, in a new folder.
    private func makeFile() -> String {
        let parent = FileManager.default.temporaryDirectory.path
        var path = Array("\(parent)/audiosession-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            access.fail(.cannotCreate, "cannot create a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        let folder = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        state.withLock { $0.folder = folder }
        return Self.file(in: folder)
    }

    private static func file(in folder: String) -> String { folder + "/steps" }

    /// Watches the server, runs the command, and ends this process.
    ///
    /// Signals that ask for an end are passed on to the command; to be blocked before.
    func run() -> Never {
        Signals.receive { [self] arrival in
            let process = state.withLock { $0.process }
            if process > 0 {
                // The terminal has sent it to the command too.
                if !arrival.isFromTerminal { kill(process, arrival.number) }
            } else {
                finish(program == nil ? 0 : 128 + arrival.number)
            }
        }
        let quiet = QuietNews { [self] event in
            state.withLock { if !$0.isFinishing { $0.events.append(event) } }
        }
        defer { withExtendedLifetime(quiet) {} }
        ServerWatch(access: access, pace: .changesOnly).run(self)
    }

    // MARK: The server

    func look(at snapshot: ServerSnapshot, age: Double) {
        let isFirst = state.withLock { state in
            guard !state.isFinishing else { return false }
            state.events += state.news.events(in: snapshot, told: clocks.now.earlier(by: age)).events
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst, program != nil { Thread.detachNewThread { self.runCommand() } }
    }

    func lose() {
        state.withLock { state in
            state.events.append(HistoryEvent("mediaServicesWereLost", at: clocks.now))
            state.news.forget()
        }
    }

    func find() { state.withLock { $0.events.append(HistoryEvent("mediaServicesWereReset", at: clocks.now)) } }

    // MARK: The command

    private func runCommand() {
        guard let program else { return }
        let environment = CommandEnvironment.setting("AVAUDIOSESSION_TRACE", makeFile(), in: access.commandEnvironment)
        let process: pid_t
        do throws(CommandProgram.Failure) {
            process = try program.start(environment: environment, signalMask: signalMask)
        } catch {
            complain(error.message)
            clear()
            access.leave(error.status)
        }
        state.withLock { $0.process = process }
        if let limit { watchLimit(limit, process) }
        CommandProgram.awaitEnd(of: process)
        let late = state.withLock { state in
            state.process = 0
            return state.late
        }
        // Those that did not end with it.
        for one in late where one != process { kill(one, SIGKILL) }
        let end = CommandProgram.wait(for: process)
        if end.isInterrupt { InterruptedEnd.prepare() }
        finish(end.code)
    }

    /// Ends the command and its descendants after its time, gently at first.
    private func watchLimit(_ seconds: Double, _ process: pid_t) {
        let queue = DispatchQueue(label: "audiosession.limit")
        queue.asyncAfter(deadline: .now() + seconds) { [self] in
            state.withLock { state in
                // Until it is waited for its number belongs to nobody else.
                guard state.process == process else { return }
                state.late = ProcessTree.running(within: process)
                for one in state.late { kill(one, SIGTERM) }
            }
            queue.asyncAfter(deadline: .now() + .seconds(Self.grace)) { [self] in
                state.withLock { if $0.process == process { _ = kill(process, SIGKILL) } }
            }
        }
    }

    /// Looks at the server once more, and ends this process with what was seen.
    private func finish(_ status: Int32) {
        Task.detached { [self] in
            if let observer = try? await ServerObserver(name: "audiosession"),
                let snapshot = try? await ServerSnapshot.read(observer.connection)
            {
                state.withLock { state in
                    state.events += state.news.events(in: snapshot, told: clocks.now).events
                    state.isFinishing = true
                }
                await observer.close()
            }
            let file = state.withLock { $0.folder.map(Self.file) }
            let bytes = file.flatMap { FileManager.default.contents(atPath: $0) } ?? Data()
            clear()
            let (steps, otherLines) = Trace.steps(in: bytes)
            let (events, isTimedOut) = state.withLock { ($0.events, !$0.late.isEmpty) }
            let outcome = Outcome(
                trace: Trace(events: events, steps: steps), otherLines: otherLines, status: status,
                isTimedOut: isTimedOut)
            access.leave(conclude(outcome))
        }
    }

    private func clear() {
        if let folder = state.withLock({ $0.folder }) { try? FileManager.default.removeItem(atPath: folder) }
    }
}

extension CommandEnvironment {
    /// An environment with one variable set.
    static func setting(_ key: String, _ value: String, in environment: [CommandWord]) -> [CommandWord] {
        environment.filter { !$0.bytes.starts(with: Array("\(key)=".utf8)) } + [CommandWord("\(key)=\(value)")]
    }
}

extension ProcessTree {
    /// A process and its descendants.
    fileprivate static func running(within ancestor: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let processes = names.compactMap { pid_t($0) }
        let tree = ProcessTree(of: processes) { ProcessGlance($0)?.parent }
        return processes.filter { tree.isProcess($0, within: ancestor) }
    }
}

extension CommandProgram {
    /// The command after `--`, which is the last `count` words of the command line; nil if `count` is 0.
    ///
    /// Ends the process if it is not found.
    static func named(words count: Int) -> CommandProgram? {
        guard count > 0 else { return nil }
        do throws(CommandProgram.Failure) {
            // Not ArgumentParser's words, which are text, as the names of files need not be.
            return try CommandProgram(Array(CommandWord.ofCommandLine.suffix(count)))
        } catch {
            complain(error.message)
            Glibc.exit(error.status)
        }
    }
}
