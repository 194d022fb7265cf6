import SessionPolicy
import TestSupport
import Testing

/// Two copies of the library in one process are two participants with one process ID.
@Suite("Sessions of one process", .limited)
struct SameProcessTests {
    /// An active session that plays; its ticket is its client index.
    private func session(_ settings: SessionSettings, id: UInt32, pid: Int32, host: String = "here") -> Participant {
        Participant(
            id: id,
            claim: Claim(
                seq: UInt64(id), uid: UInt64(id), state: .active, settings: settings, isPlaying: true, host: host,
                pid: pid))
    }

    /// What a newer session does to one that is older.
    private func effects(of newer: SessionSettings, pid: Int32, on older: SessionSettings) -> Set<String> {
        let table = [session(older, id: 1, pid: 7), session(newer, id: 2, pid: pid)]
        let arbitration = Arbitration(table)
        let verdict = arbitration.verdict(on: 1)
        var effects: Set<String> = []
        if case .interrupted = verdict.standing { effects.insert("interrupts") }
        if verdict.isDucked { effects.insert("ducks") }
        if verdict.isMutedByRecording { effects.insert("mutes") }
        if arbitration.secondaryAudioShouldBeSilenced(for: 1) { effects.insert("hints") }
        if arbitration.isOtherAudioPlaying(for: 1) { effects.insert("is other audio") }
        if refusal(of: table[0].claim.activating(with: .recording, ticket: 3), as: 1, among: table) != nil {
            effects.insert("refuses")
        }
        return effects
    }

    @Test("neither interrupt, duck, mute, hint nor refuse each other; those of two processes do")
    func letEachOtherBe() {
        let ducking = SessionSettings.of(.playback, .default, .duckOthers)
        let cases: [(SessionSettings, SessionSettings, Set<String>)] = [
            (.music, .music, ["interrupts", "hints", "is other audio"]),
            (ducking, .game, ["ducks", "is other audio"]),
            (.recording, .game, ["mutes", "hints", "is other audio"]),
            (.call, .music, ["interrupts", "refuses", "hints", "is other audio"]),
            (.prompt, .podcast, ["interrupts", "is other audio"]),
        ]
        for (newer, older, between) in cases {
            #expect(effects(of: newer, pid: 8, on: older) == between, "\(newer)")
            #expect(effects(of: newer, pid: 7, on: older) == [], "\(newer)")
        }
    }

    @Test("a claim without a process, and one of another machine, are of no process that others are of")
    func withoutProcess() {
        let nameless = [session(.music, id: 1, pid: 0), session(.music, id: 2, pid: 0)]
        #expect(Arbitration(nameless).verdict(on: 1).standing != .active)
        let apart = [session(.music, id: 1, pid: 7), session(.music, id: 2, pid: 7, host: "there")]
        #expect(Arbitration(apart).verdict(on: 1).standing != .active)
    }

    @Test("a session is ducked, muted or interrupted by another process, whatever its own process does besides")
    func besideAnother() {
        let ducking = SessionSettings.of(.playback, .default, .duckOthers)
        for settings in [SessionSettings.music, ducking, .recording] {
            // The order in which the claims are listed must not matter.
            for order in [[2, 3, 1], [3, 2, 1], [1, 2, 3]] as [[UInt32]] {
                let table = order.map { id in
                    id == 1 ? session(.game, id: 1, pid: 7) : session(settings, id: id, pid: id == 2 ? 7 : 8)
                }
                let verdict = Arbitration(table).verdict(on: 1)
                #expect(verdict.isDucked == settings.ducksOthers)
                #expect(verdict.isMutedByRecording == (settings.category == .record))
            }
        }
        let table = [
            session(.music, id: 1, pid: 7), session(.music, id: 2, pid: 8), session(.music, id: 3, pid: 7),
            session(.music, id: 4, pid: 7),
        ]
        let verdicts = Arbitration(table).verdicts.map(\.standing)
        #expect(verdicts[0] == .interrupted(Interruption(culprit: 2, rule: .newerSession)))
        #expect(verdicts[1] == .interrupted(Interruption(culprit: 3, rule: .newerSession)))
        #expect(Array(verdicts[2...]) == [.active, .active])
    }

    @Test("a stream of the process belongs to its live session, and then to the one with the lowest index")
    func ownerOfAStream() {
        let idle = Participant(id: 1, claim: Claim(uid: 1, host: "here", pid: 7))
        let live = [session(.game, id: 3, pid: 7), session(.game, id: 2, pid: 7)]
        let stream = ServerStream(index: 1, client: 50, pid: 7, host: "here")
        #expect(stream.unmanagedStreamOwner(among: [idle] + live)?.id == 2)
        #expect(stream.unmanagedStreamOwner(among: live.reversed() + [idle])?.id == 2)
        #expect(stream.unmanagedStreamOwner(among: [idle])?.id == 1)
    }
}
