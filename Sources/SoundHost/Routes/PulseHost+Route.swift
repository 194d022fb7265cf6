internal import DesktopBus
internal import PulseClient
package import SessionPolicy

// On loss of the sink in use nothing may be heard on another one before the app has been told: the output is silent
// from the moment on at which the loss, or a move, is seen, and goes on when the app's observers have returned, or
// after a second. By the time an event comes the server has switched already.
extension PulseHost {
    /// How long an app may take to hear of a loss, in seconds.
    private static let patience = 1.0

    /// The session's route now: the one that was told last, or what the server says while nothing is watched.
    ///
    /// What was told is that of the settings that others know; the app may have changed them since, while the session
    /// was not active.
    package func route(under settings: SessionSettings) throws(SessionError) -> Route {
        let told = withLock { board.claim.settings.hasRoute(of: settings) ? surroundings?.routes.route : nil }
        if let told { return told }
        return try request { () throws(PulseError) in
            let facts = try askFacts(on: readyConnection())
            let route = Route(facts.granting(decide(from: facts, under: settings)), settings: settings)
            withLock {
                if board.claim.state == .active, board.claim.settings.hasRoute(of: settings) {
                    surroundings?.routes.answered(route, from: facts)
                }
            }
            return route
        }
    }

    /// Everything that matters to the route, as the server says it now; who records counts as nobody.
    ///
    /// - Parameter end: When the server is to have answered all of it.
    func askFacts(
        on connection: PulseConnection, until end: ContinuousClock.Instant = PulseHost.endOfPatience
    ) throws(PulseError) -> RouteFacts {
        var facts = try connection.sync { connection throws(PulseError) in
            let info = try connection.answerAndWait("pa_context_get_server_info", timeout: Self.rest(until: end)) {
                connection.serverInfo(completion: $0)
            }
            let sinks = try connection.answerAndWait("pa_context_get_sink_info_list", timeout: Self.rest(until: end)) {
                connection.sinks(completion: $0)
            }
            let sources = try connection.answerAndWait(
                "pa_context_get_source_info_list", timeout: Self.rest(until: end)
            ) {
                connection.sources(completion: $0)
            }
            var facts = RouteFacts(sinks: sinks, sources: sources)
            facts.setDefaults(sink: info.defaultSink, source: info.defaultSource)
            return facts
        }
        facts.sinkInUse = output?.deviceName
        return facts
    }

    /// The app changed category, mode or options of an active session, or the machine woke up.
    package func routeMayHaveChanged(_ cause: RouteCause) { withLock { surroundings?.routes.happened(cause) } }

    /// Notices from now on that the machine has slept, if it does not yet: what is plugged in may be something else
    /// then.
    func watchSleep() {
        guard machineBus == nil, let bus = SessionBus.ofMachine() else { return }
        machineBus = bus
        bus.onWake { [weak self] in self?.routeMayHaveChanged(.wake) }
    }

    /// Has recordings come from a source, if it is there; nil for the server's default.
    package func setPreferredInput(_ source: String?) {
        withLock {
            guard source != preferredInput else { return }
            preferredInput = source
            surroundings?.routes.happened(.devices)
        }
    }

    /// The output's silences.
    struct Silence {
        /// Which one it is, counted from 1.
        var number = 0
        /// Ends one that nobody ended; nil while there is none.
        var timer: MainloopTimer?
    }

    /// The silence that a change of route which is told now is about.
    package var silenceNumber: Int { withLock { silence.number } }

    /// Lets go on what was silenced for a loss: the app has been told.
    ///
    /// - Parameter number: The silence that it was told of; one that came later stands for a loss of its own.
    package func releaseOutput(silence number: Int) {
        withLock { if number == silence.number { releaseOutput() } }
    }

    private func releaseOutput() {
        silence.timer = nil
        output?.resumeAfterRouteChange()
    }

    /// A sink went, or came; if ours went, nothing of us is heard elsewhere for now.
    func sinkChanged(_ event: SubscriptionEvent) {
        guard event.change == .remove, event.index == outputSink else { return }
        hold()
    }

    /// Sinks whose connectors the session is heard on have lost them; nil: they are there again before anything came of
    /// that.
    func outputLost(_ sinks: Set<String>?) {
        guard let sinks else { return releaseOutput() }
        closeSides(on: sinks)
        // With several outputs the others have lost nothing.
        if !usesSideOutputs || output?.deviceName.map(sinks.contains) != false { hold() }
    }

    /// The output's stream is on another sink, and is silent.
    func outputMoved(_ mix: OutputMix) {
        let old = outputSink
        outputSink = mix.stream.sync { $0.device?.index }
        surroundings?.routes.streamMoved()
        guard mix.isSilencedForRoute else { return }
        hold(isLoss: false)
        guard let old, old != outputSink, let connection = try? readyConnection() else { return releaseOutput() }
        connection.sync { asking in
            asking.sink(at: old) { [weak self] answer in
                // Somebody chose another sink, and the old one is still there, with its connector.
                if case .success(let sink) = answer, sink.isPluggedIn { self?.releaseOutput() }
            }
        }
    }

    /// Silences the output until the app has heard why, for a second at most.
    ///
    /// A move belongs to the loss that it comes of, and may be told after it.
    func hold(isLoss: Bool = true) {
        output?.silenceForRouteChange()
        if isLoss || silence.timer == nil { silence.number += 1 }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.releaseOutput() }
        timer.start(after: .seconds(Self.patience))
        silence.timer = timer
    }
}

extension Sink {
    /// Whether something is there to be heard on, as far as the server knows.
    var isPluggedIn: Bool { ports.first { $0.name == activePort }?.availability != .no }
}
