internal import AudioHost
internal import PulseClient
internal import SessionPolicy

extension InputDevice {
    init(_ source: Source, isDefault: Bool) {
        self.init(
            name: source.name, description: source.description, kind: PortKind(source), isDefault: isDefault,
            isMonitor: source.monitorOf != nil, rate: source.spec.map { Int($0.rate) } ?? 48000,
            channels: source.map.positions.count)
    }
}
