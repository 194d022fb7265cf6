package import PulseClient
package import SessionPolicy

// The port kinds of sinks and sources, for the rules for ports.

extension PortKind {
    /// The kind of a sink's active port.
    package init(_ sink: Sink) {
        let port = sink.ports.first { $0.name == sink.activePort }
        self.init(
            PortEvidence(
                isOutput: true, device: sink.name, driver: sink.driver, hasCard: sink.card != nil,
                properties: sink.properties.portEvidence, port: port?.name ?? "",
                connector: port.map { .init($0.kind) } ?? .unknown))
    }

    /// The kind of a source's active port.
    package init(_ source: Source) {
        let port = source.ports.first { $0.name == source.activePort }
        self.init(
            PortEvidence(
                isOutput: false, device: source.name, driver: source.driver, hasCard: source.card != nil,
                isMonitor: source.monitorOf != nil,
                properties: source.properties.portEvidence, port: port?.name ?? "",
                connector: port.map { .init($0.kind) } ?? .unknown))
    }
}

extension PropertyList {
    fileprivate var portEvidence: [String: String] {
        let keys = ["device.api", "device.bus", "device.form_factor", "bluetooth.protocol", "api.bluez5.profile"]
        return Dictionary(uniqueKeysWithValues: keys.compactMap { key in self[key].map { (key, $0) } })
    }
}

extension PortEvidence.Connector {
    fileprivate init(_ kind: Port.Kind) {
        switch kind {
        case .unknown: self = .unknown
        case .aux: self = .aux
        case .speaker: self = .speaker
        case .headphones: self = .headphones
        case .line: self = .line
        case .mic: self = .mic
        case .headset: self = .headset
        case .handset: self = .handset
        case .earpiece: self = .earpiece
        case .spdif: self = .spdif
        case .hdmi: self = .hdmi
        case .tv: self = .tv
        case .radio: self = .radio
        case .video: self = .video
        case .usb: self = .usb
        case .bluetooth: self = .bluetooth
        case .portable: self = .portable
        case .handsfree: self = .handsfree
        case .car: self = .car
        case .hifi: self = .hifi
        case .phone: self = .phone
        case .network: self = .network
        case .analog: self = .analog
        }
    }
}
