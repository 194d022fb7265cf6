internal import PulseClient
internal import SessionPolicy

/// A watch for the streams that belong to the session and that it cannot stop itself: they count as its I/O while the
/// session is active and one of them is not corked.
///
/// An end is reported after ``pause``: programs open a stream for each sound, and servers remove the stream of an
/// unplugged device before they remove the device.
///
/// Use it with the main loop's lock held.
final class UnmanagedStreamWatch {
    /// The time for which none runs before the end is reported.
    static let pause = Duration.milliseconds(500)

    private let report: (HostEvent) -> Void
    private var isReported = false
    private let mainloop: Mainloop
    private lazy var timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.set(false) }

    /// Starts the watch of a session without such streams.
    init(mainloop: Mainloop, report: @escaping (HostEvent) -> Void) {
        self.mainloop = mainloop
        self.report = report
    }

    /// Notes whether such a stream runs; nil while the session is not active.
    func observe(_ isRunning: Bool?) {
        if isRunning == false, isReported {
            if !timer.isRunning { timer.start(after: Self.pause) }
            return
        }
        timer.cancel()
        set(isRunning == true)
    }

    private func set(_ isRunning: Bool) {
        guard isRunning != isReported else { return }
        isReported = isRunning
        report(.unmanagedStreams(areRunning: isRunning))
    }
}
