import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// Sessions that take their time with what does not concern them.
@Suite("A session that puts questions off", .limited)
struct ClaimRefreshTests {
    private static func claim(_ uid: UInt64, ticket: UInt64) -> Claim {
        Claim(uid: uid).activating(with: .music, ticket: ticket)
    }

    @Test(
        "is not told to go on when its interrupter ends, if another one came meanwhile",
        arguments: HeadlessServer.Kind.allCases)
    func handedOn(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            // Whoever came first lowers streams for all, and attends to everybody.
            let first = try BareSession(on: server)
            let session = try BareSession(on: server)
            try session.activate(.music)
            let (old, new) = (try await HostilePeer(on: server), try await HostilePeer(on: server))
            for round: UInt64 in 1...10 {
                try session.activate(.music)
                let began = session.interruptions.count
                let ticket = session.read(\.claim.seq)
                let before = Self.claim(90, ticket: ticket + 1)
                try await old.say(before.encoded)
                try await waitUntil("the interruption", timeout: hangLimit) { session.isInterrupted }
                // One after the other; the session asks about the second at once, and about the first in some 20 to 60
                // ms.
                try await new.say(Self.claim(91, ticket: ticket + 2).encoded)
                try await old.say(before.idle(notify: true).encoded)
                try await waitUntil("the new interrupter", timeout: hangLimit) {
                    session.read { board in
                        let participants = board.participants
                        return !participants.contains { $0.claim.uid == 90 && $0.isLive }
                            && participants.contains { $0.claim.uid == 91 && $0.isLive }
                    }
                }
                #expect(session.interruptions.count == began + 1, "round \(round): \(session.interruptions)")
                try await new.say(Self.claim(91, ticket: 0).idle(notify: true).encoded)
                try await waitUntil("the end", timeout: hangLimit) { !session.isInterrupted }
            }
            #expect(first.interruptions.isEmpty)
        }
    }

    @Test("draws a ticket that is newer than all that it had put off", arguments: HeadlessServer.Kind.allCases)
    func tickets(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let first = try BareSession(on: server)
            let session = try BareSession(on: server)
            let other = try await HostilePeer(on: server)
            for round: UInt64 in 1...10 {
                let claim = Self.claim(90, ticket: 1000 * round)
                try await other.say(claim.encoded)
                // Whoever lowers streams for all attends to everybody: from now on the other one can know, too.
                try await waitUntil("the claim", timeout: hangLimit) {
                    first.read { $0.participants.contains { $0.claim == claim } }
                }
                // A call: nothing interrupts it, so that nothing would tell it that it is too old.
                try session.activate(.of(.playAndRecord, .voiceChat))
                #expect(session.read(\.claim.seq) > claim.seq)
                session.host.publish(.idle(notify: true))
            }
        }
    }

    @Test("knows when the app asks", arguments: HeadlessServer.Kind.allCases)
    func asked(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let first = try BareSession(on: server)
            let session = try BareSession(on: server)
            try first.activate(.music)
            for isPlaying in [true, false, true] {
                // What came before is known, so that the next event is the one about the change.
                try await waitUntil("all earlier changes", timeout: hangLimit) {
                    _ = try session.host.isOtherAudioPlaying()
                    return session.read { board in board.table.outstanding.keys.allSatisfy { $0 == board.id } }
                }
                first.host.publish(.playing(isPlaying))
                // PipeWire tells each client by a connection of its own: the event may come after the other one's echo.
                try await waitUntil("the event", timeout: hangLimit) {
                    session.read { board in
                        board.table.outstanding.keys.contains { $0 != board.id }
                            || board.participants.contains { $0.claim.isPlaying == isPlaying && $0.isLive }
                    }
                }
                // The event may be that of an earlier update of the same client.
                #expect(await soon { try session.host.isOtherAudioPlaying() == isPlaying })
            }
        }
    }
}
