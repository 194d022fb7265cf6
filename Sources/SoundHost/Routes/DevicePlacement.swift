internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The devices that the session's streams are to be on: weighs the app's preferences, the session's settings and the
/// server's devices.
///
/// A decision is acted on only when it changes, so that a user who moves a stream in a mixer wins. Nobody else's streams
/// are ever moved.
///
/// Only touched with the main loop's lock held.
final class DevicePlacement {
    /// A decision, and what has changed with it.
    struct Decision {
        /// The facts, with the devices that streams still to come will be on as the defaults.
        let facts: RouteFacts
        /// The sink for the output, where that is another than before; `.some(nil)` leaves it to the server.
        let newSink: String??
        /// The source for recordings, likewise.
        let newSource: String??
        /// The app's preferences that have come to their end.
        let events: [HostEvent]
    }

    private let link: ServerLink
    private let board: ClaimBoard
    private var preference = OutputPreference()
    /// The source that the app prefers; nil for the server's default.
    private(set) var preferredInput: String?
    /// Whether the session has a long-form policy, of which claims say nothing.
    private var isLongForm = false
    /// The output that long-form sessions share, as far as it is known.
    private var shared: SharedChoice?
    /// The sink and source last decided on; nil means the server's default.
    private var decided: (sink: String?, source: String?) = (nil, nil)
    private var monitor: OtherProgramsMonitor?

    init(link: ServerLink, board: ClaimBoard) {
        self.link = link
        self.board = board
    }

    /// Takes over what watches the devices, on a new connection; nil when that is gone.
    func attach(_ monitor: OtherProgramsMonitor?) { self.monitor = monitor }

    /// Whether the devices are decided on whenever they change.
    var isWatched: Bool { monitor?.routes.route != nil }

    // MARK: Preferences

    /// Takes over where the app wants its output; with a long-form policy the choice is all such sessions'.
    ///
    /// Returns whether the devices are to be looked at again.
    func setPreference(_ new: OutputPreference, isLongForm: Bool) -> Bool {
        let new = preference.followed(by: new)
        guard new != preference || isLongForm != self.isLongForm else { return false }
        let isChoice = new.choices != preference.choices
        preference = new
        self.isLongForm = isLongForm
        if isLongForm { isChoice ? share(new.chosen) : publishChoice() }
        return true
    }

    /// Has recordings come from a source, if it is there; nil for the server's default.
    ///
    /// Returns whether that is news.
    func setPreferredInput(_ source: String?) -> Bool {
        guard source != preferredInput else { return false }
        preferredInput = source
        return true
    }

    /// Forgets all preferences: the server is gone, and with it their devices, which the next one may have again.
    func forget() {
        preferredInput = nil
        preference = OutputPreference()
        decided = (nil, nil)
        isLongForm = false
        shared = nil
    }

    /// Forgets the sink that was decided on: it may be gone when it is asked for again.
    func forgetSink() { decided.sink = nil }

    // MARK: Deciding

    /// Decides where streams are to be, from everything that is known of the devices.
    func decide(from facts: RouteFacts) -> Decision {
        var events: [HostEvent] = []
        if let preferred = preferredInput, !facts.sources.contains(where: { $0.device == preferred }) {
            // A device that comes back is not taken again behind the app's back.
            preferredInput = nil
            events.append(.preferredInputLost)
        }
        if preference.endsOverride(with: facts) { events.append(.overrideEnded) }
        let old = decided
        decided = devices(from: facts, under: board.claim.settings)
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

    /// Whether a new output may have to be elsewhere than on the default sink under the settings that others know.
    var mayChooseSink: Bool { mayChooseSink(under: board.claim.settings) }

    /// Whether a new output may have to be elsewhere than on the default sink.
    ///
    /// Hardly any app prefers that, and the others need not wait for the server's answers.
    func mayChooseSink(under settings: SessionSettings) -> Bool {
        AppIdentity.environment("PULSE_SINK") != nil || !preference.isEmpty || preferredInput != nil
            || settings.mayBeElsewhere || isLongForm && shared != nil
    }

    /// Returns the sink that a new output is to be on, asking the server if need be; nil for the default one.
    ///
    /// - Parameter sinkInUse: The sink that the output is on now.
    func sinkToOpen(on connection: PulseConnection, sinkInUse: String?) throws(PulseError) -> String? {
        guard mayChooseSink else { return nil }
        // Captures that there are go elsewhere when the devices are placed.
        let facts = try RouteFacts.asked(of: connection, sinkInUse: sinkInUse)
        decided.sink = devices(from: facts, under: board.claim.settings).sink
        return decided.sink ?? AppIdentity.environment("PULSE_SINK")
    }

    /// Returns the source that a new recording without one of its own is to come from; nil for the default one.
    ///
    /// Where nobody has looked yet it is found out first: a headset changes over for whatever is on its microphone for a
    /// moment.
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

    /// Takes over what a client says of the output that long-form sessions share; returns whether the devices are to be
    /// looked at again.
    func choiceSeen(_ properties: PropertyList?) -> Bool {
        guard let choice = properties?[SharedChoice.property].flatMap(SharedChoice.init) else { return false }
        if let shared, choice <= shared { return false }
        shared = choice
        guard isLongForm else { return false }
        publishChoice()
        return true
    }

    /// The user chose an output in this app, which is to be that of all long programmes.
    private func share(_ port: String?) {
        // It is left to the server anyway, also in an app that says so before it plays at all.
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
    /// Asks the server for everything that matters to the route; recordings under way do not count.
    ///
    /// - Parameters:
    ///   - connection: The session's.
    ///   - sinkInUse: The sink that the output is on.
    ///   - deadline: The time by which the server is to have answered all of it.
    static func asked(
        of connection: PulseConnection, sinkInUse: String?, until deadline: AnswerDeadline = AnswerDeadline()
    ) throws(PulseError) -> RouteFacts {
        var facts = try connection.sync { connection throws(PulseError) in
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
            return facts
        }
        facts.sinkInUse = sinkInUse
        return facts
    }
}
