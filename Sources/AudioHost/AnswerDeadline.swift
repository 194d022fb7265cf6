/// The time by which all parts of one answer must have come, so that a thread of the app waits for 2 s at most.
package struct AnswerDeadline: Sendable {
    private let end = ContinuousClock.now + .seconds(2)

    /// A deadline two seconds from now.
    package init() {}

    /// The time that is left.
    package var remaining: Duration { max(.zero, end - .now) }
}
