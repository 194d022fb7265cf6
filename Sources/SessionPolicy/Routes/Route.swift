/// One end of a route, at one moment.
package struct RoutePort: Hashable, Sendable {
    /// The kind of the port.
    package let kind: PortKind
    /// The unique ID; a device that returns has the same one.
    package let uid: String
    /// The name to display.
    package let name: String
    /// The server's name of its sink or source.
    package let device: String
    /// Core Audio's label of each channel, in the device's order.
    package let channels: [UInt32]
    /// Frames per second of the device, in Hz.
    package let rate: Int
    /// The server's index of the port's card; nil for software, or if it is unknown.
    package let card: UInt32?
    /// The data sources of the port, if there are several.
    package let dataSources: [DataSource]
    /// The data source in use, by the server's name.
    package let selectedDataSource: String?
    /// The card's active connector, whichever of its devices has it; nil without one.
    package let connector: String?

    /// A data source: one of several ports of a source, or several that are one microphone with polar patterns.
    package struct DataSource: Hashable, Sendable {
        /// The server's name of the connector, or of the first of several.
        package let port: String
        /// The name to display.
        package let name: String
        /// The polar patterns to choose from; empty without a choice.
        package let patterns: [Pattern]
        /// The number among the source's data sources, from 1, whatever is plugged in.
        package let number: Int

        /// A polar pattern, with the connector that selects it.
        package struct Pattern: Hashable, Sendable {
            /// Apple's name of the pattern.
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

        /// Whether this connector is one of the data source's.
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

    /// The names under which the port is listed in ``RouteFacts/present``.
    var signs: [String] { [uid] + [connector].compactMap { $0 } }

    /// Whether the port is present; with another profile its card may have another device for the same connector, or
    /// none.
    func isPresent(among present: Set<String>) -> Bool { !present.isDisjoint(with: signs) }

    /// Whether the port is the server's dummy device, which is there while there is no other, or that one's monitor.
    ///
    /// PulseAudio's and PipeWire's `module-always-sink` names it so.
    var isFallback: Bool { ["auto_null", "auto_null.monitor"].contains(device) }

    /// Whether a choice of the port with this uid refers to this port.
    ///
    /// The simulated speaker represents every port of its sink, as sound goes nowhere else during the simulation.
    func grants(_ chosen: String) -> Bool {
        uid == chosen
            || uid == RouteFacts.pretendedSpeaker && (chosen == device || chosen.hasPrefix(device + ":"))
    }

    /// The port as apps see it in a list of inputs, without rate and card.
    package var asInput: RoutePort {
        RoutePort(
            kind: kind, uid: uid, name: name, device: device, channels: channels, rate: 0, dataSources: dataSources,
            selectedDataSource: selectedDataSource)
    }

    /// Whether two values are the same port, with possibly different channels and rates.
    func isSame(as other: RoutePort) -> Bool { uid == other.uid && kind == other.kind }
}

/// The inputs and outputs of a session, a function of the route facts and the settings.
///
/// | | categories that have it | value |
/// |---|---|---|
/// | output | all but record | where our stream is; else the default sink's port in use |
/// | several outputs | multiRoute | see ``RouteFacts/simultaneousOutputs``; before them the one that the app chose, if it is another |
/// | input | record, playAndRecord, multiRoute | where our streams record; else the preferred one, if it is there; else, for multiRoute, see ``RouteFacts/lastInput``; else the default |
package struct Route: Hashable, Sendable {
    /// The inputs; empty if the session does not record, or without a source.
    package let inputs: [RoutePort]
    /// The outputs; empty if the session does not play, or without a sink.
    package let outputs: [RoutePort]

    /// A route of these ports.
    package init(inputs: [RoutePort], outputs: [RoutePort]) {
        self.inputs = inputs
        self.outputs = outputs
    }

    /// The route under these settings, given facts that follow the preferences.
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

    /// Whether two routes have the same ports, with possibly different details.
    package func isSame(as other: Route) -> Bool {
        Self.areSame(inputs, other.inputs) && Self.areSame(outputs, other.outputs)
    }

    private static func areSame(_ some: [RoutePort], _ others: [RoutePort]) -> Bool {
        some.count == others.count && zip(some, others).allSatisfy { $0.isSame(as: $1) }
    }
}

/// The sound server's facts from which a route is derived.
package struct RouteFacts: Hashable, Sendable {
    /// The port in use of each sink.
    package var sinks: [RoutePort] = []
    /// The port in use of each source.
    package var sources: [RoutePort] = []
    /// The names of all present ports, and of all connectors with something plugged in, in use or not.
    package var present: Set<String> = []
    /// The connectors with something plugged in that the profiles of cards promise, whether or not their devices are there.
    package var promised: Set<String> = []
    /// The order in which sources appeared, by device name: a higher number came later.
    package var arrivals: [String: UInt64] = [:]
    /// The indexes of Bluetooth cards, whether or not they have a sink now.
    package var bluetoothCards: Set<UInt32> = []
    /// The name of the default sink.
    package var defaultSink: String?
    /// The name of the default source.
    package var defaultSource: String?
    /// The sink that our stream is on; nil without one.
    package var sinkInUse: String?
    /// The sources that our streams record from.
    package var sourcesInUse: [String] = []

    package init() {}

    /// Whether the devices of all streams of the session are known; a stream has none for a moment while a server moves
    /// it.
    package var isSettled: Bool {
        let known = Set((sinks + sources).map(\.device))
        return (sourcesInUse + [sinkInUse].compactMap { $0 }).allSatisfy(known.contains)
    }

    /// Clears unknown devices of the session's streams, which then count as being on the defaults.
    package mutating func forgetUnknownDevices() {
        let known = Set((sinks + sources).map(\.device))
        sinkInUse = sinkInUse.flatMap { known.contains($0) ? $0 : nil }
        sourcesInUse = sourcesInUse.filter(known.contains)
    }

    /// The name of the simulated speaker, see ``pretendUnplugged()``.
    static let pretendedSpeaker = "simulated.speaker"

    /// Simulates that the output in use was unplugged, and that sound comes out of a speaker instead.
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
        // Several recorders may use the same source.
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
    /// Whether a session with these settings can be the system's now playing one: not if it mixes.
    var isInterruptedByDisconnect: Bool { category == .playback && !isMixable }
}
