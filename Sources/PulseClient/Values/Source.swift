internal import CPulse

/// A device that records sound: a microphone, or the monitor of a sink.
///
/// PulseAudio: `pa_source_info`.
public struct Source: Hashable, Sendable {
    /// The capabilities of a source.
    ///
    /// PulseAudio: `pa_source_flags_t`.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits of `PA_SOURCE_…`.
        public let rawValue: UInt32

        /// Flags from their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The volume is set in hardware.
        ///
        /// PulseAudio: `PA_SOURCE_HW_VOLUME_CTRL`.
        public static let hasHardwareVolume = Flags(rawValue: 0x0001)
        /// The device reports its latency.
        ///
        /// PulseAudio: `PA_SOURCE_LATENCY`.
        public static let reportsLatency = Flags(rawValue: 0x0002)
        /// A real device, not a virtual one.
        ///
        /// PulseAudio: `PA_SOURCE_HARDWARE`.
        public static let isHardware = Flags(rawValue: 0x0004)
        /// Reached over the network.
        ///
        /// PulseAudio: `PA_SOURCE_NETWORK`.
        public static let isNetwork = Flags(rawValue: 0x0008)
        /// The device can be muted in hardware.
        ///
        /// PulseAudio: `PA_SOURCE_HW_MUTE_CTRL`.
        public static let hasHardwareMute = Flags(rawValue: 0x0010)
        /// Volumes translate to decibels.
        ///
        /// PulseAudio: `PA_SOURCE_DECIBEL_VOLUME`.
        public static let volumesAreInDecibels = Flags(rawValue: 0x0020)
        /// The latency follows the streams' requests.
        ///
        /// PulseAudio: `PA_SOURCE_DYNAMIC_LATENCY`.
        public static let hasDynamicLatency = Flags(rawValue: 0x0040)
        /// The source's volume is that of its loudest stream.
        ///
        /// PulseAudio: `PA_SOURCE_FLAT_VOLUME`.
        public static let hasFlatVolume = Flags(rawValue: 0x0080)
    }

    /// The source's index; PipeWire assigns a new one whenever the card's profile changes.
    public let index: UInt32
    /// The name used in commands.
    public let name: String
    /// The name shown to users.
    public let description: String
    /// The device's format; nil for one that libpulse has no name for.
    public let spec: SampleSpec?
    /// The device's channels.
    public let map: ChannelMap
    /// The device's volume.
    public let volume: Volume
    /// The volume at which the device neither amplifies nor attenuates, one value as in ``Volume/values``.
    public let baseVolume: UInt32
    /// Whether the device is muted.
    public let isMuted: Bool
    /// The age of the newest frame, in seconds.
    ///
    /// Zero while the device is suspended.
    public let latency: Double
    /// The latency, in seconds, for which the device is configured.
    public let configuredLatency: Double
    /// Whether the device is running, idle or suspended.
    public let state: DeviceState
    /// The name of the sink that this source records, when it is a monitor; nil for a real source.
    public let monitorOf: String?
    /// The index of the card that the device belongs to; nil for a virtual device.
    public let card: UInt32?
    /// The index of the module that created the device; nil when the server does not say.
    public let ownerModule: UInt32?
    /// The driver, such as `module-null-sink.c`.
    public let driver: String
    /// The connectors of the device.
    public let ports: [Port]
    /// The name of the port in use.
    public let activePort: String?
    /// The device's capabilities.
    public let flags: Flags
    /// Further properties of the device, such as `device.form_factor`.
    public let properties: PropertyList

    init(_ raw: pa_source_info) {
        index = raw.index
        name = text(raw.name)
        description = text(raw.description)
        spec = SampleSpec(raw.sample_spec)
        map = ChannelMap(raw.channel_map)
        volume = Volume(raw.volume)
        baseVolume = raw.base_volume
        isMuted = raw.mute != 0
        latency = seconds(raw.latency)
        configuredLatency = seconds(raw.configured_latency)
        state = DeviceState(rawValue: raw.state.rawValue) ?? .unknown
        monitorOf = optionalText(raw.monitor_of_sink_name)
        card = optionalIndex(raw.card)
        ownerModule = optionalIndex(raw.owner_module)
        driver = text(raw.driver)
        ports = array(raw.ports, count: raw.n_ports) { Port($0) }
        activePort = raw.active_port.map { text($0.pointee.name) }
        flags = Flags(rawValue: raw.flags.rawValue)
        properties = PropertyList(raw.proplist)
    }
}
