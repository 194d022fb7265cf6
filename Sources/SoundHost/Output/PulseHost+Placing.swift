internal import AudioHost
internal import PulseClient
package import SessionPolicy

// Which devices our streams are on. It is decided again only when the answer changes, so that a user who moves a stream
// in a mixer wins. Nobody else's streams are ever moved.
extension PulseHost {
    /// Takes over where the app wants its output; with a long-form policy the choice is all such sessions'.
    package func setOutputPreference(_ wish: OutputPreference, isLongForm: Bool) {
        withLock {
            let wish = outputPreference.followed(by: wish)
            guard wish != outputPreference || isLongForm != self.isLongForm else { return }
            let isChoice = wish.choices != outputPreference.choices
            outputPreference = wish
            self.isLongForm = isLongForm
            if isLongForm { isChoice ? share(wish.chosen) : publishChoice() }
            surroundings?.routes.happened(.devices)
        }
    }

    /// The server is gone, and with it the devices that were wished for, which the next one may have again.
    func forgetWishes() {
        preferredInput = nil
        outputPreference = OutputPreference()
        wanted = (nil, nil)
        isLongForm = false
        sharedChoice = nil
    }

    /// Moves our streams to where they are to be, and returns the facts as they are for a stream that is still to come.
    func place(_ facts: RouteFacts) -> RouteFacts {
        if let wish = preferredInput, !facts.sources.contains(where: { $0.device == wish }) {
            // A device that comes back is not taken again behind the app's back.
            preferredInput = nil
            events(.preferredInputLost)
        }
        if outputPreference.endsOverride(with: facts) { events(.overrideEnded) }
        let old = wanted
        wanted = decide(from: facts)
        if wanted.sink != old.sink { moveOutput(to: wanted.sink ?? AppIdentity.environment("PULSE_SINK"), facts) }
        if wanted.source != old.source { moveCaptures(to: wanted.source ?? AppIdentity.environment("PULSE_SOURCE")) }
        return facts.granting(wanted)
    }

    /// The sink that a new output is to be on; nil for the default one.
    func sinkToOpen(on connection: PulseConnection) throws(PulseError) -> String? {
        guard mayChooseSink else { return nil }
        // Captures that there are go elsewhere when the devices are placed.
        wanted.sink = decide(from: try askFacts(on: connection)).sink
        return wanted.sink ?? AppIdentity.environment("PULSE_SINK")
    }

    /// The source that a new recording without one of its own is to come from; nil for the default one.
    ///
    /// Where nobody has looked yet it is found out first: a headset changes over for whatever is on its microphone for a
    /// moment.
    func sourceToOpen(
        on connection: PulseConnection, until end: ContinuousClock.Instant = PulseHost.endOfPatience
    ) throws(PulseError) -> String? {
        let settings = board.claim.settings
        let mayChoose = settings.category == .multiRoute || !settings.options.contains(.allowBluetoothHFP)
        if surroundings?.routes.route == nil, mayChoose {
            wanted.source = decide(from: try askFacts(on: connection, until: end)).source
        }
        return wanted.source
    }

    /// Whether a new output may have to be elsewhere than on the default sink.
    ///
    /// Nearly nobody wishes that, and need not wait for what nobody asks.
    var mayChooseSink: Bool { mayChooseSink(under: board.claim.settings) }

    /// The same under settings that may not be those that others know.
    func mayChooseSink(under settings: SessionSettings) -> Bool {
        AppIdentity.environment("PULSE_SINK") != nil || !outputPreference.isEmpty || preferredInput != nil
            || settings.mayBeElsewhere || isLongForm && sharedChoice != nil
    }

    /// Where the session's streams are to be under these settings; nil for its own.
    func decide(
        from facts: RouteFacts, under settings: SessionSettings? = nil
    ) -> (sink: String?, source: String?) {
        let settings = settings ?? board.claim.settings
        let wish = outputPreference.sharing(isLongForm ? sharedChoice : nil)
        return (
            facts.wantedSink(wish, settings: settings, preferredInput: preferredInput),
            facts.wantedSource(wish, settings: settings, preferredInput: preferredInput)
        )
    }

    private func moveOutput(to sink: String?, _ facts: RouteFacts) {
        guard let output, let connection = try? readyConnection() else { return }
        let isThere =
            if let sink {
                (output.deviceName ?? output.requestedSink) == sink
            } else {
                // What has lost the sink that it was made for is where the server wants it.
                !facts.sinks.contains { $0.device == output.requestedSink }
            }
        guard !isThere else { return output.forgetSuccessor() }
        output.relocate(to: sink, with: makeStream(on: connection, role: outputRole, format: output.format))
    }

    private func moveCaptures(to source: String?) {
        guard let connection = try? readyConnection() else { return }
        let isPreferred = source != nil && source == preferredInput
        for capture in captures.values {
            // What asked for a source of its own leaves it only for the one that the app prefers.
            let source = isPreferred ? source : capture.home ?? source
            guard capture.source != source, let index = capture.index else { continue }
            let moveBack = { connection.sync { $0.moveSourceOutput(at: index, to: "@DEFAULT_SOURCE@") } }
            capture.beforeEnd = {}
            guard let source else {
                moveBack()
                continue
            }
            connection.sync { $0.moveSourceOutput(at: index, to: source) }
            // Servers remember where a stream was moved to last, and record the next ones of its kind from there. What
            // somebody else moved meanwhile stays where it is.
            capture.beforeEnd = { [weak capture] in if capture?.source == source { moveBack() } }
        }
    }
}
