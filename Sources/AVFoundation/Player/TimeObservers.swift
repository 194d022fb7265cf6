internal import CoreMedia
internal import Dispatch
internal import Foundation
internal import Locks

/// An observer of a player's position.
final class TimeObserver: Sendable {
    enum Times: Sendable {
        /// At each multiple of this interval in seconds, if positive, and when the sound starts, stops or jumps.
        case every(Double)
        /// At these positions in seconds, in ascending order.
        case at([Double])

        /// The first due position after a given one.
        func next(after seconds: Double) -> Double? {
            switch self {
            case .every(let interval):
                guard interval > 0 else { return nil }
                // At most 1000 times a second.
                let step = max(0.001, interval)
                let count = (seconds / step).rounded(.down)
                // Rounding may return the same position again; 1 ns is less than a position can resolve.
                return (count + 1) * step > seconds + 1e-9 ? (count + 1) * step : (count + 2) * step
            case .at(let times): return times.first { $0 > seconds }
            }
        }

        var isPeriodic: Bool { if case .every = self { true } else { false } }
    }

    /// The tolerance for positions, in seconds.
    static let tolerance = 0.0005

    let times: Times
    /// The queue for calls; nil for the app's delivery queue.
    private let queue: DispatchQueue?
    private let block: @Sendable (CMTime) -> Void
    private let state = Guarded(State())

    private struct State {
        var isRemoved = false
        var due: Double?
        var told = -Double.infinity
        var timer: (any DispatchSourceTimer)?
    }

    /// The next position to report, in seconds.
    var due: Double? {
        get { state.withLock { $0.due } }
        set { state.withLock { $0.due = newValue } }
    }

    /// The last reported position in seconds, since the last jump.
    var told: Double {
        get { state.withLock { $0.told } }
        set { state.withLock { $0.told = newValue } }
    }

    /// Whether a timer runs.
    var isWaiting: Bool { state.withLock { $0.timer != nil } }

    init(_ times: Times, queue: DispatchQueue?, _ block: @escaping @Sendable (CMTime) -> Void) {
        self.times = times
        self.queue = queue
        self.block = block
    }

    func remove() { state.withLock { $0.isRemoved = true } }

    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// Starts a timer on a queue, in place of a previous one.
    func wait(seconds: Double, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
        cancelTimer()
        state.withLock {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler(handler: handler)
            timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(1))
            $0.timer = timer
            timer.resume()
        }
    }

    /// Cancels the timer, if there is one.
    func cancelTimer() {
        state.withLock {
            $0.timer?.cancel()
            $0.timer = nil
        }
    }

    /// Reports all passed boundary positions, one by one; periodic observers are reported elsewhere.
    func reportRest(upTo seconds: Double) {
        guard !times.isPeriodic else { return }
        while let next = due, next <= seconds + Self.tolerance {
            report(next)
            due = times.next(after: next)
        }
    }

    func report(_ seconds: Double) {
        told = seconds
        deliver(on: queue) { [self] in
            guard !isRemoved else { return }
            block(CMTime(seconds: seconds, preferredTimescale: 1_000_000_000))
        }
    }
}

/// The observers of a player's position.
///
/// Each observer sets a timer for its next position and checks the position then: the sound has a separate clock, and
/// may be late.
final class TimeObservers: Sendable {
    private let queue = DispatchQueue(label: "AVPlayer.time")
    /// All observers that were not removed, independent of the progress of `queue`.
    private let added = Guarded<[TimeObserver]>([])
    private let state = Guarded(State())

    /// State used on `queue` only, except `core`, which is set once, before observers are added.
    private struct State {
        var list: [TimeObserver] = []
        var last: (item: Guarded<PlayerItemSettings>?, isPlaying: Bool?)
        weak var core: AVPlayerCore?
    }

