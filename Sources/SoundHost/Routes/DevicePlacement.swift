internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The devices for the session's streams, chosen from the app's preferences, the session's settings and the server's
/// devices.
///
/// A decision is applied only when it changes, so that a user's move in a mixer stays. Streams of others are never
/// moved.
///
/// Only touched with the main loop's lock held.
final class DevicePlacement {
    /// A decision, and its changes to the previous one.
    struct Decision {
        /// The facts, with the devices of future streams as the defaults.
        let facts: RouteFacts
        /// The new sink for the output; nil without a change, `.some(nil)` for the server's default.
        let newSink: String??
        /// The new source for recordings, likewise.
        let newSource: String??
        /// The preferences of the app that have ended.
        let events: [HostEvent]
    }

    private let link: ServerLink
    private let board: ClaimBoard
    private var preference = OutputPreference()
    /// The source that the app prefers; nil for the server's default.
    private(set) var preferredInput: String?
    /// Whether the session has a long-form policy, which claims do not contain.
    private var isLongForm = false
    /// The output shared by long-form sessions, if it is known.
    private var shared: SharedChoice?
    /// The sink and source last decided on; nil means the server's default.
    private var decided: (sink: String?, source: String?) = (nil, nil)
    private var monitor: OtherProgramsMonitor?

    init(link: ServerLink, board: ClaimBoard) {
        self.link = link
        self.board = board
    }

    /// Attaches the monitor of a new connection; nil after its loss.
    func attach(_ monitor: OtherProgramsMonitor?) { self.monitor = monitor }

    /// Whether the placement is decided again after each change of the devices.
    var isWatched: Bool { monitor?.routes.route != nil }

    // MARK: Preferences

    /// Sets the app's output preference; with a long-form policy it applies to all long-form sessions.
    ///
    /// Returns whether the placement must be decided again.
    func setPreference(_ new: OutputPreference, isLongForm: Bool) -> Bool {
        let new = preference.followed(by: new)
        guard new != preference || isLongForm != self.isLongForm else { return false }
        let isChoice = new.choices != preference.choices
        preference = new
        self.isLongForm = isLongForm
        if isLongForm { isChoice ? share(new.chosen) : publishChoice() }
        return true
    }

    /// Sets the source for recordings, if it exists; nil for the server's default.
    ///
    /// Returns whether it has changed.
    func setPreferredInput(_ source: String?) -> Bool {
        guard source != preferredInput else { return false }
        preferredInput = source
        return true
    }

    /// Clears all preferences after the loss of the server, as a new server may have devices of the same names.
    func forget() {
        preferredInput = nil
        preference = OutputPreference()
        decided = (nil, nil)
        isLongForm = false
        shared = nil
    }

    /// Clears the decided sink, which may be gone by the next request.
    func forgetSink() { decided.sink = nil }

    // MARK: Decisions

    /// Decides the placement of streams from all facts of the devices, for the settings that the route follows.
    func decide(from facts: RouteFacts, under settings: SessionSettings) -> Decision {
        var events: [HostEvent] = []
        if let preferred = preferredInput, !facts.sources.contains(where: { $0.device == preferred }) {
            // A device that returns is not selected again without the app.
            preferredInput = nil
            events.append(.preferredInputLost)
        }
        if preference.endsOverride(with: facts) { events.append(.overrideEnded) }
        let old = decided
        decided = devices(from: facts, under: settings)
        let (sink, source) = (
            decided.sink ?? AppIdentity.environment("PULSE_SINK"),
            decided.source ?? AppIdentity.environment("PULSE_SOURCE")
        )
        return Decision(
            facts: facts.granting(decided), newSink: decided.sink == old.sink ? nil : .some(sink),
            newSource: decided.source == old.source ? nil : .some(source), events: events)
    }

    /// The devices for streams under these settings; nil for the server's default.
    func devices(from facts: RouteFacts, under settings: SessionSettings) -> (sink: String?, source: String?) {
        let preference = preference.sharing(isLongForm ? shared : nil)
        return (
            facts.wantedSink(preference, settings: settings, preferredInput: preferredInput),
            facts.wantedSource(preference, settings: settings, preferredInput: preferredInput)
        )
    }

    /// The sink last decided on; nil for the server's default.
    var decidedSink: String? { decided.sink }

    /// Whether a new output may need another sink than the default, under the published settings.
    var mayChooseSink: Bool { mayChooseSink(under: board.claim.settings) }

