import SessionPolicy
import TestSupport
import Testing

/// The table of `ForeignPlayerRules`, row by row.
@Suite(.limited) struct ForeignPlayerRuleTests {
    /// 10 is a browser with children 11 (sound) and 12 (its bus name); 20 is another program; 1 starts all.
    private static let parents: [Int32: Int32] = [10: 1, 11: 10, 12: 10, 20: 1, 21: 20]

    private func verdict(
        on player: ForeignPlayer, players: [Int32] = [], streams: [ServerStream] = [], participants: [Participant] = []
    ) -> ForeignPlayerRules.Verdict {
        let processes = ProcessTree(of: [10, 11, 12, 20, 21]) { Self.parents[$0] }
        let rules = ForeignPlayerRules(
            players: players + [player.pid].compactMap(\.self), streams: streams, participants: participants,
            processes: processes, host: "here")
        return rules.verdict(on: player)
    }

    private func player(
        _ pid: Int32? = 10, entry: String? = nil, status: ForeignPlayer.Status? = .playing, canPause: Bool = true
    ) -> ForeignPlayer {
        ForeignPlayer(id: ":1.1", pid: pid, desktopEntry: entry, status: status, canPause: canPause)
    }

    private func stream(_ pid: Int32? = 10, role: String? = nil, id: String? = nil) -> ServerStream {
        ServerStream(index: 1, role: role, pid: pid, host: "here", applicationID: id)
    }

    @Test func onlyWhoPlaysAndCanPauseIsAsked() {
        #expect(verdict(on: player(), streams: [stream()]) == .pause)
        for status in [ForeignPlayer.Status.paused, .stopped, nil] {
            #expect(verdict(on: player(status: status), streams: [stream()]) == .isNotPlaying)
        }
        #expect(verdict(on: player(canPause: false), streams: [stream()]) == .cannotPause)
    }

    @Test func streamsAreFoundByAncestry() {
        #expect(verdict(on: player(10), streams: [stream(11)]) == .pause)
        #expect(verdict(on: player(12), streams: [stream(10)]) == .pause)
        #expect(verdict(on: player(12), streams: [stream(11)]) == .isNotHeard)
        #expect(verdict(on: player(10), streams: [stream(20)]) == .isNotHeard)
        #expect(verdict(on: player(10), streams: [stream(1)]) == .isNotHeard)
        #expect(verdict(on: player(nil), streams: [stream(10)]) == .isNotHeard)
    }

    @Test func streamsThatNobodyClaimsAreFoundByIdentifier() {
        let heard = stream(2, id: "org.example.Player")
        #expect(verdict(on: player(10, entry: "org.example.player"), streams: [heard]) == .pause)
        #expect(verdict(on: player(10, entry: "org.example.Player.desktop"), streams: [heard]) == .pause)
        #expect(verdict(on: player(nil, entry: "org.example.Player"), streams: [heard]) == .pause)
        #expect(verdict(on: player(10, entry: "org.example.Other"), streams: [heard]) == .isNotHeard)
        #expect(verdict(on: player(10, entry: ""), streams: [stream(2, id: "")]) == .isNotHeard)
        // Two windows of one program: only one of them is heard.
        let second = stream(20, id: "org.example.Player")
        #expect(verdict(on: player(10, entry: "org.example.Player"), players: [20], streams: [second]) == .isNotHeard)
    }

    @Test func whatIsNotHeardDoesNotCount() {
        var corked = stream()
        corked.isCorked = true
        var muted = stream()
        muted.isMuted = true
        var elsewhere = stream()
        elsewhere.host = "there"
        let capture = ServerStream(direction: .capture, index: 1, pid: 10)
        let loopback = ServerStream(index: 1, kind: .plumbing, pid: 10)
        for stream in [corked, muted, elsewhere, capture, loopback, stream(role: "event")] {
            #expect(verdict(on: player(), streams: [stream]) == .isNotHeard)
        }
    }

    @Test(arguments: ["phone", "a11y"])
    func callsAndScreenReadersGoOn(role: String) {
        #expect(verdict(on: player(), streams: [stream(role: role)]) == .mustGoOn)
        #expect(verdict(on: player(), streams: [stream(), stream(11, role: role)]) == .mustGoOn)
        // A corked one is no call.
        var over = stream(role: role)
        over.isCorked = true
        #expect(verdict(on: player(), streams: [stream(), over]) == .pause)
    }

    @Test func participantsAreSkipped() {
        func participant(_ pid: Int32, host: String = "here") -> Participant {
            Participant(id: 1, claim: Claim(uid: 5, host: host, pid: pid))
        }
        #expect(verdict(on: player(10), streams: [stream(10)], participants: [participant(10)]) == .isParticipants)
        #expect(verdict(on: player(12), streams: [stream(10)], participants: [participant(10)]) == .isParticipants)
        #expect(verdict(on: player(10), streams: [stream(10)], participants: [participant(12)]) == .pause)
        #expect(verdict(on: player(10), streams: [stream(10)], participants: [participant(1)]) == .pause)
        let remote = participant(10, host: "there")
        #expect(verdict(on: player(10), streams: [stream(10)], participants: [remote]) == .pause)
        // A stream that a participant owns is no proof that the player is heard.
        var owned = stream(10)
        owned.owner = 5
        #expect(verdict(on: player(10), streams: [owned], participants: [participant(20)]) == .isNotHeard)
    }

    @Test func processesMayRunInCircles() {
        let parents: [Int32: Int32] = [5: 6, 6: 5]
        let tree = ProcessTree(of: [5]) { parents[$0] }
        #expect(!tree.isProcess(5, within: 7))
        #expect(tree.areRelated(5, 6))
    }
}
