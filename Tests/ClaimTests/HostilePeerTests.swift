import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// Programs that publish nonsense, or true claims without end, next to sessions that behave.
@Suite("Hostile peers", .limited)
struct HostilePeerTests {
    @Test(
        "10 000 claims that are none interrupt nobody, and sessions go on to interrupt each other",
        arguments: HeadlessServer.Kind.allCases)
    func invalidClaims(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let victim = try BareSession(on: server)
            try victim.activate(.music)
            try await Self.storm(of: 10_000, on: server, seed: 1) { Claim($0) == nil }
            #expect(victim.interruptions.isEmpty)
            #expect(victim.standing == .active)
            let rival = try BareSession(on: server)
            try rival.activate(.music)
            try await waitUntil("the interruption by an honest session", timeout: hangLimit) { victim.isInterrupted }
            #expect(victim.interruptions.count == 1)
        }
    }

    @Test(
        "Whatever they publish, two sessions and a newcomer judge it alike, and nothing is left of it",
        arguments: HeadlessServer.Kind.allCases)
    func anyClaims(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let sessions = try [BareSession(on: server), BareSession(on: server)]
            try sessions[0].activate(.of(.ambient))
            try sessions[1].activate(.music)
            for seed: UInt64 in 2..<6 {
                let peers = try await Self.storm(of: 500, on: server, seed: seed) { _ in true }
                let judged = Arbitration(try await participants(on: server))
                for session in sessions {
                    let id = try #require(session.read(\.id))
                    try await waitUntil("the same verdict as a newcomer's", timeout: hangLimit) {
                        session.standing == judged.verdict(on: id).standing
                    }
                }
                for peer in peers { await peer.leave() }
                try await waitUntil("what it was before", timeout: hangLimit) {
                    sessions.allSatisfy { $0.read(\.table).claims.count == 2 && $0.standing == .active }
                }
            }
        }
    }

    @Test(
        "A ticket near 2⁴⁰ is not followed, and those near 2⁶⁴ are no tickets", arguments: HeadlessServer.Kind.allCases)
    func wildTickets(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try BareSession(on: server)
            try session.activate(.music)
            let wild = Claim(seq: ClaimOrder.limit - 1, uid: .max, state: .active, settings: .music)
            let peers = try await [HostilePeer(on: server), HostilePeer(on: server)]
            for ticket in ["18446744073709551615", "1099511627776"] {
                try await peers[0].say(wild.encoded.replacingOccurrences(of: "1099511627775", with: ticket))
            }
            #expect(session.interruptions.isEmpty)
            // This one is valid: the newest of all while it lives, and without a trace afterwards.
            try await peers[1].say(wild.encoded)
            try await waitUntil("an interruption", timeout: hangLimit) { session.isInterrupted }
            try session.activate(.music)
            #expect(session.read(\.claim.seq) < 100)
            #expect(session.isInterrupted)
            await peers[1].leave()
            try await waitUntil("the end", timeout: hangLimit) { session.standing == .active }
        }
    }

    @Test(
        "Peers that change 4 KB without end are asked about twenty times a second each, and hinder no activation",
        arguments: HeadlessServer.Kind.allCases)
    func flood(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try BareSession(on: server)
            let start = ContinuousClock.now
            let flooders = 4
            let before = session.read(\.questions)
            let activations = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<flooders {
                    group.addTask {
                        let peer = try await HostilePeer(on: server)
                        for count in 0..<1000 { try await peer.say("\(count);" + String(repeating: "x", count: 4096)) }
                        await peer.leave()
                    }
                }
                var count = 0
                for try await _ in group {
                    // A call that fails when the server's answers are late; nobody else has a claim.
                    try await offPool { try session.activate(.music) }
                    session.host.publish(.idle(notify: true))
                    count += 1
                }
                return count
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let asked = session.read(\.questions) - before
            // The burst and the rate for each, one for each decision and its echoes, and their coming and going.
            let ofEach: Int = 20 + Int(20 * seconds) + 1 + activations
            let most = flooders * ofEach + activations * 6 + 20
            #expect(asked <= most, "\(asked) questions in \(seconds) s")
            #expect(asked >= flooders * 20, "\(asked) questions")
            #expect(session.interruptions.isEmpty)
        }
    }

    /// Lets eight programs publish so many texts that `isWanted`, and returns them with what they said last.
    @discardableResult
    private static func storm(
        of count: Int, on server: HeadlessServer, seed: UInt64, isWanted: @Sendable @escaping (String) -> Bool
    ) async throws -> [HostilePeer] {
        try await withThrowingTaskGroup(of: HostilePeer.self) { group in
            let peers: UInt64 = 8
            for peer in 0..<peers {
                group.addTask {
                    let hostile = try await HostilePeer(on: server)
                    var claims = HostileClaims(seed: seed * peers + peer)
                    var left = count / Int(peers)
                    while left > 0 {
                        let text = claims.next()
                        guard isWanted(text) else { continue }
                        try await hostile.say(text)
                        left -= 1
                    }
                    return hostile
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
