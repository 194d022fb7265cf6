import Foundation
import PulseClient
import SessionPolicy
import SoundHost

/// A participant in ducking without sound of its own: a connection with a claim and a ledger, the directory of streams,
/// and the ducking that follows from both.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class DuckPeer: @unchecked Sendable {
    private let mainloop: Mainloop
    private let connection: PulseConnection
    private let directory: StreamDirectory
    private var ducking: ForeignDucking?
    private var clients: [UInt32: Client] = [:]
    private var lastLedgers: [UInt32: String] = [:]
    private var own: UInt32?
    private let uid = UInt64.random(in: .min ... .max)
    private var sequence: UInt64 = 0
    private var ducks = false

    /// Whether it ignores other participants, so that it always elects itself.
    private let isAlone: Bool

    /// Runs `session-peer duck [--guard PROGRAM] [--down SECONDS] [--up SECONDS] [alone] [ducks]`.
    ///
    /// SIGUSR1 begins ducking, SIGUSR2 ends it, SIGTERM ends the process. It prints `ready CLIENT`, and `ledger …`
    /// after each change of the ledger.
    static func main(_ arguments: [String]) throws -> Never {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGUSR1, SIGUSR2, SIGTERM] { sigaddset(&signals, signal) }
        // Before there is any other thread, so that none of them takes the signal.
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        func argument(after option: String) -> String? {
            arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0 + 1).first }
        }
        func seconds(_ option: String, default fallback: Double) -> Duration {
            .seconds(argument(after: option).flatMap(Double.init) ?? fallback)
        }

        // As careless apps do: a guard that inherits this would keep a pipe open, or a device busy.
        _ = open("/etc/passwd", O_RDONLY)

        let peer = try DuckPeer(
            guardProgram: argument(after: "--guard"), down: seconds("--down", default: 0.2),
            up: seconds("--up", default: 0.5), isAlone: arguments.contains("alone"))
        if arguments.contains("ducks") { peer.setDucking(true) }
        while true {
            var signal: Int32 = 0
            sigwait(&signals, &signal)
            switch signal {
            case SIGUSR1: peer.setDucking(true)
            case SIGUSR2: peer.setDucking(false)
            default: exit(0)
            }
        }
    }

    private init(guardProgram: String?, down: Duration, up: Duration, isAlone: Bool) throws {
        self.isAlone = isAlone
        mainloop = try Mainloop()
        connection = PulseConnection(name: "duck-peer", mainloop: mainloop)
        directory = StreamDirectory(connection: connection)
        let server = try connection.sync { connection in
            try connection.connectAndWait()
            own = connection.clientIndex
            connection.setHandlers(
                state: { _, _ in },
                event: { [weak self] _, event in self?.received(event) })
            try connection.answerAndWait("subscribe") { connection.subscribe(StreamDirectory.mask, completion: $0) }
            return try connection.answerAndWait("server info") { connection.serverInfo(completion: $0) }
        }
        mainloop.withLock {
            let volume = ForeignDucking.volume(
                on: server, connection: connection, file: DuckLedgerFile(server: server.cookie))
            guard let volume else { return }
            ducking = ForeignDucking(
                volume: volume, mainloop: mainloop, settings: .init(ramps: DuckRamps(down: down, up: up)),
                restorer: DuckRestorer(server: nil, program: guardProgram),
                publishLedger: { [weak self] in self?.publish($0) })
            directory.onChange { [weak self] in self?.update() }
            publishClaim()
            directory.start()
        }
        say("ready \(own ?? 0)")
    }

    private func setDucking(_ ducks: Bool) {
        mainloop.withLock {
            self.ducks = ducks
            publishClaim()
        }
    }

    /// Writes a line at once, which `print` does on terminals only.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private func publishClaim() {
        sequence += 1
        guard let settings = try? SessionSettings.validated(category: .playback, mode: .default, options: .duckOthers)
        else { return }
        let claim = Claim(
            seq: sequence, uid: uid, state: ducks ? .active : .idle, settings: settings, canDuck: true, pid: getpid())
        connection.sync { $0.updateProperties(["avaudiosession.claim": claim.encoded]) }
    }

    private func publish(_ ledger: String) {
        connection.sync { $0.updateProperties(["avaudiosession.ducked": ledger]) }
        say("ledger \(ledger)")
    }

    private func received(_ event: SubscriptionEvent) {
        directory.received(event)
        if event.facility == .sinkInput { ducking?.streamsChanged() }
        guard event.facility == .client else { return }
        connection.sync { connection in
            connection.clients { [weak self] result in
                guard let self, case .success(let clients) = result else { return }
                self.clients = Dictionary(uniqueKeysWithValues: clients.map { ($0.index, $0) })
                for client in clients {
                    if let ledger = client.properties["avaudiosession.ducked"] {
                        self.lastLedgers[client.index] = ledger
                    }
                }
                self.update()
            }
        }
    }

    private func update() {
        guard directory.state == .current else { return }
        let participants = clients.values.filter { !isAlone || $0.index == own }.compactMap { client in
            client.properties["avaudiosession.claim"].flatMap { Claim($0) }.map {
                Participant(id: client.index, claim: $0)
            }
        }
        ducking?.update(
            .init(
                streams: directory.streams, arbitration: Arbitration(participants), own: own,
                defaultSink: directory.sinks.values.first { $0.name == directory.defaultSink }?.index,
                ledgers: lastLedgers))
    }
}
