internal import Foundation

/// What a session does for an app that does not wait for it: one thing after the other, in the order of the calls.
final class SessionErrands: Sendable {
    private let work = DispatchQueue(label: "AVAudioSession")
    /// A queue of its own: an app's handler may take its time, and wait for other threads that ask the session.
    private let answers = DispatchQueue(label: "AVAudioSession.answers")

    /// Does something that may block, and hands on what comes of it; both on other threads.
    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () -> Outcome, then answer: @escaping @Sendable (Outcome) -> Void
    ) {
        work.async { [answers] in
            let outcome = body()
            answers.async { answer(outcome) }
        }
    }

    /// Waits until everything is done that was asked for before, for who asks for what comes after it.
    func settle() { work.sync {} }
}
