internal import CPulse

/// A sound card or Bluetooth device, whose profile determines its sinks and sources.
///
/// PulseAudio: `pa_card_info`.
public struct Card: Hashable, Sendable {
    /// A profile of a card: one set of sinks and sources.
    ///
    /// PulseAudio: `pa_card_profile_info2`.
    public struct Profile: Hashable, Sendable {
        /// The name used in commands, such as `output:analog-stereo`.
        public let name: String
        /// The name shown to users.
        public let description: String
        /// The number of sinks in the profile.
        public let sinks: Int
        /// The number of sources in the profile.
        public let sources: Int
        /// The priority with which the server chooses it.
        public let priority: UInt32
        /// Whether the profile can work now; false means that it certainly cannot.
        public let isAvailable: Bool

        init(_ raw: pa_card_profile_info2) {
            name = text(raw.name)
            description = text(raw.description)
            sinks = Int(raw.n_sinks)
            sources = Int(raw.n_sources)
            priority = raw.priority
            isAvailable = raw.available != 0
        }
    }

    /// The card's number.
    public let index: UInt32
    /// The name used in commands.
    public let name: String
    /// The driver, such as `module-alsa-card.c`.
    public let driver: String
    /// The index of the module that created the card; nil when the server does not say.
    public let ownerModule: UInt32?
    /// The card's profiles.
    public let profiles: [Profile]
    /// The name of the profile in use.
    public let activeProfile: String?
    /// The connectors of the card, in all profiles.
    public let ports: [Port]
    /// Further properties of the card, such as `device.bus`.
    public let properties: PropertyList

    init(_ raw: pa_card_info) {
        index = raw.index
        name = text(raw.name)
        driver = text(raw.driver)
        ownerModule = optionalIndex(raw.owner_module)
        profiles = array(raw.profiles2, count: raw.n_profiles) { Profile($0) }
        activeProfile = raw.active_profile2.map { text($0.pointee.name) }
        ports = array(raw.ports, count: raw.n_ports) { Port($0) }
        properties = PropertyList(raw.proplist)
    }
}
