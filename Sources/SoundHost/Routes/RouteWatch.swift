internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// Changes of the devices, in the order in which they must be handled.
enum RouteNews {
    /// Connectors in use are gone, of the sinks with these names; reported at once, before anything settles.
    case connectorsLost(Set<String>)
    /// The devices have settled: the session's streams are to be placed, and then ``RouteWatch/observe(_:under:)`` is
    /// to be called.
    case settled(RouteFacts)
    /// PipeWire's session manager is there again, after it was away.
    case managerReturned
}

/// The watch over the session's route, which reports when devices have settled, and the changes since the last time.
///
/// Events come in bursts, and PipeWire shows a wrong state for some milliseconds. A change is reported when nothing has
/// happened for ``settling``, and all streams of the session are on devices. A change goes in one direction: from the
/// server to this watch, to the placement of streams, and then to the history of the route.
///
/// Use it with the main loop's lock held.
final class RouteWatch {
    /// The time without events after which devices are settled, and the longest burst, in seconds.
    static let settling = (usual: 0.02, most: 0.3)
    /// The time after the machine's wake-up in which changes are attributed to it, in seconds: Bluetooth and USB are
    /// slow.
    private static let waking = 10.0
    /// The longest time for which observers of a change can keep the output silent, in seconds.
    private static let longestSilence = 1.0

    /// The longest time for which lost devices count as being away with the session manager that owns them, in seconds:
    /// until there is another one, and then until its devices are back.
    private static let absence = (ofManager: 10.0, ofDevices: 3.0)
    /// The time after which the output's silence is renewed during an absence, in seconds.
    private static let renewal = 0.5

    private let directory: StreamDirectory
    private let uses: () -> (sink: UInt32?, sources: [UInt32])
    /// Called for news, with the loop's lock held.
    var onNews: (RouteNews) -> Void = { _ in }
    private var history = RouteHistory()
    /// The route the app has read before the first evaluation; a different one is reported to the app as a change.
    private var answered: (route: Route, present: Set<String>)?
    private var seen: RouteFacts?
    /// The inputs at the last report; nil before the first evaluation.
    private var inputs: Inputs?
    private var burst: Double?
    private var cause = RouteCause.devices
    /// Whether the output is silent because of a loss whose change was not reported yet.
    private var isHolding = false
    /// The time of the last reported change.
    private var reportedAt = -Double.infinity
    /// The time of the machine's last wake-up, if any.
    private var awakeSince: Double?
    /// Whether the session manager is away.
    private var isManagerAway = false
    /// The end of the last absence of the session manager and its devices, if there was any.
    private var absenceEnds = -Double.infinity
    /// Whether the devices in use are treated as unplugged (`audiosession simulate unplug`).
    var isUnplugged = false { didSet { look() } }
    private lazy var timer = MainloopTimer(mainloop: directory.mainloop) { [weak self] in self?.reportSettled() }

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - directory: The devices.
    ///   - uses: The devices of the session's streams.
    init(directory: StreamDirectory, uses: @escaping () -> (sink: UInt32?, sources: [UInt32])) {
        self.directory = directory
        self.uses = uses
        directory.onChange { [weak self] in self?.look() }
    }

    /// The last reported route; nil while the devices are not monitored.
    var route: Route? { history.route }

    /// Handles an activation, or other settings of a session that is not active.
    ///
    /// The settings are new since the last evaluation, and the change of the route that they make is not reported.
    func settingsBegan() {
        answered = nil
        guard history.route != nil else { return }
        history.sessionActivated(present: currentFacts.present, at: MonotonicClock.seconds)
        reportSettled()
    }

    /// Records the route that the app has read.
    func answered(_ route: Route, from facts: RouteFacts) {
        if history.route == nil { answered = (route, facts.present) }
    }

    /// Evaluates the route after a change of category, mode or options, or the machine's wake-up.
    func happened(_ cause: RouteCause) {
        guard history.route != nil else { return }
        switch cause {
        case .wake: awakeSince = MonotonicClock.seconds
        case .category: self.cause = cause
        // An unreported change of category keeps that cause.
        case .devices: break
        }
        // A loss waits for the devices to settle: the server may be slow to leave the lost device, and the first
        // reported change ends the silence.
        let hasLost = history.hasLost(present: currentFacts.present, at: MonotonicClock.seconds)
        if hasLost { settle() } else { reportSettled() }
    }

    /// Handles the stream's move to another device, which the directory may have known before.
    func streamMoved() {
        // The owner of the stream decides how long a move is silent.
        isHolding = false
        streamAppeared()
    }

