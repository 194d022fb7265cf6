/// The way of an interruption from the claim of its culprit to the victim's app, as steps of both libraries.
///
/// It has `claim` (of the culprit), `seen`, `verdict`, `cork` and `delivery` (of the victim), as far as they are known.
package struct Passage: Hashable, Sendable {
    /// The steps in the order of their beginnings, at least two.
    package let steps: [TraceStep]

    /// The culprit's process; nil if its library wrote no steps.
    package var culprit: Int? { steps[0].name == "claim" ? steps[0].process : nil }
    /// The victim's process.
    package var victim: Int { steps[steps.count - 1].process }

    /// The seconds from the first step to a step of a kind; nil if there is none.
    package func seconds(to name: String) -> Double? {
        steps.first { $0.name == name }.map { $0.begin - steps[0].begin }
    }

    /// The interruptions that some steps show, in the order of their decisions.
    package static func all(in steps: [TraceStep]) -> [Passage] {
        let steps = steps.sorted { $0.begin < $1.begin }
        let decisions = steps.filter { $0.name == "decision" && $0.word.hasPrefix("interruptionBegan") }
        return decisions.compactMap { decision in
            // What the session does not act on, such as a second cause, stops nothing and is told to nobody.
            let corks = steps.filter { $0.name == "cork" && decision.encloses($0) }
            let deliveries = steps.filter {
                $0.name == "delivery" && $0.process == decision.process && $0.word.hasPrefix("interruptionBegan")
                    && (decision.begin...decision.end).contains($0.decided)
            }
            let verdict = steps.last { $0.name == "verdict" && $0.encloses(decision) }
            let origin = verdict.map { arrival(of: $0, in: steps) } ?? []
            let way = origin + [verdict ?? decision] + corks.prefix(1) + deliveries.prefix(1)
            return way.count > 1 && !(corks + deliveries).isEmpty ? Passage(steps: way) : nil
        }
    }

    /// The culprit's claim that led to a verdict, and the step by which the victim saw it.
    private static func arrival(of verdict: TraceStep, in steps: [TraceStep]) -> [TraceStep] {
        guard let ticket = TraceStep.ticket(of: verdict.by) else { return [] }
        let known = steps.filter { $0.begin <= verdict.begin && TraceStep.ticket(of: $0.claim) == ticket }
        let seen = known.first { $0.name == "seen" && $0.process == verdict.process }
        let written = known.first { $0.name == "claim" && $0.begin <= seen?.begin ?? .infinity }
        return [written, seen].compactMap { $0 }
    }
}
