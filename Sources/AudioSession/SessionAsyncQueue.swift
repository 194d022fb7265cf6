internal import Dispatch

/// What a session does for an app that does not wait for it: one thing after the other, in the order of the calls.
package final class SessionAsyncQueue: Sendable {
    private let work = DispatchQueue(label: "AVAudioSession")
    /// A queue of its own: an app's handler may take its time, and wait for other threads that ask the session.
    private let answers = DispatchQueue(label: "AVAudioSession.answers")

    init() {}

    /// Runs `body`, which may block, and then `answer` with its result; on two other threads.
    package func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () -> Outcome, then answer: @escaping @Sendable (Outcome) -> Void
    ) {
        work.async { [answers] in
            let outcome = body()
            answers.async { answer(outcome) }
        }
    }

    /// Waits until all bodies have run that were given before.
    package func settle() { work.sync {} }
}
