internal import CoreMedia
internal import Dispatch
internal import Foundation

/// Somebody who wants to be told of a player's position.
// SAFETY: `due` and `timer` are only used on the queue of ``TimeObservers``; `isRemovedValue` is guarded by `lock`.
final class TimeObserver: @unchecked Sendable {
    enum Times {
        /// At each multiple of so many seconds, if they are more than none; and when the sound starts, stops or jumps.
        case every(Double)
        /// At these seconds, in their order.
        case at([Double])

        /// The first one after a position.
        func next(after seconds: Double) -> Double? {
            switch self {
            case .every(let interval):
                // A thousand times a second at most.
                interval > 0 ? ((seconds / max(0.001, interval)).rounded(.down) + 1) * max(0.001, interval) : nil
            case .at(let times): times.first { $0 > seconds }
            }
        }

        var isPeriodic: Bool { if case .every = self { true } else { false } }
    }

    let times: Times
    private let queue: DispatchQueue
    private let block: @Sendable (CMTime) -> Void
    private let lock = NSLock()
    private var isRemovedValue = false
    /// The position that is waited for, in seconds.
    var due: Double?
    var timer: (any DispatchSourceTimer)?

    init(_ times: Times, queue: DispatchQueue, _ block: @escaping @Sendable (CMTime) -> Void) {
        self.times = times
        self.queue = queue
        self.block = block
    }

    func remove() { lock.withLock { isRemovedValue = true } }

    var isRemoved: Bool { lock.withLock { isRemovedValue } }

    func report(_ seconds: Double) {
        queue.async { [self] in
            guard !isRemoved else { return }
            block(CMTime(seconds: seconds, preferredTimescale: 1_000_000_000))
        }
    }
}

/// Tells a player's observers of its position.
///
/// Each waits for its next position with a timer and then looks: the sound has its own clock, and may be late.
// SAFETY: `list` is only used on `queue`; `player` is set once, before anybody can observe.
final class TimeObservers: @unchecked Sendable {
    private let queue = DispatchQueue(label: "AVPlayer.time")
    private var list: [TimeObserver] = []
    weak var player: AVPlayer?

    func add(_ observer: TimeObserver) {
        queue.async { [self] in
            guard !observer.isRemoved else { return }
            list.append(observer)
            guard let (seconds, rate) = place else { return }
            if observer.times.isPeriodic { observer.report(seconds) }
            start(observer, from: seconds, rate)
        }
    }

    func remove(_ observer: TimeObserver) {
        observer.remove()
        queue.async { [self] in
            observer.timer?.cancel()
            observer.timer = nil
            list.removeAll { $0 === observer }
        }
    }

    /// Looks anew, after the sound started, stopped or jumped.
    func update(isJump: Bool = false) {
        queue.async { [self] in
            guard !list.isEmpty, let (seconds, rate) = place else { return }
            for observer in list {
                // What was passed just before a stop is still to be told.
                let isPassed = !isJump && observer.due.map { seconds >= $0 } ?? false
                if observer.times.isPeriodic || isPassed { observer.report(seconds) }
                start(observer, from: seconds, rate)
            }
        }
    }

    /// For a player that goes; its timers hold nothing of it.
    func stop() {
        queue.async { [self] in
            for observer in list { observer.timer?.cancel() }
            list = []
        }
    }

    /// Seconds and rate of the player; the latter is 0 for one that does not play.
    private var place: (Double, Double)? {
        guard let player else { return nil }
        let isPlaying = player.timeControlStatus == .playing && player.currentItem?.sound.standing == .running
        return (player.currentTime().seconds, isPlaying ? Double(player.rate) : 0)
    }

    private func start(_ observer: TimeObserver, from seconds: Double, _ rate: Double) {
        observer.timer?.cancel()
        observer.timer = nil
        // Kept while it stands: the sound may stop at that very position.
        observer.due = observer.times.next(after: seconds)
        if rate > 0 { wait(observer, seconds, rate) }
    }

    private func wait(_ observer: TimeObserver, _ seconds: Double, _ rate: Double) {
        guard let due = observer.due else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self, weak observer] in
            if let observer { self?.look(observer) }
        }
        timer.schedule(deadline: .now() + max(0.001, (due - seconds) / rate), leeway: .milliseconds(1))
        observer.timer = timer
        timer.resume()
    }

    private func look(_ observer: TimeObserver) {
        guard let due = observer.due, observer.timer != nil, let (seconds, rate) = place else { return }
        observer.timer?.cancel()
        observer.timer = nil
        // Half a millisecond is nothing to anybody, and saves a second look.
        if seconds >= due - 0.0005 {
            observer.report(max(seconds, due))
            observer.due = observer.times.next(after: max(seconds, due))
        }
        if rate > 0 { wait(observer, seconds, rate) }
    }
}
