import SessionPolicy
import SoundAnalysis
import TestSupport
import Testing

/// The rules once more, pair by pair and as they are told to people, to check the one pass against.
private struct PlainRules {
    let live: [Participant]
    let call: Participant?

    init(_ participants: [Participant]) {
        live = participants.filter { $0.claim.state != .idle && !$0.isStopped }
        call = live.filter(\.claim.isCall).min { Self.rank($0) < Self.rank($1) }
    }

    static func rank(_ participant: Participant) -> (UInt64, UInt64, UInt32) {
        (participant.claim.seq, participant.claim.uid, participant.id)
    }

    func interrupters(of victim: Participant) -> [Participant] {
        live.filter { interrupts($0, victim) }.sorted { Self.rank($0) < Self.rank($1) }
    }

    private func areOfOneProcess(_ some: Participant, _ other: Participant) -> Bool {
        some.claim.pid > 0 && (some.claim.host, some.claim.pid) == (other.claim.host, other.claim.pid)
    }

    private func interrupts(_ other: Participant, _ victim: Participant) -> Bool {
        guard !areOfOneProcess(other, victim) else { return false }
        if let call {
            let victimStartedLater = Self.rank(victim) > Self.rank(call) && !areOfOneProcess(victim, call)
            let otherStartedLater = Self.rank(other) > Self.rank(call) && !areOfOneProcess(other, call)
            if victim == call { return false }
            if other == call { return !victimStartedLater || victim.claim.settings.category.allowsInput }
            if otherStartedLater && other.claim.settings.category.allowsInput { return false }
            if (otherStartedLater || victimStartedLater) && !interruptsSpeech(other, victim) { return false }
        }
        guard Self.rank(other) > Self.rank(victim) else { return false }
        return interruptsSpeech(other, victim) || (!other.claim.isMixable && !victim.claim.isMixable)
    }

    private func interruptsSpeech(_ other: Participant, _ victim: Participant) -> Bool {
        other.claim.interruptsSpokenAudio && victim.claim.settings.mode == .spokenAudio
    }
}

@Suite("Arbitration of random tables", .limited)
struct ArbitrationPropertyTests {
    private func table(_ random: inout SeededGenerator, processes: Int32 = 0) -> [Participant] {
        let size = UInt32.random(in: 0...9, using: &random)
        return (0..<size).map { Participant.random(id: $0, processes: processes, using: &random) }
    }

    @Test("One pass says what the rules say pair by pair, in whatever order the claims come")
    func agreesWithThePlainRules() {
        var random = SeededGenerator(seed: 3)
        for round in 0..<1_500 {
            let participants = table(&random, processes: round % 2 == 0 ? 0 : 4)
            let arbitration = Arbitration(participants)
            let rules = PlainRules(participants)
            for (participant, verdict) in zip(participants, arbitration.verdicts) {
                let isLive = rules.live.contains(participant)
                let interrupters = isLive ? rules.interrupters(of: participant) : []
                #expect(Set(arbitration.interrupters(of: participant.id)) == Set(interrupters))
                switch verdict.standing {
                case .inactive: #expect(!isLive)
                case .active: #expect(isLive && interrupters.isEmpty)
                case .interrupted(let interruption): #expect(interruption.culprit == interrupters.first?.id)
                }
            }
            let shuffled = Arbitration(participants.shuffled(using: &random))
            for participant in participants {
                #expect(shuffled.verdict(on: participant.id) == arbitration.verdict(on: participant.id))
            }
        }
    }

    @Test("Among those that do not mix exactly one is active, calls aside; the oldest call always is")
    func oneIsActive() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<1_500 {
            let arbitration = Arbitration(table(&random))
            let rules = PlainRules(arbitration.participants)
            let active = rules.live.filter { arbitration.verdict(on: $0.id).standing == .active }
            if let call = rules.call {
                #expect(active.filter(\.claim.isCall) == [call])
                #expect(active.allSatisfy { $0 == call || !$0.claim.settings.category.allowsInput })
            } else if rules.live.contains(where: { !$0.claim.isMixable && !$0.claim.isSpokenAudio }) {
                #expect(active.filter { !$0.claim.isMixable }.count <= 1)
            }
            #expect(rules.live.isEmpty == active.isEmpty)
        }
    }

    @Test("10 000 claims are judged in one sort and one pass", .limited)
    func large() {
        var random = SeededGenerator(seed: 5)
        let participants = (0..<10_000).map { index in
            Participant(
                id: index,
                claim: Claim(
                    seq: UInt64(index) * 7_919 % 10_007, uid: random.next(), state: .active,
                    settings: SessionSettings.typical.filter { !$0.isCall }.randomElement(using: &random)!))
        }
        let arbitration = Arbitration(participants)
        let newest = participants.filter { !$0.claim.isMixable }.max { $0.claim.order < $1.claim.order }
        for (participant, verdict) in zip(participants, arbitration.verdicts) where !participant.claim.isMixable {
            #expect((verdict.standing == .active) == (participant == newest) || participant.claim.isSpokenAudio)
        }
    }
}
