/// The thread that does for an engine what its render side may not: a timer, while the realtime mode runs.
// SAFETY: the lock protects the timer.
final class EngineService: @unchecked Sendable {
    /// Time between two calls, in milliseconds; players read ahead more than a second.
    private static let interval = 10

    private let lock = NSLock()
    private var timer: (any DispatchSourceTimer)?

    deinit { timer?.cancel() }

    /// Begins to call a function; one at a time.
    func start(_ function: @escaping @Sendable () -> Void) {
        lock.withLock {
            guard timer == nil else { return }
            let made = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "AVAudioEngine.service"))
            made.schedule(deadline: .now(), repeating: .milliseconds(Self.interval))
            made.setEventHandler(handler: function)
            made.resume()
            timer = made
        }
    }

    /// Ends the calls; one that runs is not waited for.
    func stop() {
        lock.withLock {
            timer?.cancel()
            timer = nil
        }
    }
}
