/// The verdicts on all participants; the same in every process that has the same claims, in whatever order.
///
/// One sort and one pass instead of a comparison of all pairs, so a thousand claims cost a thousand times one.
package struct Arbitration: Sendable {
    /// The participants that were judged.
    package let participants: [Participant]
    /// The verdicts, in the order of the participants.
    package let verdicts: [Verdict]
    /// The rules as they apply among these participants.
    let rules: InterruptionRules
    private let positions: [UInt32: Int]

    /// Judges these participants; their client indexes are distinct.
    package init(_ participants: [Participant] = []) {
        self.participants = participants
        rules = InterruptionRules(among: participants)
        var verdicts = Self.standings(of: participants, by: rules)
        DuckingRules.apply(to: &verdicts, of: participants)
        RecordingRules.apply(to: &verdicts, of: participants)
        self.verdicts = verdicts
        positions = Dictionary(zip(participants.map(\.id), participants.indices)) { first, _ in first }
    }

    /// The participant with this client index.
    package func participant(_ id: UInt32) -> Participant? { positions[id].map { participants[$0] } }

    /// The verdict on the participant with this client index; `inactive` if there is none.
    package func verdict(on id: UInt32) -> Verdict { positions[id].map { verdicts[$0] } ?? .inactive }

    /// The verdicts by ``InterruptionRules``, from the newest participant to the oldest.
    ///
    /// The nearest interrupter is one of three: the last one seen that does not mix, the last one seen that interrupts
    /// spoken audio, and the call; of the first two, the last one of another process.
    private static func standings(of participants: [Participant], by rules: InterruptionRules) -> [Verdict] {
        var verdicts = [Verdict](repeating: .inactive, count: participants.count)
        var nonMixable = TwoProcesses()
        var prompts = TwoProcesses()
        let newestFirst = participants.indices.filter { participants[$0].isLive }
            .sorted { participants[$1].isOlder(than: participants[$0]) }
        for index in newestFirst {
            let participant = participants[index]
            let candidates = nonMixable.all + prompts.all + [rules.call].compactMap { $0 }
            let interruption = rules.nearestInterruption(of: participant, by: candidates)
            verdicts[index].standing = interruption.map { .interrupted($0) } ?? .active
            guard !rules.isRefused(participant) else { continue }
            if !participant.claim.isMixable { nonMixable.add(participant) }
            if participant.claim.interruptsSpokenAudio { prompts.add(participant) }
        }
        return verdicts
    }
}

extension InterruptionRules {
    /// The interruption by the oldest of `others` that interrupts the participant; `nil` if none does.
    func nearestInterruption(of participant: Participant, by others: [Participant]) -> Interruption? {
        var nearest: (culprit: Participant, rule: Interruption.Rule)?
        for other in others {
            guard let rule = rule(by: other, against: participant) else { continue }
            if nearest.map({ other.isOlder(than: $0.culprit) }) ?? true { nearest = (other, rule) }
        }
        return nearest.map { Interruption(culprit: $0.culprit.id, rule: $0.rule) }
    }
}

/// The verdicts on these participants, in their order.
package func arbitrate(_ participants: [Participant]) -> [Verdict] { Arbitration(participants).verdicts }