    /// Whether a new output may need another sink than the default.
    ///
    /// This is rare, and all other apps need not wait for the server's answers.
    func mayChooseSink(under settings: SessionSettings) -> Bool {
        AppIdentity.environment("PULSE_SINK") != nil || !preference.isEmpty || preferredInput != nil
            || settings.mayBeElsewhere || isLongForm && shared != nil
    }

    /// Returns the sink for a new output, querying the server if necessary; nil for the default sink.
    ///
    /// - Parameter sinkInUse: The current sink of the output.
    func sinkToOpen(on connection: PulseConnection, sinkInUse: String?) throws(PulseError) -> String? {
        guard mayChooseSink else { return nil }
        // Existing captures are moved when the devices are placed.
        let facts = try RouteFacts.asked(of: connection, sinkInUse: sinkInUse)
        decided.sink = devices(from: facts, under: board.claim.settings).sink
        return decided.sink ?? AppIdentity.environment("PULSE_SINK")
    }

    /// Returns the source for a new recording without a source of its own; nil for the default source.
    ///
    /// If the devices are not monitored the server is queried first: even a short recording from a Bluetooth headset's
    /// microphone would switch the headset's profile.
    func sourceToOpen(
        on connection: PulseConnection, until deadline: AnswerDeadline = AnswerDeadline()
    ) throws(PulseError) -> String? {
        let settings = board.claim.settings
        let mayChoose = settings.category == .multiRoute || !settings.options.contains(.allowBluetoothHFP)
        if !isWatched, mayChoose {
            let facts = try RouteFacts.asked(of: connection, sinkInUse: nil, until: deadline)
            decided.source = devices(from: facts, under: settings).source
        }
        return decided.source
    }

    // MARK: The shared output

    /// Reads a client's choice of the output shared by long-form sessions; returns whether the placement must be
    /// decided again.
    func choiceSeen(_ properties: PropertyList?) -> Bool {
        guard let choice = properties?[SharedChoice.property].flatMap(SharedChoice.init) else { return false }
        if let shared, choice <= shared { return false }
        shared = choice
        guard isLongForm else { return false }
        publishChoice()
        return true
    }

    /// Shares the output chosen in this app with all long-form sessions.
    private func share(_ port: String?) {
        // Nil changes nothing if there is no choice; an app may set that before it ever plays.
        guard port != nil || shared?.port != nil else { return publishChoice() }
        shared = SharedChoice(port, after: shared)
        publishChoice()
    }

    private func publishChoice() {
        guard let choice = shared, let connection = try? link.readyConnection() else { return }
        connection.sync { $0.updateProperties([SharedChoice.property: choice.encoded]) }
    }
}

extension RouteFacts {
    /// Queries the server for all facts of the route, without running recordings.
    ///
    /// - Parameters:
    ///   - connection: The session's connection.
    ///   - sinkInUse: The current sink of the output.
    ///   - deadline: The time by which the server must have answered everything.
    static func asked(
        of connection: PulseConnection, sinkInUse: String?, until deadline: AnswerDeadline = AnswerDeadline()
    ) throws(PulseError) -> RouteFacts {
        try connection.sync { connection throws(PulseError) in
            let info = try connection.answerAndWait("pa_context_get_server_info", timeout: deadline.remaining) {
                connection.serverInfo(completion: $0)
            }
            let sinks = try connection.answerAndWait("pa_context_get_sink_info_list", timeout: deadline.remaining) {
                connection.sinks(completion: $0)
            }
            let sources = try connection.answerAndWait("pa_context_get_source_info_list", timeout: deadline.remaining) {
                connection.sources(completion: $0)
            }
            var facts = RouteFacts(sinks: sinks, sources: sources)
            facts.setDefaults(sink: info.defaultSink, source: info.defaultSource)
            facts.sinkInUse = sinkInUse
            if let role = sinks.first(where: { $0.name == sinkInUse && $0.isForRoles }) {
                let inputs = try connection.answerAndWait(
                    "pa_context_get_sink_input_info_list", timeout: deadline.remaining
                ) { connection.sinkInputs(completion: $0) }
                let roles = RoleSinks(among: sinks, inputs: inputs, defaultSink: info.defaultSink)
                let device = roles.device(behind: role.index)
                facts.sinkInUse = sinks.first { $0.index == device }?.name
            }
            return facts
        }
    }
}
