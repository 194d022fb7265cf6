/// The thread that does for an engine what its render side may not: a timer, while the realtime mode runs.
// SAFETY: the lock protects the variables.
final class EngineService: @unchecked Sendable {
    /// Time between two calls, in milliseconds; players read 65 536 frames ahead, which is 0.3 s at 192 kHz.
    private static let interval = 10

    private let queue = DispatchQueue(label: "AVAudioEngine.service")
    private let lock = NSLock()
    private var timer: (any DispatchSourceTimer)?
    private var function: @Sendable () -> Void = {}

    deinit { timer?.cancel() }

    /// Begins to call a function; one call at a time.
    func start(_ function: @escaping @Sendable () -> Void) {
        lock.withLock {
            guard timer == nil else { return }
            self.function = function
            let made = DispatchSource.makeTimerSource(queue: queue)
            made.schedule(deadline: .now(), repeating: .milliseconds(Self.interval))
            made.setEventHandler(handler: function)
            made.resume()
            timer = made
        }
    }

    /// Ends the calls with a last one, which is not waited for.
    func stop() {
        lock.withLock {
            guard let timer else { return }
            timer.cancel()
            self.timer = nil
            queue.async(execute: function)
        }
    }
}