    private var list: [TimeObserver] {
        get { state.withLock { $0.list } }
        set {
            // The old list is released without the lock: observers hold the app's blocks.
            let old = state.withLock { state in
                defer { state.list = newValue }
                return state.list
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The current item, and whether it was playing at the last check; nil before the first one.
    private var last: (item: Guarded<PlayerItemSettings>?, isPlaying: Bool?) {
        get { state.withLock { $0.last } }
        set { state.withLock { $0.last = newValue } }
    }

    var core: AVPlayerCore? {
        get { state.withLock { $0.core } }
        set { state.withLock { $0.core = newValue } }
    }

    /// The player's position; the rate is 0 while it does not play.
    private struct Place {
        /// Identifies the item, without keeping it alive.
        let item: Guarded<PlayerItemSettings>?
        let seconds: Double
        let rate: Double
    }

    func add(_ observer: TimeObserver) {
        // Read at once, so that positions passed before the queue runs are reported.
        let place = place
        added.withLock { $0.append(observer) }
        queue.async { [self] in
            guard !observer.isRemoved else { return }
            list.append(observer)
            guard let place else { return }
            // Without observers there are no checks.
            if list.count == 1, place.item === last.item { last.isPlaying = place.rate > 0 }
            observer.due = observer.times.next(after: place.seconds)
            if observer.times.isPeriodic { observer.report(place.seconds) }
            if let now = self.place, now.item === last.item, now.rate > 0 { wait(observer, now.seconds, now.rate) }
        }
    }

    func remove(_ observer: TimeObserver) {
        observer.remove()
        added.withLock { $0.removeAll { $0 === observer } }
        queue.async { [self] in
            observer.cancelTimer()
            list.removeAll { $0 === observer }
        }
    }

    /// Records that another item, or none, is current; must be called in the order of the items.
    ///
    /// - Parameter seconds: The item's start, independent of what is heard before the first check.
    func begin(_ item: AVPlayerItem?, at seconds: Double) {
        let settings = item?.settings
        queue.async { [self] in
            last = (settings, nil)
            for observer in list { (observer.told, observer.due) = (-.infinity, observer.times.next(after: seconds)) }
        }
    }

    /// Checks the position after the sound has started or stopped, an item has begun, or the position has jumped.
    func update(isJump: Bool = false) {
        queue.async { [self] in
            // The position of another item is ignored, see `look`.
            guard !list.isEmpty, let place, place.item === last.item else { return }
            let isNews = isJump || last.isPlaying != (place.rate > 0)
            last.isPlaying = place.rate > 0
            for observer in list {
                if isJump { (observer.told, observer.due) = (-.infinity, nil) }
                // Positions passed just before a stop still have to be reported.
                let isPassed = observer.due.map { place.seconds >= $0 } ?? false
                if observer.times.isPeriodic && (isNews || isPassed) { observer.report(place.seconds) }
                observer.reportRest(upTo: place.seconds)
                start(observer, from: place)
            }
        }
    }

    /// Reports all positions up to an item's end; must be called before another item is current.
    func ended(_ item: AVPlayerItem) {
        // Read at once: the app may seek back in the item, or release it, when notified of the end.
        guard item.sound.standing == .finished else { return }
        let (settings, end) = (item.settings, item.sound.time.seconds)
        queue.async { [self] in
            guard last.item === settings else { return }
            for observer in list { observer.reportRest(upTo: end) }
        }
    }

    /// Removes all observers of a player that is being released; pending calls are dropped.
    func stop() {
        let gone = added.withLock { added in
            defer { added = [] }
            return added
        }
        for observer in gone { observer.remove() }
        queue.async { [self] in
            for observer in list { observer.cancelTimer() }
            list = []
        }
    }

    private var place: Place? {
        guard let core else { return nil }
        let item = core.currentItem
        let isPlaying = core.timeControlStatus == .playing && item?.sound.standing == .running
        return Place(
            item: item?.settings, seconds: item?.currentTime().seconds ?? 0, rate: isPlaying ? Double(core.rate) : 0)
    }

    private func start(_ observer: TimeObserver, from place: Place) {
        observer.cancelTimer()
        // Keeps the due position while paused: the sound may stop at exactly that position, and a pause may step back a
        // little.
        observer.due = observer.times.next(after: max(place.seconds, observer.told))
        if place.rate > 0 { wait(observer, place.seconds, place.rate) }
    }

    private func wait(_ observer: TimeObserver, _ seconds: Double, _ rate: Double) {
        guard let due = observer.due else { return }
        observer.wait(seconds: max(0.001, (due - seconds) / rate), on: queue) { [weak self, weak observer] in
            if let observer { self?.look(observer) }
        }
    }

    private func look(_ observer: TimeObserver) {
        guard let due = observer.due, observer.isWaiting, let place else { return }
        // The position of another item is ignored: `update` follows once that item is current.
        guard place.item === last.item else { return }
        let seconds = place.seconds
        observer.cancelTimer()
        // Reports a due position without a second check.
        if observer.times.isPeriodic, seconds >= due - TimeObserver.tolerance {
            observer.report(max(seconds, due))
            observer.due = observer.times.next(after: observer.told)
        }
        observer.reportRest(upTo: seconds)
        if place.rate > 0 { wait(observer, seconds, place.rate) }
    }
}