    /// Handles the appearance of the stream.
    func streamAppeared() {
        guard history.route != nil, burst == nil else { return }
        settle()
    }

    private func look() {
        switch directory.state {
        case .stopped: return reset()
        // The devices of streams are not known. The end of the listing is a change.
        case .listing, .listingDevices: return
        case .devices, .current: break
        }
        noteManager()
        let facts = currentFacts
        let isNews = facts != seen
        seen = facts
        guard history.route != nil else { return reportSettled() }
        guard isNews else { return }
        let losses = history.lostOutputs(present: facts.present, at: MonotonicClock.seconds)
        if !losses.isEmpty {
            isHolding = true
            onNews(.connectorsLost(Set(losses.map(\.device))))
        }
        settle()
    }

    private func reset() {
        timer.cancel()
        burst = nil
        seen = nil
        inputs = nil
        isHolding = false
        isManagerAway = false
        absenceEnds = -.infinity
        history = RouteHistory()
    }

    private func noteManager() {
        guard directory.lacksManager != isManagerAway else { return }
        isManagerAway.toggle()
        absenceEnds = MonotonicClock.seconds + (isManagerAway ? Self.absence.ofManager : Self.absence.ofDevices)
        if !isManagerAway { onNews(.managerReturned) }
    }

    /// Whether something was lost that is away with the session manager: nobody has pulled it, and it will be back.
    ///
    /// Until then the output stays silent, and the loss is not reported.
    private func awaitsReturn(_ facts: RouteFacts, at now: Double) -> Bool {
        guard now < absenceEnds, history.hasLost(present: facts.present, at: now) else { return false }
        let outputs = history.lostOutputs(present: facts.present, at: now)
        if !outputs.isEmpty {
            isHolding = true
            onNews(.connectorsLost(Set(outputs.map(\.device))))
        }
        burst = nil
        timer.start(after: .seconds(min(Self.renewal, absenceEnds - now)))
        return true
    }

    /// Whether the devices are known, and those of the session's streams.
    private var isInformed: Bool { directory.state == .current || directory.state == .devices }

    /// Reports once no event has come for a while.
    private func settle() {
        let now = MonotonicClock.seconds
        let begin = burst ?? now
        burst = begin
        timer.start(after: .seconds(max(0, min(Self.settling.usual, begin + Self.settling.most - now))))
    }

    private func reportSettled() {
        timer.cancel()
        guard isInformed else {
            // For the end of the listing.
            seen = nil
            return
        }
        var facts = currentFacts
        let now = MonotonicClock.seconds
        if history.route != nil, awaitsReturn(facts, at: now) { return }
        // A stream without a device will soon have one, and a card whose device is gone will soon tell why.
        if history.route != nil, !facts.isSettled || history.isLossDoubtful(facts, at: now) {
            let begin = burst ?? now
            burst = begin
            guard now - begin >= Self.settling.most else { return timer.start(after: .seconds(Self.settling.usual)) }
            facts.forgetUnknownDevices()
        }
        burst = nil
        onNews(.settled(facts))
    }

    /// The changes of the route, and whether a silence for a loss ends without one.
    struct Outcome {
        /// The changes, for the app.
        let events: [HostEvent]
        /// Whether a lost connector has returned without a change.
        let isRestored: Bool
    }

    /// Compares the devices with those of the last report, once the session's streams are placed.
    ///
    /// - Parameters:
    ///   - facts: The settled facts, with the devices of future streams as the defaults.
    ///   - settings: The session's settings.
    func observe(_ facts: RouteFacts, under settings: SessionSettings) -> Outcome {
        let now = MonotonicClock.seconds
        let route = Route(facts, settings: settings)
        if let answered {
            let known = route.isSame(as: answered.route) ? route : answered.route
            _ = history.observe(known, present: answered.present, cause: .devices, at: now)
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
            // A silence that observers of a reported change may still need is ended by them.
            isRestored = now - reportedAt > Self.longestSilence
        }
        return Outcome(
            events: changes.map(HostEvent.routeChanged) + (hadOtherInputs ? [.availableInputsChanged] : []),
            isRestored: isRestored)
    }

    /// All inputs, as apps see them.
    private struct Inputs: Equatable {
        /// The available inputs; nil in categories without input, which list none.
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
        let roles = directory.roleSinks
        // A stream on an unknown device counts as being on none.
        facts.sinkInUse = uses.sink.map { roles.device(behind: $0).flatMap { directory.sinks[$0]?.name } ?? "" }
        facts.sourcesInUse = uses.sources.map { directory.sources[$0]?.name ?? "" }
        if isUnplugged { facts.pretendUnplugged() }
        return facts
    }
}
