import ArgumentParser
import CommandLineSupport
import Dispatch
import Foundation
import Glibc
import HeadlessServer
import PulseClient
import SoundHost

/// The options for the sound server of a command.
struct ServerOptions: ParsableArguments {
    @Option(help: "Sound server to use, as in PULSE_SERVER (default: the usual lookup).")
    var server: String?

    @Flag(help: "Start a private server with null sinks for this run.")
    var headless = false

    func validate() throws {
        if headless, server != nil { throw ValidationError("--server and --headless exclude each other.") }
    }
}

/// The sound server of one command, and the exits of the process.
final class ServerAccess: Sendable {
    private let headless: HeadlessServer?
    /// A lock that is taken for good by the thread that ends the process, so that the end of a private server is not
    /// reported.
    private let ending = NSLock()
    /// The environment of a command that is to play on this server: the caller's with the server's address.
    let commandEnvironment: [CommandWord]

    /// Selects the server; to be called before the environment is read.
    init(_ options: ServerOptions) {
        if let address = options.server { setenv("PULSE_SERVER", address, 1) }
        do {
            headless = options.headless ? try HeadlessServer.start(.pulseAudio) : nil
        } catch {
            complain("cannot start a private server: \(oneLine(error))")
            exit(ExitStatus.noServer.rawValue)
        }
        // A command is the caller's and no part of the server: what it keeps in its home is to stay there.
        let inherited = CommandEnvironment.inherited
        commandEnvironment = headless.map { CommandEnvironment.leading(to: $0, in: inherited) } ?? inherited
        headless?.environment.forEach { setenv($0, $1, 1) }
    }

    /// Ends the process, after a private server.
    func leave(_ status: ExitStatus = .done) -> Never { leave(status.rawValue) }

    /// Ends the process with any status.
    func leave(_ status: Int32) -> Never {
        ending.lock()
        end(status)
    }

    private func end(_ status: Int32) -> Never {
        headless?.stop()
        exit(status)
    }

    /// Runs `body`, unless the process is ending; in that case it does not return.
    func unlessLeaving(_ body: () -> Void) { ending.withLock(body) }

    /// Ends the process with one line on stderr.
    func fail(_ status: ExitStatus, _ message: String) -> Never {
        ending.lock()
        complain(message)
        end(status.rawValue)
    }

    /// Ends the process because no sound server answers, or the server refuses the connection.
    func noServer(_ reason: String, isRefusal: Bool = false) -> Never {
        fail(.noServer, serverAdvice(reason, isRefusal: isRefusal))
    }

    /// Ends the process because connecting failed.
    func noServer(_ error: PulseError) -> Never {
        let isRefusal = error.code == .access
        noServer("\(isRefusal ? "the sound server refuses" : "no sound server"): \(error)", isRefusal: isRefusal)
    }

    /// Ends the process because a request failed, without a server or for another reason.
    func fail(_ what: String, _ error: PulseError) -> Never {
        if error.isOfServer { noServer(error) }
        fail(.failed, "\(what): \(error)")
    }

    /// Ends the process because a request on an established connection failed: the server refused it, is gone, or does
    /// not answer.
    func fail(_ what: String, _ error: PulseError, on connection: PulseConnection) async -> Never {
        let isGone = [.timeout, .connectionTerminated].contains(error.code)
        guard await connection.state == .ready, !isGone else { noServer(error) }
        fail(.failed, "\(what): \(error)")
    }

    /// Connects to the server, or ends the process.
    func observer(_ properties: PropertyList = [:]) async -> ServerObserver {
        do throws(PulseError) {
            return try await ServerObserver(name: "audiosession", properties: properties)
        } catch {
            noServer(error)
        }
    }

    /// Reads one snapshot of the server, or ends the process.
    func snapshot() async -> ServerSnapshot {
        let observer = await observer()
        do throws(PulseError) {
            let snapshot = try await ServerSnapshot.read(observer.connection)
            await observer.close()
            return snapshot
        } catch {
            await fail("the sound server cannot be looked at", error, on: observer.connection)
        }
    }

    /// Runs asynchronous work that ends the process, and serves the main queue meanwhile.
    func run(_ body: @escaping @Sendable () async -> Void) -> Never {
        Task.detached {
            await body()
            self.leave()
        }
        while true { RunLoop.main.run() }
    }

    /// Ends the process orderly on SIGINT, SIGTERM, SIGHUP and SIGQUIT; to be called before threads are started.
    func leaveOnSignals(_ before: @escaping @Sendable () -> Void = {}) {
        Signals.block()
        Signals.receive { _ in
            before()
            self.leave()
        }
    }
}
