internal import CoreMedia
internal import Dispatch
internal import Foundation
internal import Locks

/// A block of the app that is called at positions of a player's item.
final class TimeObserver: Sendable {
    enum Times: Sendable {
        /// The multiples of an interval in seconds, if it is positive; and starts, stops and jumps of the sound.
        case every(Double)
        /// Positions in seconds, in ascending order.
        case at([Double])

        /// The first position after another one.
        func next(after seconds: Double) -> Double? {
            switch self {
            case .every(let interval):
                guard interval > 0 else { return nil }
                // 1 ms at least, for intervals that would only burn time.
                let step = max(0.001, interval)
                let count = (seconds / step).rounded(.down)
                // Rounding may give the position itself again.
                return (count + 1) * step > seconds + 1e-9 ? (count + 1) * step : (count + 2) * step
            case .at(let times): return times.first { $0 > seconds }
            }
        }

        var isPeriodic: Bool { if case .every = self { true } else { false } }
    }

    /// The allowance for positions that are reached a little early, in seconds.
    static let tolerance = 0.0005

    let times: Times
    /// The queue of the block; nil for the place of all notifications.
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

    /// The position that was reported last since the last jump, in seconds.
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

    /// Starts a timer on a queue; replaces the former one.
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

    /// Reports the given positions that were passed up to a position, one by one; nothing for an interval.
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

/// The time observers of a player.
///
/// Each has a timer for its next position, and compares when the timer fires: the sound has its own clock, and may be
/// late. Only properties of the player and its item are read, so nothing here waits for a command.
final class TimeObservers: Sendable {
    private let queue = DispatchQueue(label: "AVPlayer.time")
    /// The observers that were not removed; `State.list` follows on `queue`.
    private let added = Guarded<[TimeObserver]>([])
    private let state = Guarded(State())

    /// State that is only used on `queue`, but `core`, which is set before an observer can be added.
    private struct State {
        var list: [TimeObserver] = []
        var last: (item: Guarded<PlayerItemSettings>?, isPlaying: Bool?)
        weak var core: AVPlayerCore?
    }

    private var list: [TimeObserver] {
        get { state.withLock { $0.list } }
        set {
            // The old list is released without the lock, since the blocks keep objects of the app.
            let old = state.withLock { state in
                defer { state.list = newValue }
                return state.list
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The current item, and whether it played at the last comparison; nil before the first one.
    private var last: (item: Guarded<PlayerItemSettings>?, isPlaying: Bool?) {
        get { state.withLock { $0.last } }
        set { state.withLock { $0.last = newValue } }
    }

    var core: AVPlayerCore? {
        get { state.withLock { $0.core } }
        set { state.withLock { $0.core = newValue } }
    }

    /// Item, position and rate of the player at a moment; the rate is 0 while the player does not play.
    private struct Place {
        /// The item's settings, which identify the item without keeping it alive.
        let item: Guarded<PlayerItemSettings>?
        let seconds: Double
        let rate: Double
    }

    func add(_ observer: TimeObserver) {
        // Read at once: positions that are played before the queue has its turn are to be reported.
        let place = place
        added.withLock { $0.append(observer) }
        queue.async { [self] in
            guard !observer.isRemoved else { return }
            list.append(observer)
            guard let place else { return }
            // Nothing is compared while there are no observers.
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

    /// Notes another current item, or none; to be called in the order of the items.
    ///
    /// - Parameter seconds: The position at which it begins.
    func begin(_ item: AVPlayerItem?, at seconds: Double) {
        let settings = item?.settings
        queue.async { [self] in
            last = (settings, nil)
            for observer in list { (observer.told, observer.due) = (-.infinity, observer.times.next(after: seconds)) }
        }
    }

    /// Compares after a start, a stop, a jump or a change of the item, and restarts the timers.
    func update(isJump: Bool = false) {
        queue.async { [self] in
            // The position of an item that is not current any more says nothing, see `look`.
            guard !list.isEmpty, let place, place.item === last.item else { return }
            let isNews = isJump || last.isPlaying != (place.rate > 0)
            last.isPlaying = place.rate > 0
            for observer in list {
                if isJump { (observer.told, observer.due) = (-.infinity, nil) }
                // A position that was passed just before a stop is still to be reported.
                let isPassed = observer.due.map { place.seconds >= $0 } ?? false
                if observer.times.isPeriodic && (isNews || isPassed) { observer.report(place.seconds) }
                observer.reportRest(upTo: place.seconds)
                start(observer, from: place)
            }
        }
    }

    /// Reports the positions up to the end of an item that was heard to its end; to be called before another item is
    /// current.
    ///
    /// Waits for commands on the item.
    func ended(_ item: AVPlayerItem) {
        // Asked at once: an app that is told of the end may seek in the item, or remove it.
        let sound = item.sound
        let (standing, end) = sound.command { (sound.standing, sound.time.seconds) }
        guard standing == .finished else { return }
        let settings = item.settings
        queue.async { [self] in
            guard last.item === settings else { return }
            for observer in list { observer.reportRest(upTo: end) }
        }
    }

    /// Removes all observers of a player that is released; pending reports are dropped.
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
        // After the last report, too: a pause may step back a little.
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
        // Another item has become current, whose command is about to call `update`.
        guard place.item === last.item else { return }
        let seconds = place.seconds
        observer.cancelTimer()
        // A timer that fired within the tolerance needs no second turn.
        if observer.times.isPeriodic, seconds >= due - TimeObserver.tolerance {
            observer.report(max(seconds, due))
            observer.due = observer.times.next(after: observer.told)
        }
        observer.reportRest(upTo: seconds)
        if place.rate > 0 { wait(observer, seconds, place.rate) }
    }
}
