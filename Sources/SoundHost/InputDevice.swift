internal import PulseClient

/// A source that can be recorded from.
package struct InputDevice: Hashable, Sendable {
    /// What the microphone is connected by.
    package enum Kind: Hashable, Sendable {
        /// Built into the computer.
        case builtInMicrophone
        /// A microphone or headset on a jack.
        case wiredMicrophone
        /// A line input.
        case lineIn
        /// USB.
        case usb
        /// Bluetooth.
        case bluetooth
        /// HDMI.
        case hdmi
        /// FireWire.
        case fireWire
        /// Thunderbolt.
        case thunderbolt
        /// A card inside the computer.
        case pci
        /// Nothing: software, or a sink's monitor.
        case virtual
    }

    /// The server's name for it, stable across restarts.
    package let name: String
    /// The name that people see.
    package let description: String
    /// What it is connected by.
    package let kind: Kind
    /// Whether it is what a stream without a wish would get.
    package let isDefault: Bool
    /// Whether it hears what a sink plays.
    package let isMonitor: Bool
    /// The source's own rate, in Hz.
    package let rate: Int
    /// The source's own number of channels.
    package let channels: Int

    init(_ source: Source, isDefault: Bool) {
        name = source.name
        description = source.description
        kind = Kind(source)
        self.isDefault = isDefault
        isMonitor = source.monitorOf != nil
        rate = source.spec.map { Int($0.rate) } ?? 48000
        channels = source.map.positions.count
    }
}

extension InputDevice.Kind {
    /// The bus tells more than the connector; the connector in use more than the shape of the device.
    init(_ source: Source) {
        let properties = source.properties
        guard source.monitorOf == nil, source.card != nil || properties["device.api"] != nil else {
            self = .virtual
            return
        }
        switch properties["device.bus"] {
        case "bluetooth": self = .bluetooth
        case "usb": self = .usb
        case "firewire": self = .fireWire
        case "thunderbolt": self = .thunderbolt
        default: self = Self(port: source.ports.first { $0.name == source.activePort }, properties)
        }
    }

    private init(port: Port?, _ properties: PropertyList) {
        switch port?.kind {
        case .line, .aux, .radio, .analog: self = .lineIn
        case .headset: self = .wiredMicrophone
        case .hdmi, .tv, .video: self = .hdmi
        case .bluetooth, .handsfree: self = .bluetooth
        case .usb: self = .usb
        // A jack's name says that it is one; without a jack the microphone is inside.
        case .mic: self = port?.name.contains("internal") == true ? .builtInMicrophone : .wiredMicrophone
        default:
            switch properties["device.form_factor"] {
            case "internal", "microphone", "webcam": self = .builtInMicrophone
            case "headset", "headphone": self = .wiredMicrophone
            default: self = properties["device.bus"] == "pci" ? .pci : .builtInMicrophone
            }
        }
    }
}
