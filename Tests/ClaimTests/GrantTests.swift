import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// Activations that are told to the app before they count.
@Suite("An activation that nobody can refuse", .limited)
struct GrantTests {
    /// Runs `body` with a session on a server that has as many clients to tell of each change as on a desktop.
    private func crowded(
        _ kind: HeadlessServer.Kind, _ body: (HeadlessServer, BareSession) async throws -> Void
    ) async throws {
        try await withServer(kind) { server in
            var crowd: [HostilePeer] = []
            for _ in 0..<20 { crowd.append(try await HostilePeer(on: server)) }
            try await body(server, try BareSession(on: server))
            for peer in crowd { await peer.leave() }
        }
    }

    /// Activates; whether the app was told before it counted.
    private func isGranted(_ session: BareSession, _ settings: SessionSettings = .music) throws -> Bool {
        var isDeciding = false
        try session.host.activate(settings) { isDeciding = session.host.board.isDeciding }
        return isDeciding
    }

    @Test(
        "is told to the app as soon as the server shows it, unless it records", arguments: HeadlessServer.Kind.allCases)
    func isTold(kind: HeadlessServer.Kind) async throws {
        try await crowded(kind) { _, session in
            var early = 0
            for _ in 0..<20 {
                if try isGranted(session) { early += 1 }
                session.host.publish(.idle(notify: true))
            }
            #expect(early > 0)
            for _ in 0..<5 {
                #expect(try !isGranted(session, .of(.record)))
                session.host.publish(.idle(notify: true))
            }
        }
    }

    @Test(
        "What the app says right after it was told is said after that, and nothing of it is lost",
        arguments: HeadlessServer.Kind.allCases)
    func saidAfterwards(kind: HeadlessServer.Kind) async throws {
        try await crowded(kind) { server, session in
            let mixing = SessionSettings.of(.playback, .default, .mixWithOthers)
            for round in 0..<20 {
                _ = try isGranted(session)
                session.host.publish(.playing(true))
                if round % 2 == 0 { try session.host.change(to: mixing) }
                if round % 4 < 2 { session.host.publish(.idle(notify: false)) }
                let isOver = round % 4 < 2
                try await waitUntil("what was said last", timeout: hangLimit) {
                    let claim = try await participants(on: server).first?.claim
                    return claim?.state == (isOver ? .idle : .active) && claim?.isPlaying == !isOver
                        && claim?.settings == (round % 2 == 0 ? mixing : .music)
                }
                session.host.publish(.idle(notify: true))
            }
        }
    }

    @Test(
        "Of two that are told at the same moment one is interrupted, once it counts",
        arguments: HeadlessServer.Kind.allCases)
    func bothTold(kind: HeadlessServer.Kind) async throws {
        try await crowded(kind) { server, first in
            let second = try BareSession(on: server)
            for _ in 0..<20 {
                async let one: Void = onThread { try first.activate(.music) }
                async let other: Void = onThread { try second.activate(.music) }
                _ = try await (one, other)
                try await waitUntil("one verdict against", timeout: hangLimit) {
                    let standings = [first, second].map { $0.read { ($0.isDeciding, $0.verdict.standing == .active) } }
                    return standings.allSatisfy { !$0.0 } && standings.filter(\.1).count == 1
                }
                for session in [first, second] { session.host.publish(.idle(notify: true)) }
            }
        }
    }
}

/// Runs something that blocks on a thread of its own.
private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}
