internal import Foundation
internal import Glibc
internal import Locks

/// The delivery of notifications, delegate calls and handlers to the app: on the main queue, or where the app has
/// chosen.
///
/// Deliveries are operations, not Dispatch blocks or tasks of the main actor: behind those an observer added with
/// `queue: .main` would deadlock.
package final class Delivery: Sendable {
    package typealias Perform = @Sendable (@escaping @Sendable () -> Void) -> Void

    private static let shared = Delivery()
    /// The key that identifies the main queue.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    /// The time after which a warning says that the main queue does not run, in seconds.
    private static let patience = 2.0

    private let watching = DispatchQueue(label: "AVFAudio.delivery", qos: .utility)
    private let state = Guarded(State())

    private struct State {
        var chosen: Perform?
        var chosenQueue: OperationQueue?
        /// The numbers of deliveries handed to the main queue, and begun by it.
        var handedOver = 0
        var begun = 0
        /// The number of the last important delivery.
        var awaited = 0
        var isWatched = false
        var hasComplained = false
    }

    /// Runs `body` where the app's deliveries go; returns at once.
    ///
    /// - Parameter isAwaited: Whether the delivery is important: only then a warning says that the main queue does not
    ///   run. Programs that play and sleep need no main queue.
    package static func perform(isAwaited: Bool = false, _ body: @escaping @Sendable () -> Void) {
        shared.perform(isAwaited, body)
    }

    /// Whether the caller runs where the app's deliveries go.
    package static var isHere: Bool {
        let queue = shared.state.withLock { $0.chosen == nil ? .main : $0.chosenQueue }
        guard queue === OperationQueue.main else { return queue != nil && OperationQueue.current === queue }
        return isOnMainActor
    }

    /// Whether the caller runs on the main queue, which in a program with `dispatchMain()` is not the main thread.
    private static var isMainQueue: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Whether the caller may act as the main actor: on the main thread, or on the main queue without one.
    static var isOnMainActor: Bool { Thread.isMainThread || isMainQueue }

    /// Sets the place of later deliveries; nil means the main queue.
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

    /// Checks later whether the main queue has begun with a delivery, and then with the last one since.
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
                // The main queue may have stopped after this delivery.
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
