internal import Foundation
internal import Glibc
internal import Locks

/// Where apps are told of things: the main queue, or what they have chosen in its place.
///
/// An operation, not a block or a main-actor task: an observer that was added with `queue: .main` would deadlock behind
/// those.
package final class Delivery: Sendable {
    package typealias Perform = @Sendable (@escaping @Sendable () -> Void) -> Void

    private static let shared = Delivery()
    /// What the main queue is known by.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    /// How long the main queue may be busy before that is said, in seconds.
    private static let patience = 2.0

    private let watching = DispatchQueue(label: "AVFAudio.delivery", qos: .utility)
    private let state = Guarded(State())

    private struct State {
        var chosen: Perform?
        var chosenQueue: OperationQueue?
        /// What was handed to the main queue, and how much of it has begun, both as counts.
        var handedOver = 0
        var begun = 0
        /// The last of it that somebody would miss.
        var awaited = 0
        var isWatched = false
        var hasComplained = false
    }

    /// Tells on what the app has chosen.
    ///
    /// - Parameter isAwaited: Whether somebody would miss it: only then it is said that the main queue does not run.
    ///   Programs that play and sleep need none.
    package static func perform(isAwaited: Bool = false, _ body: @escaping @Sendable () -> Void) {
        shared.perform(isAwaited, body)
    }

    /// Whether the caller runs where apps are told of things.
    package static var isHere: Bool {
        let queue = shared.state.withLock { $0.chosen == nil ? .main : $0.chosenQueue }
        guard queue === OperationQueue.main else { return queue != nil && OperationQueue.current === queue }
        return Thread.isMainThread || isMainQueue
    }

    /// Whether the caller runs on the main queue: not on the main thread in a program that ends with `dispatchMain()`.
    private static var isMainQueue: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// What is the main actor's: at once on the main queue, whatever thread that runs on, and else later there.
    static func performOnMain(_ body: @escaping @Sendable () -> Void) {
        isMainQueue ? body() : OperationQueue.main.addOperation(body)
    }

    /// Tells there from now on; nil is the main queue.
    static func choose(_ perform: Perform?, queue: OperationQueue? = nil) {
        shared.state.withLock { ($0.chosen, $0.chosenQueue) = (perform, queue) }
    }

    private func perform(_ isAwaited: Bool, _ body: @escaping @Sendable () -> Void) {
        guard let perform = state.withLock({ $0.chosen }) else { return performOnMain(isAwaited, body) }
        perform(body)
    }

    private func performOnMain(_ isAwaited: Bool, _ body: @escaping @Sendable () -> Void) {
        let number = state.withLock {
            $0.handedOver += 1
            return $0.handedOver
        }
        OperationQueue.main.addOperation { [self] in
            state.withLock { $0.begun = max($0.begun, number) }
            body()
        }
        if isAwaited { watch(number) }
    }

    /// Looks whether the main queue has come to it in time, and then to what was handed over meanwhile.
    private func watch(_ number: Int) {
        let isNeeded = state.withLock { state in
            state.awaited = max(state.awaited, number)
            defer { state.isWatched = true }
            return !state.isWatched && !state.hasComplained
        }
        guard isNeeded else { return }
        watching.asyncAfter(deadline: .now() + Self.patience) { [self] in
            let (isLate, next) = state.withLock { state -> (Bool, Int?) in
                state.isWatched = false
                state.hasComplained = state.begun < number && state.chosen == nil
                // The main queue may have stopped after it had come to this one.
                return (state.hasComplained, state.awaited > max(state.begun, number) ? state.awaited : nil)
            }
            if isLate { Self.complain() } else if let next { watch(next) }
        }
    }

    private static func complain() {
        let text = """
            AVFAudio: notifications and delegate calls wait for the main queue, which has not run for 2 s: call \
            RunLoop.main.run() or dispatchMain(), or choose another place with AVAudioSession.deliver(on:)

            """
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
