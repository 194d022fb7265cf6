internal import AudioHost
internal import PulseClient

/// Finds out how much PipeWire takes from a stream, or gives to it, at a time, by asking a few times where the stream is.
///
/// Its graph goes on in cycles of one length for everybody, which changes with whoever else plays or records. Nobody
/// tells that to clients of its PulseAudio server: what a stream was granted when it was made stays as it was, or grows.
// SAFETY: only touched with the main loop's lock held.
final class CycleMeter: @unchecked Sendable {
    /// Where a stream is, as its server said last.
    struct Place {
        /// The number of the device that it is on.
        let device: UInt32
        /// Whether it goes on, as far as we know.
        let isMoving: Bool
        /// The frames that the server has taken or given; nil before it was asked.
        let frame: Int?
    }

    /// How long after an answer the next question comes, in seconds: less than the shortest usual cycle.
    private static let pause = 0.002
    /// How many steps are waited for, and how long at most, in seconds.
    private static let (enough, patience) = (3, 0.3)
    /// How old a length may be for nobody to look again, in seconds.
    private static let freshness = 0.5

    private let mainloop: Mainloop
    private let rate: Double
    private let ask: (@escaping @Sendable () -> Void) -> Void
    private let place: () -> Place?
    /// What was found out last, and of which device.
    private var found: (seconds: Double, device: UInt32)?
    private var foundAt = -Double.infinity
    /// The steps of the look that is being taken; nil between looks.
    private var look: (begin: Double, last: Place?, steps: [Int])?
    /// Counts the looks, so that an answer to a question of an older one is not heard.
    private var number = 0
    private lazy var timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.question() }

    /// - Parameters:
    ///   - mainloop: The stream's.
    ///   - rate: The stream's frames per second.
    ///   - ask: Asks the server for where the stream is, and calls when it has answered or will not.
    ///   - place: Where that was by its last answer; nil without a stream.
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
