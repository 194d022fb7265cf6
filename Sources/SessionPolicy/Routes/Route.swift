/// One end of a route, at one moment.
package struct RoutePort: Hashable, Sendable {
    /// What it is.
    package let kind: PortKind
    /// The name for programs; the same device has the same one after it was away.
    package let uid: String
    /// The name for people.
    package let name: String
    /// The server's name of the sink or source that it belongs to.
    package let device: String
    /// Core Audio's label of each channel, in the device's order.
    package let channels: [UInt32]
    /// Frames per second of the device, in Hz.
    package let rate: Int
    /// The server's number of the card that it belongs to; nil for software, or where nobody knows.
    package let card: UInt32?
    /// The connectors that it can take its sound from, where there are several.
    package let dataSources: [DataSource]
    /// The one of them that is in use, by the server's name.
    package let selectedDataSource: String?
    /// The card's connector that is in use, whichever device of the card shows it; nil where there is none.
    package let connector: String?

    /// One of several connectors of a source, or several that are one microphone switched in several ways.
    package struct DataSource: Hashable, Sendable {
        /// The server's name for it, or for the first of several.
        package let port: String
        /// The name for people.
        package let name: String
        /// The polar patterns to choose from; none where there is no choice.
        package let patterns: [Pattern]
        /// Its number among all of the source, from 1, whatever is plugged in.
        package let number: Int

        /// A polar pattern, and the connector that stands for it.
        package struct Pattern: Hashable, Sendable {
            /// Apple's name for it.
            package let name: String
            /// The server's name of the connector.
            package let port: String
        }

        /// A connector of these names.
        package init(port: String, name: String, patterns: [Pattern] = [], number: Int = 1) {
            self.port = port
            self.name = name
            self.patterns = patterns
            self.number = number
        }

        /// Whether sound comes from it while this connector is in use.
        package func contains(_ port: String) -> Bool {
            port == self.port || patterns.contains { $0.port == port }
        }
    }

    /// A port with these values.
    package init(
        kind: PortKind, uid: String, name: String, device: String, channels: [UInt32], rate: Int, card: UInt32? = nil,
        dataSources: [DataSource] = [], selectedDataSource: String? = nil, connector: String? = nil
    ) {
        self.kind = kind
        self.uid = uid
        self.name = name
        self.device = device
        self.channels = channels
        self.rate = rate
        self.card = card
        self.dataSources = dataSources
        self.selectedDataSource = selectedDataSource
        self.connector = connector
    }

    /// What tells that it is there, as named in ``RouteFacts/present``.
    var signs: [String] { [uid] + [connector].compactMap { $0 } }

    /// Whether it is there: a card that is used in another way makes another device of the same connector, or none.
    func isPresent(among present: Set<String>) -> Bool { !present.isDisjoint(with: signs) }

    /// Whether who chose a port of this name is to have this one.
    ///
    /// The speaker of a simulation stands for whichever port of its sink: sound goes nowhere else for it.
    func grants(_ chosen: String) -> Bool {
        uid == chosen
            || uid == RouteFacts.pretendedSpeaker && (chosen == device || chosen.hasPrefix(device + ":"))
    }

    /// What apps see of it in a list of inputs: the rate is the session's, and cards are nobody's business.
    package var asInput: RoutePort {
        RoutePort(
            kind: kind, uid: uid, name: name, device: device, channels: channels, rate: 0, dataSources: dataSources,
            selectedDataSource: selectedDataSource)
    }

    /// Whether it is the same port, whatever its channels and rate are.
    func isSame(as other: RoutePort) -> Bool { uid == other.uid && kind == other.kind }
}

