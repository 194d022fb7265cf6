import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// A session without an app: the host that publishes claims and reads those of others, and what it was told.
// SAFETY: `log` is guarded by `lock`, the host guards itself.
final class BareSession: @unchecked Sendable {
    private let lock = NSLock()
    private var log: [HostEvent] = []
    private let server: String
    private let process: Int32
    private(set) lazy var host: PulseHost = try! .init(server: server, process: process) { [weak self] event in
        guard let self else { return }
        self.lock.withLock { self.log.append(event) }
        // What a session's machine answers.
        if case .interruptionBegan = event { self.host.publish(.interrupted) }
    }

    /// Connects; sessions whose claims name one process leave each other alone, so this one names none.
    init(on server: HeadlessServer, process: Int32 = 0) throws {
        self.server = server.address
        self.process = process
        try host.open()
    }

    func activate(_ settings: SessionSettings) throws { try host.activate(settings) {} }

    /// What it was told of interruptions by sessions.
    var interruptions: [HostEvent] {
        lock.withLock { log }.filter {
            switch $0 {
            case .interruptionBegan(.session, _), .interruptionEnded(.session, _): true
            default: false
            }
        }
    }

    /// What it was told of the main sound of others.
    var hints: [Bool] {
        lock.withLock { log }.compactMap { if case .secondaryAudioHint(let hint) = $0 { hint } else { nil } }
    }

    /// Looks at the board with the lock held.
    func read<T>(_ body: (ClaimBoard) -> T) -> T { host.withLock { body(host.board) } }

    var standing: Verdict.Standing { read { $0.verdict.standing } }
    var isInterrupted: Bool { if case .interrupted = standing { true } else { false } }
}

/// A program that says whatever it likes about itself.
final class HostilePeer: Sendable {
    let connection: PulseConnection

    /// Connects; PulseAudio keeps six connections waiting and refuses more while it is busy, so this tries again.
    init(on server: HeadlessServer, timeout: Duration = hangLimit) async throws {
        var made: PulseConnection?
        try await waitUntil("a connection", timeout: timeout) {
            let attempt = try PulseConnection(name: "hostile")
            guard (try? await attempt.connect(to: server.address, timeout: .seconds(5))) != nil else { return false }
            made = attempt
            return true
        }
        connection = try #require(made)
    }

    /// Says something, and returns when the server has heard it.
    func say(_ text: String) async throws { try await connection.updateProperties([Claim.property: text]) }

    func leave() async { await connection.close() }
}

/// The claims that a server shows to somebody who has just come.
func participants(on server: HeadlessServer) async throws -> [Participant] {
    let connection = try PulseConnection(name: "witness")
    try await connection.connect(to: server.address, timeout: .seconds(10))
    let clients = try await connection.clients()
    await connection.close()
    return clients.compactMap { client in
        client.properties[Claim.property].flatMap { Claim($0) }.map { Participant(id: client.index, claim: $0) }
    }
}

extension SessionSettings {
    static func of(_ category: SessionPolicy.Category, _ mode: Mode = .default, _ options: CategoryOptions = [])
        -> SessionSettings
    {
        try! .validated(category: category, mode: mode, options: options)
    }

    static let music = of(.playback)
}
