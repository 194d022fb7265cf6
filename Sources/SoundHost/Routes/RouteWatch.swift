internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// News of the devices, in the order in which they are to be acted on.
enum RouteNews {
    /// Connectors in use are gone, of the sinks with these names; reported at once, before anything settles.
    case connectorsLost(Set<String>)
    /// The devices have settled: the session's streams are to be moved to where they belong, and then the route is to be
    /// handed to ``RouteWatch/observe(_:under:)``.
    case settled(RouteFacts)
}

/// The watch over the session's route: reports when devices have settled, and what has changed since the last time.
///
/// Events come in bursts, and PipeWire shows a wrong state for some milliseconds: a change is reported when nothing has
/// happened for ``settling``, and when our streams are somewhere. A change goes in one direction: from the server to this
/// watch, from there to whoever moves streams, and then to the history of the route.
///
/// Use it with the main loop's lock held.
final class RouteWatch {
    /// How long nothing may have happened, and how long a burst may last at most, in seconds.
    static let settling = (usual: 0.02, most: 0.3)
    /// How long after the machine woke up a change is put down to that, in seconds: Bluetooth and USB take their time.
    private static let waking = 10.0
    /// For how long the observers of a change may keep the output silent, in seconds.
    private static let longestSilence = 1.0

    private let directory: StreamDirectory
    private let uses: () -> (sink: UInt32?, sources: [UInt32])
    /// Called for news, with the loop's lock held.
    var onNews: (RouteNews) -> Void = { _ in }
    private var history = RouteHistory()
    /// What the app was told on its question before the first look: what differs from that then is news to it.
    private var answered: (route: Route, present: Set<String>)?
    private var seen: RouteFacts?
    /// What there was to record from when that was told last; nil before the first look.
    private var inputs: Inputs?
    private var burst: Double?
    private var cause = RouteCause.devices
    /// Whether the output was silenced for a loss of which nothing has come yet.
    private var isHolding = false
    /// When a change was reported last.
    private var reportedAt = -Double.infinity
    /// When the machine woke up last, if it did.
    private var awakeSince: Double?
    /// Whether it is pretended that what is in use was pulled (`audiosession simulate unplug`).
    var isUnplugged = false { didSet { look() } }
    private lazy var timer = MainloopTimer(mainloop: directory.mainloop) { [weak self] in self?.reportSettled() }

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - directory: The devices.
    ///   - uses: The devices that our streams are on.
    init(directory: StreamDirectory, uses: @escaping () -> (sink: UInt32?, sources: [UInt32])) {
        self.directory = directory
        self.uses = uses
        directory.onChange { [weak self] in self?.look() }
    }

    /// The route as it was told last; nil while nothing is watched.
    var route: Route? { history.route }

    /// The session has its settings now, which it had not at the first look; nobody was told of that route.
    func sessionActivated() {
        answered = nil
        guard history.route != nil else { return }
        history.sessionActivated(present: currentFacts.present, at: MonotonicClock.seconds)
        reportSettled()
    }

    /// The app of an active session has asked for the route, and was told what the server says.
    func answered(_ route: Route, from facts: RouteFacts) {
        if history.route == nil { answered = (route, facts.present) }
    }

    /// The app changed category, mode or options, or the machine woke up.
    func happened(_ cause: RouteCause) {
        guard history.route != nil else { return }
        switch cause {
        case .wake: awakeSince = MonotonicClock.seconds
        case .category: self.cause = cause
        // A change of category that is still to be told stays one.
        case .devices: break
        }
        // A server may take some time to leave what is lost, and the silence ends with the first change that is told.
        let hasLost = history.hasLost(present: currentFacts.present, at: MonotonicClock.seconds)
        if hasLost { settle() } else { reportSettled() }
    }

    /// Our stream is said to be on another device, which the directory may have known before.
    func streamMoved() {
        // Whoever hears of the move decides how long it is silent.
        isHolding = false
        streamAppeared()
    }

    /// Our stream is there, where it may not have been before.
    func streamAppeared() {
        guard history.route != nil, burst == nil else { return }
        settle()
    }