/// Where a session's sound comes from and goes to: a function of everything that is known.
///
/// | | the category has it | what it is |
/// |---|---|---|
/// | output | all but record | where our stream is; else the default sink's port in use |
/// | several outputs | multiRoute | see ``RouteFacts/simultaneousOutputs``; before them the one that the app chose, if it is another |
/// | input | record, playAndRecord, multiRoute | where our streams record; else the preferred one, if it is there; else, for multiRoute, see ``RouteFacts/lastInput``; else the default |
package struct Route: Hashable, Sendable {
    /// Where sound comes from; empty where the session records nothing, or where there is nothing to record from.
    package let inputs: [RoutePort]
    /// Where sound goes; empty where the session plays nothing, or where nothing is there.
    package let outputs: [RoutePort]

    /// A route of these ports.
    package init(inputs: [RoutePort], outputs: [RoutePort]) {
        self.inputs = inputs
        self.outputs = outputs
    }

    /// The route under these settings, of facts that grant what is wished.
    package init(_ facts: RouteFacts, settings: SessionSettings, preferredInput: String? = nil) {
        if settings.category == .multiRoute {
            outputs = facts.mainOutputBesidePair + facts.simultaneousOutputs
        } else {
            outputs = settings.allowsOutput ? [facts.output].compactMap { $0 } : []
        }
        inputs = settings.allowsInput ? facts.inputs(preferring: preferredInput) : []
    }

    /// All ports.
    var ports: [RoutePort] { inputs + outputs }

    /// Whether the ports are the same, whatever their details are.
    package func isSame(as other: Route) -> Bool {
        Self.areSame(inputs, other.inputs) && Self.areSame(outputs, other.outputs)
    }

    private static func areSame(_ some: [RoutePort], _ others: [RoutePort]) -> Bool {
        some.count == others.count && zip(some, others).allSatisfy { $0.isSame(as: $1) }
    }
}

/// What the sound server says that matters to the route.
package struct RouteFacts: Hashable, Sendable {
    /// The port in use of each sink.
    package var sinks: [RoutePort] = []
    /// The port in use of each source.
    package var sources: [RoutePort] = []
    /// The names of all ports and of all connectors of cards that something is plugged into, in use or not.
    package var present: Set<String> = []
    /// In which order the sources came, by their devices' names: a higher number came later.
    package var arrivals: [String: UInt64] = [:]
    /// The numbers of the cards that are Bluetooth's, whether or not they have a sink now.
    package var bluetoothCards: Set<UInt32> = []
    /// The names of the sink and the source that streams without a wish get.
    package var defaultSink: String?
    package var defaultSource: String?
    /// The sink that our stream is on; nil without one.
    package var sinkInUse: String?
    /// The sources that our streams record from.
    package var sourcesInUse: [String] = []

    package init() {}

    /// Whether our streams are somewhere: while a server moves one it is nowhere for a moment.
    package var isSettled: Bool {
        let known = Set((sinks + sources).map(\.device))
        return (sourcesInUse + [sinkInUse].compactMap { $0 }).allSatisfy(known.contains)
    }

    /// Takes a stream that is nowhere for one that is where the server would put it.
    package mutating func forgetUnknownDevices() {
        let known = Set((sinks + sources).map(\.device))
        sinkInUse = sinkInUse.flatMap { known.contains($0) ? $0 : nil }
        sourcesInUse = sourcesInUse.filter(known.contains)
    }

    /// The name of the speaker that nobody sees, see ``pretendUnplugged()``.
    static let pretendedSpeaker = "simulated.speaker"

    /// As if what is in use had been pulled, and sound came out of a speaker that nobody sees.
    package mutating func pretendUnplugged() {
        guard let port = output, let index = sinks.firstIndex(of: port) else { return }
        let speaker = Self.pretendedSpeaker
        sinks[index] = RoutePort(
            kind: .speaker, uid: speaker, name: "Speaker (simulated)", device: port.device, channels: port.channels,
            rate: port.rate)
        present.subtract(port.signs)
        present.insert(speaker)
    }

    var output: RoutePort? {
        let device = sinkInUse ?? defaultSink
        return sinks.first { $0.device == device }
    }

    func inputs(preferring preferred: String?) -> [RoutePort] {
        // Several recorders may share one.
        let used = sourcesInUse.reduce(into: [RoutePort]()) { used, name in
            guard let port = sources.first(where: { $0.device == name }), !used.contains(port) else { return }
            used.append(port)
        }
        if !used.isEmpty { return used }
        let wanted = [preferred, defaultSource].lazy.compactMap { name in self.sources.first { $0.device == name } }
        return wanted.first.map { [$0] } ?? []
    }
}

extension SessionSettings {
    /// Whether such a session can be what the system takes for the one that plays: not one that mixes.
    var isInterruptedByDisconnect: Bool { category == .playback && !isMixable }
}
