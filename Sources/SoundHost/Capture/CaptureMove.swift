internal import PulseClient

/// A move of a recording to another source, which is repeated until it is carried out.
///
/// WirePlumber forgets a move that comes while it links the stream, as when a recording has just begun. PipeWire tells
/// it of a target only when that changes, so the source that the stream is on is made the target before a repetition.
///
/// Only touched with the main loop's lock held.
final class CaptureMove {
    private unowned let capture: Capture
    private let connection: PulseConnection
    private let index: UInt32
    private let source: String?
    private var attempts: Int
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.look() }

    /// The time that a session manager has for a move.
    private static let patience = Duration.milliseconds(200)

    /// Asks the server to move a recording's stream to a source; nil for the default source, which is asked for at
    /// most twice.
    ///
    /// - Parameter repeats: Whether the server may forget it.
    init(_ capture: Capture, at index: UInt32, to source: String?, on connection: PulseConnection, repeats: Bool) {
        (self.capture, self.index, self.source, self.connection) = (capture, index, source, connection)
        attempts = source == nil ? 1 : 10
        ask(for: source)
        if repeats { timer.start(after: Self.patience) }
    }

    private func ask(for source: String?) {
        let index = index
        connection.sync { $0.moveSourceOutput(at: index, to: source ?? "@DEFAULT_SOURCE@") }
    }

    private func look() {
        guard source == nil || capture.source != source, attempts > 0 else { return }
        attempts -= 1
        timer.start(after: Self.patience)
        // A stream that is on no source yet has the target that was asked for when it is linked.
        guard let present = capture.source else { return }
        ask(for: present)
        ask(for: source)
    }
}
