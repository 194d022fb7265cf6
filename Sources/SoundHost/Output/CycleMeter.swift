internal import AudioHost
internal import PulseClient

/// A meter of PipeWire's quantum for a stream, from a few queries of the stream's position.
///
/// The graph has one quantum for all streams, which changes with other programs' playback and recording. Clients of its
/// PulseAudio server are not notified: a stream's granted latency stays as it was, or grows.
// SAFETY: only touched with the main loop's lock held.
final class CycleMeter: @unchecked Sendable {
    /// The position of a stream at the server's last answer.
    struct Place {
        /// The index of the device.
        let device: UInt32
        /// Whether the stream is running, as far as known.
        let isMoving: Bool
        /// The frames that the server has taken or delivered; nil before the first query.
        let frame: Int?
    }

    /// The time between an answer and the next query, in seconds: less than the shortest usual quantum.
    private static let pause = 0.002
    /// The number of steps to collect, and the longest time for that, in seconds.
    private static let (enough, patience) = (3, 0.3)
    /// The age up to which a result is used again, in seconds.
    private static let freshness = 0.5

    private let mainloop: Mainloop
    private let rate: Double
    private let ask: (@escaping @Sendable () -> Void) -> Void
    private let place: () -> Place?
    /// The last result, and its device.
    private var found: (seconds: Double, device: UInt32)?
    private var foundAt = -Double.infinity
    /// The steps of the measurement in progress; nil between measurements.
    private var look: (begin: Double, last: Place?, steps: [Int])?
    /// The number of measurements, which identifies answers to queries of an earlier one.
    private var number = 0
    private lazy var timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.question() }

    /// - Parameters:
    ///   - mainloop: The stream's loop.
    ///   - rate: The stream's rate in Hz.
    ///   - ask: Queries the server for the stream's position, and calls back after its answer or failure.
    ///   - place: The position at the last answer; nil without a stream.
    init(
        mainloop: Mainloop, rate: Double, ask: @escaping (@escaping @Sendable () -> Void) -> Void,
        place: @escaping () -> Place?
    ) {
        self.mainloop = mainloop
        self.rate = rate
        self.ask = ask
        self.place = place
    }

    /// The length of a cycle in seconds, as it was a moment ago; nil where that is not known.
    ///
    /// Waits some cycles for the first one of a device, a third of a second at most. Later ones are looked for behind
    /// the caller's back, and are there for the next.
    var seconds: Double? {
        guard let now = place() else { return nil }
        if now.isMoving {
            if look == nil, MonotonicClock.seconds - foundAt > Self.freshness || found?.device != now.device { begin() }
            if found?.device != now.device, !mainloop.isOnLoop {
                _ = mainloop.wait(timeout: .milliseconds(400)) { look == nil }
            }
        }
        return found.flatMap { $0.device == now.device ? $0.seconds : nil }
    }

    /// The stream asked for something else: what was found out is not worth anything any more.
    func forget() {
        found = nil
        finish()
    }

    private func begin() {
        number += 1
        look = (MonotonicClock.seconds, nil, [])
        question()
    }

    private func question() {
        let number = number
        ask { [weak self] in
            guard let self, number == self.number else { return }
            self.answered()
        }
    }

    private func answered() {
        guard var look else { return }
        let isLate = MonotonicClock.seconds - look.begin > Self.patience
        guard let now = place(), now.isMoving, let frame = now.frame, !isLate else { return finish() }
        if let last = look.last, let before = last.frame, last.device == now.device {
            if frame > before { look.steps.append(frame - before) }
        } else {
            look.steps = []
        }
        look.last = now
        self.look = look
        // Resampling makes steps of one length differ by a frame, and a late answer makes one of two.
        if look.steps.count >= Self.enough, let least = look.steps.min() {
            found = (Double(least) / rate, now.device)
            foundAt = MonotonicClock.seconds
            return finish()
        }
        timer.start(after: .seconds(Self.pause))
    }

    private func finish() {
        look = nil
        timer.cancel()
        mainloop.signal()
    }
}
