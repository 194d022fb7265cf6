internal import CPulse

/// A port of a device, such as its loudspeaker or its headphone jack.
///
/// PulseAudio: `pa_sink_port_info`, `pa_source_port_info`, `pa_card_port_info`.
public struct Port: Hashable, Sendable {
    /// Whether something is plugged in.
    ///
    /// PulseAudio: `pa_port_available_t`.
    public enum Availability: Hashable, Sendable {
        /// The hardware cannot detect it.
        case unknown
        /// Nothing is plugged in.
        case no
        /// Something is plugged in.
        case yes
    }

    /// The direction of sound.
    ///
    /// PulseAudio: `pa_direction_t`.
    public struct Directions: OptionSet, Hashable, Sendable {
        /// The bits of `PA_DIRECTION_…`.
        public let rawValue: UInt32

        /// Directions from their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Output of the computer.
        public static let output = Directions(rawValue: 1)
        /// Input of the computer.
        public static let input = Directions(rawValue: 2)
    }

    /// The kind of connector.
    ///
    /// PulseAudio: `pa_device_port_type_t`.
    public enum Kind: UInt32, Hashable, Sendable {
        /// Unknown.
        case unknown = 0
        /// An auxiliary connector.
        case aux
        /// A loudspeaker.
        case speaker
        /// Headphones.
        case headphones
        /// A line connector.
        case line
        /// A microphone.
        case mic
        /// A headset.
        case headset
        /// A handset.
        case handset
        /// An earpiece.
        case earpiece
        /// A digital connector (S/PDIF).
        case spdif
        /// HDMI or DisplayPort.
        case hdmi
        /// A television set.
        case tv
        /// A radio.
        case radio
        /// A video device.
        case video
        /// A USB connector.
        case usb
        /// Bluetooth.
        case bluetooth
        /// A portable device.
        case portable
        /// A hands-free set.
        case handsfree
        /// A car.
        case car
        /// A hi-fi system.
        case hifi
        /// A telephone.
        case phone
        /// The network.
        case network
        /// An analogue connector.
        case analog
    }

    /// The name used in commands, such as `analog-output-headphones`.
    public let name: String
    /// The name shown to users.
    public let description: String
    /// The priority with which the server chooses it.
    public let priority: UInt32
    /// Whether something is plugged in.
    public let availability: Availability
    /// The kind of connector; servers before version 14 do not say.
    public let kind: Kind
    /// Ports with the same group share one detector; nil for a port on its own.
    public let availabilityGroup: String?
    /// The direction of sound.
    public let directions: Directions
    /// The names of the profiles in which the port works; only for ports of a card.
    public let profiles: [String]
    /// The properties of the port; only for ports of a card.
    public let properties: PropertyList

    init(_ raw: pa_sink_port_info) {
        name = text(raw.name)
        description = text(raw.description)
        priority = raw.priority
        availability = Availability(raw.available)
        kind = Kind(rawValue: raw.type) ?? .unknown
        availabilityGroup = optionalText(raw.availability_group)
        directions = .output
        profiles = []
        properties = [:]
    }

    init(_ raw: pa_source_port_info) {
        name = text(raw.name)
        description = text(raw.description)
        priority = raw.priority
        availability = Availability(raw.available)
        kind = Kind(rawValue: raw.type) ?? .unknown
        availabilityGroup = optionalText(raw.availability_group)
        directions = .input
        profiles = []
        properties = [:]
    }

    init(_ raw: pa_card_port_info) {
        name = text(raw.name)
        description = text(raw.description)
        priority = raw.priority
        availability = Availability(raw.available)
        kind = Kind(rawValue: raw.type) ?? .unknown
        availabilityGroup = optionalText(raw.availability_group)
        directions = Directions(rawValue: UInt32(bitPattern: raw.direction))
        profiles = array(raw.profiles2, count: raw.n_profiles) { text($0.name) }
        properties = PropertyList(raw.proplist)
    }
}

extension Port.Availability {
    init(_ raw: Int32) {
        switch UInt32(bitPattern: raw) {
        case PA_PORT_AVAILABLE_NO.rawValue: self = .no
        case PA_PORT_AVAILABLE_YES.rawValue: self = .yes
        default: self = .unknown
        }
    }
}

/// Copies a C array of pointers.
func array<Raw, Value>(
    _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<Raw>?>?, count: UInt32, _ copy: (Raw) -> Value
) -> [Value] {
    guard let pointers else { return [] }
    return UnsafeBufferPointer(start: pointers, count: Int(count)).compactMap { $0.map { copy($0.pointee) } }
}