    private func look() {
        guard directory.state == .current else {
            timer.cancel()
            burst = nil
            seen = nil
            inputs = nil
            isHolding = false
            history = RouteHistory()
            return
        }
        let facts = currentFacts
        guard facts != seen else { return }
        seen = facts
        guard history.route != nil else { return reportSettled() }
        let losses = history.lostOutputs(present: facts.present, at: MonotonicClock.seconds)
        if !losses.isEmpty {
            isHolding = true
            onNews(.connectorsLost(Set(losses.map(\.device))))
        }
        settle()
    }

    /// Reports when nothing more happens for a while.
    private func settle() {
        let now = MonotonicClock.seconds
        let begin = burst ?? now
        burst = begin
        timer.start(after: .seconds(max(0, min(Self.settling.usual, begin + Self.settling.most - now))))
    }

    private func reportSettled() {
        timer.cancel()
        guard directory.state == .current else { return }
        var facts = currentFacts
        let now = MonotonicClock.seconds
        if !facts.isSettled && history.route != nil {
            let begin = burst ?? now
            burst = begin
            // A stream that is nowhere will be somewhere soon.
            guard now - begin >= Self.settling.most else { return timer.start(after: .seconds(Self.settling.usual)) }
            facts.forgetUnknownDevices()
        }
        burst = nil
        onNews(.settled(facts))
    }

    /// A change of the route, and whether the silence for a loss is to end without one.
    struct Outcome {
        /// The changes, for the app.
        let events: [HostEvent]
        /// Whether a connector that was lost is there again, and nothing came of that.
        let isRestored: Bool
    }

    /// Compares the devices with those of the last time, once the session's streams are where they belong.
    ///
    /// - Parameters:
    ///   - facts: What was reported as settled, with the devices of streams that are still to come as the defaults.
    ///   - settings: The session's.
    func observe(_ facts: RouteFacts, under settings: SessionSettings) -> Outcome {
        let now = MonotonicClock.seconds
        let route = Route(facts, settings: settings)
        if let answered, !route.isSame(as: answered.route) {
            _ = history.observe(answered.route, present: answered.present, cause: .devices, at: now)
        }
        answered = nil
        let isWaking = awakeSince.map { now - $0 < Self.waking } ?? false
        let changes = history.observe(
            route, present: facts.present, cause: cause == .devices && isWaking ? .wake : cause, at: now)
        cause = .devices
        let inputs = Inputs(facts, settings: settings)
        let hadOtherInputs = self.inputs.map { $0 != inputs } ?? false
        self.inputs = inputs
        var isRestored = false
        if !changes.isEmpty {
            (isHolding, reportedAt) = (false, now)
        } else if isHolding, history.lostOutputs(present: facts.present, at: now).isEmpty {
            isHolding = false
            // What is silent for observers that may not have returned yet goes on when they have.
            isRestored = now - reportedAt > Self.longestSilence
        }
        return Outcome(
            events: changes.map(HostEvent.routeChanged) + (hadOtherInputs ? [.availableInputsChanged] : []),
            isRestored: isRestored)
    }

    /// What apps see of all inputs.
    private struct Inputs: Equatable {
        /// Those that are listed; nil in categories that record nothing, and list none.
        let ports: [RoutePort]?

        init(_ facts: RouteFacts, settings: SessionSettings) {
            ports =
                settings.allowsInput
                ? facts.sources.filter { settings.allowsInput(from: $0.kind) }.map(\.asInput) : nil
        }
    }

    private var currentFacts: RouteFacts {
        var facts = RouteFacts(
            sinks: directory.sinks.values, sources: directory.sources.values, cards: directory.cards)
        facts.bluetoothCards = directory.bluetoothCards
        facts.setDefaults(sink: directory.defaultSink, source: directory.defaultSource)
        let uses = uses()
        // What is on no known device counts as being nowhere.
        facts.sinkInUse = uses.sink.map { directory.sinks[$0]?.name ?? "" }
        facts.sourcesInUse = uses.sources.map { directory.sources[$0]?.name ?? "" }
        if isUnplugged { facts.pretendUnplugged() }
        return facts
    }
}
