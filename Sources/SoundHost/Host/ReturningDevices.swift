internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// A wait for the devices of a server that has returned; ends when the session's devices are there, or after a timeout.
///
/// PipeWire answers before its session manager runs. Apps call `play()` and `record()` as soon as they are notified of
/// the return, and would find no device, or one without links to streams. There is no callback after deinit.
// SAFETY: everything is only touched with the main loop's lock held.
final class ReturningDevices: @unchecked Sendable {
    /// The time for devices to appear, in seconds.
    private static let deviceTimeout = 3.0
    /// The time for PipeWire's session manager to appear, in seconds; a busy machine needs longer.
    private static let managerTimeout = 10.0

    private let connection: PulseConnection
    private let category: Category
    private var deadline: Double
    private var needsManager: Bool
    private let completion: () -> Void
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.ask() }

    /// Starts the wait; `completion` is called once.
    init(
        on connection: PulseConnection, isPipeWire: Bool, for category: Category, completion: @escaping () -> Void
    ) {
        self.connection = connection
        needsManager = isPipeWire
        deadline = MonotonicClock.seconds + (isPipeWire ? Self.managerTimeout : Self.deviceTimeout)
        self.category = category
        self.completion = completion
        ask()
    }

    private func ask() {
        guard needsManager else { return askForSink() }
        connection.sync { connection in
            connection.clients { [weak self] in self?.learned($0) }
        }
    }

    private func learned(_ answer: Result<[Client], PulseError>) {
        let clients = (try? answer.get()) ?? []
        guard clients.contains(where: { $0.properties["wireplumber.daemon"] == "true" }) else { return again() }
        needsManager = false
        deadline = MonotonicClock.seconds + Self.deviceTimeout
        askForSink()
    }

    private func askForSink() {
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
        if case .success = answer { next() } else { again() }
    }

    private func again() {
        guard MonotonicClock.seconds < deadline else { return completion() }
        timer.start(after: .milliseconds(20))
    }
}
