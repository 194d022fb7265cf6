internal import AudioRealtime
internal import PulseClient
internal import SessionPolicy

extension RoutePort {
    /// The port in use of a sink.
    init(_ sink: Sink) {
        self.init(
            kind: PortKind(sink), uid: Self.uid(sink.name, sink.activePort, of: sink.ports),
            name: Self.name(sink.description, sink.activePort, of: sink.ports), device: sink.name,
            channels: sink.map.positions.map { $0.label }, rate: sink.spec.map { Int($0.rate) } ?? 48_000,
            card: sink.card)
    }

    /// A source; those of its ports that are not in use are its data sources, so it is one port whatever is in use.
    init(_ source: Source) {
        self.init(
            kind: PortKind(source), uid: source.name, name: source.description, device: source.name,
            channels: source.map.positions.map { $0.label }, rate: source.spec.map { Int($0.rate) } ?? 48_000,
            card: source.card, dataSources: Self.dataSources(source.ports),
            selectedDataSource: source.ports.count > 1 ? source.activePort : nil)
    }

    /// What is not plugged in cannot be chosen.
    private static func dataSources(_ ports: [Port]) -> [DataSource] {
        guard ports.count > 1 else { return [] }
        return DataSource.grouped(ports.filter { $0.availability != .no }.map { ($0.name, $0.description) })
    }

    /// A device with one connector, or none, is its connector.
    static func uid(_ device: String, _ port: String?, of ports: [Port]) -> String {
        ports.count > 1 ? port.map { "\(device):\($0)" } ?? device : device
    }

    private static func name(_ device: String, _ port: String?, of ports: [Port]) -> String {
        guard ports.count > 1, let used = ports.first(where: { $0.name == port }) else { return device }
        return used.description
    }
}

extension RouteFacts {
    /// What these devices say; who uses them is to be added.
    init(sinks: some Collection<Sink>, sources: some Collection<Source>) {
        self.init()
        self.sinks = sinks.map { RoutePort($0) }.sorted { $0.device < $1.device }
        self.sources = sources.map { RoutePort($0) }.sorted { $0.device < $1.device }
        for sink in sinks {
            guard sink.ports.count > 1 else {
                // A device with one connector goes when that is pulled, or stays and says so.
                if sink.ports.first?.availability != .no { present.insert(sink.name) }
                continue
            }
            for port in sink.ports where port.availability != .no {
                present.insert(RoutePort.uid(sink.name, port.name, of: sink.ports))
            }
        }
        for source in sources { present.insert(source.name) }
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
        case .aux0: 0xFFFF_FFFF
        }
    }
}
