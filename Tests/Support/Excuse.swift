/// What excuses a failure of a test.
struct Excuse: Equatable, Sendable, CustomStringConvertible {
    /// The excuse in words, with what was measured.
    let description: String
    /// Whether it is one of the few that a run may have.
    let isCounted: Bool

    /// Nil where there is no excuse, and the failure is one.
    ///
    /// - Parameters:
    ///   - error: What the test threw, if that failed it.
    ///   - death: How one of the test's servers ended by itself, if one did.
    ///   - judgement: The number that the test judges, if it judges one.
    static func find(
        error: (any Error)?, death: String?, judgement: Judgement?, stalls: Stalls, isSanitized: Bool
    ) -> Excuse? {
        if let end = (error as? OtherProgramEnded)?.description ?? death {
            return Self(description: end, isCounted: true)
        }
        guard let judgement else { return nil }
        if isSanitized {
            return Self(description: "\(judgement.number) is not judged under a sanitizer", isCounted: false)
        }
        return stalls.spoiling(judgement).map { stall in
            Self(description: "\(stall), and the test judges \(judgement.number)", isCounted: true)
        }
    }
}
