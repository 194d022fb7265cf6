internal import PulseClient
internal import SessionPolicy

/// Waits until a server that answers again has the devices that a session needs, or never will.
///
/// PipeWire answers before its session manager has come. Apps call `play()` and `record()` as soon as they hear of the
/// return, and would find nothing to play on, or to record from. One that nobody keeps any more tells nothing.
// SAFETY: everything is only touched with the main loop's lock held.
final class ReturningDevices: @unchecked Sendable {
    /// How long a server may look for its devices, in seconds.
    private static let patience = 3.0

    private let connection: PulseConnection
    private let category: Category
    private let deadline = MonotonicClock.seconds + patience
    private let completion: () -> Void
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.ask() }

    /// Begins to ask; `completion` is told once.
    init(on connection: PulseConnection, for category: Category, completion: @escaping () -> Void) {
        self.connection = connection
        self.category = category
        self.completion = completion
        ask()
    }

    private func ask() {
        guard category.allowsOutput else { return askForSource() }
        connection.sync { connection in
            connection.sink(named: "@DEFAULT_SINK@") { [weak self] answer in
                self?.answered(answer) { self?.askForSource() }
            }
        }
    }

    private func askForSource() {
        guard category.allowsInput else { return completion() }
        connection.sync { connection in
            connection.source(named: "@DEFAULT_SOURCE@") { [weak self] answer in
                self?.answered(answer) { self?.completion() }
            }
        }
    }

    private func answered<Device>(_ answer: Result<Device, PulseError>, then next: () -> Void) {
        if case .success = answer { return next() }
        guard MonotonicClock.seconds < deadline else { return completion() }
        timer.start(after: .milliseconds(20))
    }
}
