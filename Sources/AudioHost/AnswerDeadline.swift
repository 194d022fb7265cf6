/// The deadline for all parts of one answer of the server: 2 s after its creation.
///
/// One deadline for several questions keeps a thread of the app waiting for 2 s at most.
package struct AnswerDeadline: Sendable {
    private let end = ContinuousClock.now + .seconds(2)

    /// A deadline 2 s from now.
    package init() {}

    /// The time left until the deadline.
    package var remaining: Duration { max(.zero, end - .now) }
}
