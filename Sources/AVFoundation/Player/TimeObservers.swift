internal import CoreMedia
internal import Dispatch
internal import Foundation
internal import Locks

/// Somebody who wants to be told of a player's position.
final class TimeObserver: Sendable {
    enum Times: Sendable {
        /// At each multiple of so many seconds, if they are more than none; and when the sound starts, stops or jumps.
        case every(Double)
        /// At these seconds, in their order.
        case at([Double])

        /// The first one after a position.
        func next(after seconds: Double) -> Double? {
            switch self {
            case .every(let interval):
                guard interval > 0 else { return nil }
                // A thousand times a second at most.
                let step = max(0.001, interval)
                let count = (seconds / step).rounded(.down)
                // What is divided and multiplied may come out where it was, but for less than a position can tell.
                return (count + 1) * step > seconds + 1e-9 ? (count + 1) * step : (count + 2) * step
            case .at(let times): return times.first { $0 > seconds }
            }
        }

        var isPeriodic: Bool { if case .every = self { true } else { false } }
    }

    /// Half a millisecond is nothing to anybody.
    static let tolerance = 0.0005

    let times: Times
    /// Nil for where the app is told of everything else.
    private let queue: DispatchQueue?
    private let block: @Sendable (CMTime) -> Void
    private let state = Guarded(State())

    private struct State {
        var isRemoved = false
        var due: Double?
        var told = -Double.infinity
        var timer: (any DispatchSourceTimer)?
    }

    /// The position that is waited for, in seconds.
    var due: Double? {
        get { state.withLock { $0.due } }
        set { state.withLock { $0.due = newValue } }
    }

    /// The position that was told last, since the last jump.
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

    /// Starts a timer on a queue, in place of the one before.
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

    /// Ends the timer, if there is one.
    func cancelTimer() {
        state.withLock {
            $0.timer?.cancel()
            $0.timer = nil
        }
    }

    /// Tells the times that were passed up to a position, each for itself; multiples are told as positions.
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

/// Tells a player's observers of its position.
///
/// Each waits for its next position with a timer and then looks: the sound has its own clock, and may be late.
final class TimeObservers: Sendable {
    private let queue = DispatchQueue(label: "AVPlayer.time")
    /// All that were not removed, wherever `queue` is.
    private let added = Guarded<[TimeObserver]>([])
    private let state = Guarded(State())

    /// What is only used on `queue`, but for `core`, which is set once, before anybody can observe.
    private struct State {
        var list: [TimeObserver] = []
        var last: (item: Guarded<PlayerItemSettings>?, isPlaying: Bool?)
        weak var core: AVPlayerCore?
    }

    private var list: [TimeObserver] {
        get { state.withLock { $0.list } }
        set {
            // The one before is let go of without the lock: observers keep what the app's blocks do.
            let old = state.withLock { state in
                defer { state.list = newValue }
                return state.list
            }
            withExtendedLifetime(old) {}
        }
    }

    /// What is current, and whether it was heard when somebody looked last; nil if nobody has.
    private var last: (item: Guarded<PlayerItemSettings>?, isPlaying: Bool?) {
        get { state.withLock { $0.last } }
        set { state.withLock { $0.last = newValue } }
    }

    var core: AVPlayerCore? {
        get { state.withLock { $0.core } }
        set { state.withLock { $0.core = newValue } }
    }

    /// Where the player is; the rate is 0 for one that does not play.
    private struct Place {
        /// Stands for the item, which nobody keeps with it.
        let item: Guarded<PlayerItemSettings>?
        let seconds: Double
        let rate: Double
    }

    func add(_ observer: TimeObserver) {
        // Asked at once: what is played before the queue has its turn is to be told.
        let place = place
        added.withLock { $0.append(observer) }
        queue.async { [self] in
            guard !observer.isRemoved else { return }
            list.append(observer)
            guard let place else { return }
            // Nobody looks while there are no observers.
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

    /// Another item is current, or none; to be called in the order of the items.
    ///
    /// - Parameter seconds: Where it begins, whatever was heard of it before anybody looks.
    func begin(_ item: AVPlayerItem?, at seconds: Double) {
        let settings = item?.settings
        queue.async { [self] in
            last = (settings, nil)
            for observer in list { (observer.told, observer.due) = (-.infinity, observer.times.next(after: seconds)) }
        }
    }

    /// Looks anew: the sound may have started or stopped, or another item may have begun; or it has jumped.
    func update(isJump: Bool = false) {
        queue.async { [self] in
            // Another item's position says nothing, see `look`.
            guard !list.isEmpty, let place, place.item === last.item else { return }
            let isNews = isJump || last.isPlaying != (place.rate > 0)
            last.isPlaying = place.rate > 0
            for observer in list {
                if isJump { (observer.told, observer.due) = (-.infinity, nil) }
                // What was passed just before a stop is still to be told.
                let isPassed = observer.due.map { place.seconds >= $0 } ?? false
                if observer.times.isPeriodic && (isNews || isPassed) { observer.report(place.seconds) }
                observer.reportRest(upTo: place.seconds)
                start(observer, from: place)
            }
        }
    }

    /// An item was heard to its end, and with it all times up to there; to be called before another one is current.
    func ended(_ item: AVPlayerItem) {
        // Asked at once: whoever is told of the end may go back in it, or let go of it.
        guard item.sound.standing == .finished else { return }
        let (settings, end) = (item.settings, item.sound.time.seconds)
        queue.async { [self] in
            guard last.item === settings else { return }
            for observer in list { observer.reportRest(upTo: end) }
        }
    }

    /// For a player that goes; its timers hold nothing of it, and nobody is told of what is on the way.
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
        // Kept while it stands: the sound may stop at that very position. A pause may step back a little.
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
        // Another item's position says nothing; whoever made that one current is about to have everybody look anew.
        guard place.item === last.item else { return }
        let seconds = place.seconds
        observer.cancelTimer()
        // This saves a second look.
        if observer.times.isPeriodic, seconds >= due - TimeObserver.tolerance {
            observer.report(max(seconds, due))
            observer.due = observer.times.next(after: observer.told)
        }
        observer.reportRest(upTo: seconds)
        if place.rate > 0 { wait(observer, seconds, place.rate) }
    }
}
