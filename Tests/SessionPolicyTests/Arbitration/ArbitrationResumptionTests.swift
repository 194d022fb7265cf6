import SessionPolicy
import TestSupport
import Testing

@Suite("What an interrupted session is told", .limited)
struct ArbitrationResumptionTests {
    private let podcast = Participant(.podcast, seq: 1, state: .interrupted)
    private let music = Participant(.music, seq: 2)
    private let call = Participant(.call, seq: 3)

    private func idle(_ participant: Participant, notify: Bool) -> Participant {
        Participant(id: participant.id, claim: participant.claim.idle(notify: notify))
    }

    private func change(_ old: [Participant], _ new: [Participant]) -> InterruptionChange {
        Arbitration(new).interruptionChange(of: 1, since: Arbitration(old))
    }

    @Test("The interrupter says whether others may resume (S9, S32); one that vanished did not say no")
    func flag() {
        #expect(change([podcast, music], [podcast, idle(music, notify: true)]) == .ended(shouldResume: true))
        #expect(change([podcast, music], [podcast, idle(music, notify: false)]) == .ended(shouldResume: false))
        #expect(change([podcast, music], [podcast]) == .ended(shouldResume: true))
        let mixing = Participant(.of(.playback, .default, .mixWithOthers), seq: 2)
        #expect(change([podcast, music], [podcast, mixing]) == .ended(shouldResume: true))
        let stranger = Participant(id: 2, claim: Claim(uid: 99))
        #expect(change([podcast, music], [podcast, stranger]) == .ended(shouldResume: true))
    }

    @Test("Whoever forbids to resume is heard even if others interrupt still")
    func forbids() {
        #expect(change([podcast, music, call], [podcast, idle(music, notify: false), call]) == .forbidsResuming)
        #expect(change([podcast, music, call], [podcast, idle(music, notify: true), call]) == .nothing)
        #expect(change([podcast, music, call], [podcast, music, idle(call, notify: false)]) == .forbidsResuming)
        let both = [podcast, idle(music, notify: true), idle(call, notify: false)]
        #expect(change([podcast, music, call], both) == .ended(shouldResume: false))
    }

    @Test("A session that was told the end and gave up passes the flag on", arguments: [true, false])
    func passesOn(notify: Bool) {
        let waiting = Participant(.music, seq: 2, state: .interrupted)
        let over = [podcast, waiting, idle(call, notify: notify)]
        let told = Arbitration(over).interruptionChange(of: 2, since: Arbitration([podcast, waiting, call]))
        #expect(told == .ended(shouldResume: notify))
        #expect(change(over, [podcast, idle(waiting, notify: notify)]) == .ended(shouldResume: notify))
        #expect(ResumptionRules.gracePeriod == 5)
    }

    @Test("One's own deeds are no news: activation, return, deactivation")
    func ownDeeds() {
        let again = Participant(.podcast, seq: 4, id: 1)
        #expect(change([podcast, music], [again, music]) == .nothing)
        #expect(change([podcast, music], [idle(podcast, notify: true), music]) == .nothing)
        #expect(change([], [podcast]) == .nothing)
        #expect(change([podcast], []) == .nothing)
        #expect(change([podcast, music], [podcast, music]) == .nothing)
    }

    @Test("A return that meets a newer rival is interrupted anew")
    func interruptedAnew() {
        let again = Participant(.podcast, seq: 4, id: 1)
        let rival = Participant(.music, seq: 5, id: 6)
        let began = InterruptionChange.began(Interruption(culprit: 6, rule: .newerSession))
        #expect(change([podcast, music], [again, music, rival]) == began)
    }
}
