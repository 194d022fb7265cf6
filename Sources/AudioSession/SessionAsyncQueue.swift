internal import Dispatch

/// The queue of a session's asynchronous calls, carried out one at a time in the order of the calls.
package final class SessionAsyncQueue: Sendable {
    private let work = DispatchQueue(label: "AVAudioSession")
    /// A second queue, because an app's handler may block and may wait for other threads that use the session.
    private let answers = DispatchQueue(label: "AVAudioSession.answers")

    /// An empty queue.
    package init() {}

    /// Runs `body`, which may block, and then `answer` with its result on a second queue; returns at once.
    package func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () -> Outcome, then answer: @escaping @Sendable (Outcome) -> Void
    ) {
        work.async { [answers] in
            let outcome = body()
            answers.async { answer(outcome) }
        }
    }

    /// Waits until all bodies queued so far have run.
    package func settle() { work.sync {} }
}
