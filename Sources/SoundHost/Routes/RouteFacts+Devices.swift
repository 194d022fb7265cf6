internal import AudioHost
internal import AudioRealtime
internal import PulseClient
internal import SessionPolicy

extension RoutePort {
    /// Creates the port for a sink's active port.
    init(_ sink: Sink) {
        self.init(
            kind: PortKind(sink), uid: Self.uid(sink.name, sink.activePort, of: sink.ports),
            name: Self.name(sink.description, sink.activePort, of: sink.ports), device: sink.name,
            channels: sink.map.positions.map { $0.label }, rate: sink.spec.map { Int($0.rate) } ?? 48_000,
            card: sink.card, connector: Self.connector(sink.activePort, ofCard: sink.card))
    }

    /// Creates the port of a source.
    ///
    /// All its ports are data sources of the one port, whichever is active.
    init(_ source: Source) {
        self.init(
            kind: PortKind(source), uid: source.name, name: source.description, device: source.name,
            channels: source.map.positions.map { $0.label }, rate: source.spec.map { Int($0.rate) } ?? 48_000,
            card: source.card, dataSources: Self.dataSources(source.ports),
            selectedDataSource: source.ports.count > 1 ? source.activePort : nil,
            connector: Self.connector(source.activePort, ofCard: source.card))
    }

    /// The data sources of the available ports.
    ///
    /// Unavailable ports are counted, so that the numbers of the others stay.
    private static func dataSources(_ ports: [Port]) -> [DataSource] {
        guard ports.count > 1 else { return [] }
        func grouped(_ some: [Port]) -> [DataSource] { DataSource.grouped(some.map { ($0.name, $0.description) }) }
        let all = grouped(ports)
        return grouped(ports.filter { $0.availability != .no }).map { source in
            let number = all.firstIndex { $0.contains(source.port) }.map { $0 + 1 } ?? source.number
            return DataSource(port: source.port, name: source.name, patterns: source.patterns, number: number)
        }
    }

    /// The identifier of a port: the device's name if the device has at most one connector.
    static func uid(_ device: String, _ port: String?, of ports: [Port]) -> String {
        ports.count > 1 ? port.map { "\(device):\($0)" } ?? device : device
    }

    /// The name of a card's connector, which stays the same in all profiles of the card.
    static func connector(_ port: String?, ofCard card: UInt32?) -> String? {
        guard let port, let card else { return nil }
        return "card \(card): \(port)"
    }

    private static func name(_ device: String, _ port: String?, of ports: [Port]) -> String {
        guard ports.count > 1, let used = ports.first(where: { $0.name == port }) else { return device }
        return used.description
    }
}

extension RouteFacts {
    /// Creates the facts of devices and cards, without the devices in use.
    ///
    /// Sinks for roles are no devices, and neither are their monitors.
    init(sinks allSinks: some Collection<Sink>, sources allSources: some Collection<Source>, cards: [Card] = []) {
        self.init()
        let sinks = allSinks.filter { !$0.isForRoles }
        let noDevices = Set(allSinks.lazy.filter(\.isForRoles).map(\.name))
        let sources =
            noDevices.isEmpty
            ? Array(allSources) : allSources.filter { $0.monitorOf.map(noDevices.contains) != true }
        self.sinks = sinks.map { RoutePort($0) }.sorted { $0.device < $1.device }
        self.sources = sources.map { RoutePort($0) }.sorted { $0.device < $1.device }
        for sink in sinks {
            // A device with one connector vanishes when that is unplugged, or stays and reports it as unavailable.
            if sink.ports.isEmpty { present.insert(sink.name) }
            for port in sink.ports where port.availability != .no {
                present.insert(RoutePort.uid(sink.name, port.name, of: sink.ports))
            }
            present.formUnion(Self.plugged(sink.ports, ofCard: sink.card))
        }
        for source in sources {
            // PipeWire reuses the indexes of removed devices; its serial numbers are unique.
            arrivals[source.name] = source.properties["object.serial"].flatMap { UInt64($0) } ?? UInt64(source.index)
            // A device with several connectors stays when one is unplugged: only the connectors count then.
            let connector = RoutePort.connector(source.activePort, ofCard: source.card)
            if source.ports.count < 2 || connector == nil { present.insert(source.name) }
            present.formUnion(Self.plugged(source.ports, ofCard: source.card))
        }
        for card in cards {
            present.formUnion(Self.plugged(card.unusedPorts, ofCard: card.index))
            promised.formUnion(Self.plugged(card.usedPorts, ofCard: card.index))
        }
    }

    /// Sets the defaults for streams without a device of their own.
    ///
    /// libpulse itself replaces the server's defaults by those of the environment.
    mutating func setDefaults(sink: String?, source: String?) {
        func usual(_ variable: String, among ports: [RoutePort]) -> String? {
            AppIdentity.environment(variable).flatMap { name in ports.first { $0.device == name }?.device }
        }
        defaultSink = usual("PULSE_SINK", among: sinks) ?? sink
        defaultSource = usual("PULSE_SOURCE", among: sources) ?? source
    }

    private static func plugged(_ ports: [Port], ofCard card: UInt32?) -> [String] {
        ports.filter { $0.availability != .no }.compactMap { RoutePort.connector($0.name, ofCard: card) }
    }
}

extension Card {
    /// The connectors that no device shows because the card's profile does not use them.
    ///
    /// Only these explain a missing device without an unplugged connector. If the active profile has the connector, the
    /// device was unplugged, and the card vanishes next or does not know yet. A card that is off has no profile in use.
    /// A Bluetooth headset that is switched off may leave one profile before the other, so only its devices count.
    fileprivate var unusedPorts: [Port] {
        guard let profile = fixedProfile else { return [] }
        return ports.filter { port in
            let devices = port.directions.contains(.output) ? profile.sinks : profile.sources
            return devices > 0 && !port.profiles.isEmpty && !port.profiles.contains(profile.name)
        }
    }

    /// The connectors of the card's profile.
    fileprivate var usedPorts: [Port] {
        guard let profile = fixedProfile else { return [] }
        return ports.filter { $0.profiles.contains(profile.name) }
    }

    /// The active profile; nil for a Bluetooth card.
    private var fixedProfile: Card.Profile? {
        properties["device.bus"] == "bluetooth" ? nil : profiles.first { $0.name == activeProfile }
    }
}

extension ChannelMap.Position {
    /// Core Audio's label.
    fileprivate var label: UInt32 {
        switch self {
        case .mono: 42
        case .frontLeft: 1
        case .frontRight: 2
        case .frontCenter: 3
        case .lfe: 4
        case .rearLeft: 5
        case .rearRight: 6
        case .frontLeftOfCenter: 7
        case .frontRightOfCenter: 8
        case .rearCenter: 9
        case .sideLeft: 10
        case .sideRight: 11
        case .topCenter: 12
        case .topFrontLeft: 13
        case .topFrontCenter: 14
        case .topFrontRight: 15
        case .topRearLeft: 16
        case .topRearRight: 18
        case .topRearCenter: 17
        // Auxiliary channels: `kAudioChannelLabel_Unknown`.
        default: 0xFFFF_FFFF
        }
    }
}
