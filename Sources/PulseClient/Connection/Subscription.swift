internal import CPulse

/// The kinds of objects whose changes a connection is notified of.
///
/// PulseAudio: `pa_subscription_mask_t`.
public struct SubscriptionMask: OptionSet, Hashable, Sendable {
    /// The bits of `PA_SUBSCRIPTION_MASK_…`.
    public let rawValue: UInt32

    /// A mask from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Sinks.
    public static let sink = SubscriptionMask(rawValue: 0x0001)
    /// Sources.
    public static let source = SubscriptionMask(rawValue: 0x0002)
    /// Playback streams.
    public static let sinkInput = SubscriptionMask(rawValue: 0x0004)
    /// Recording streams.
    public static let sourceOutput = SubscriptionMask(rawValue: 0x0008)
    /// Modules.
    public static let module = SubscriptionMask(rawValue: 0x0010)
    /// Clients.
    public static let client = SubscriptionMask(rawValue: 0x0020)
    /// The sample cache.
    public static let sampleCache = SubscriptionMask(rawValue: 0x0040)
    /// The server itself: its defaults.
    public static let server = SubscriptionMask(rawValue: 0x0080)
    /// Cards.
    public static let card = SubscriptionMask(rawValue: 0x0200)
}

/// An event about one changed object.
///
/// Its new state must be fetched by its index.
///
/// PulseAudio: `pa_subscription_event_type_t`.
public struct SubscriptionEvent: Hashable, Sendable {
    /// The kind of object.
    public enum Facility: UInt32, Hashable, Sendable {
        /// A sink.
        case sink = 0
        /// A source.
        case source
        /// A playback stream.
        case sinkInput
        /// A recording stream.
        case sourceOutput
        /// A module.
        case module
        /// A client.
        case client
        /// An entry of the sample cache.
        case sampleCache
        /// The server itself: its defaults.
        case server
        /// A card.
        case card = 9
    }

    /// The kind of change.
    public enum Change: UInt32, Hashable, Sendable {
        /// The object was created.
        case new = 0x00
        /// The object changed.
        case change = 0x10
        /// The object was removed.
        case remove = 0x20
    }

    /// The kind of object.
    public let facility: Facility
    /// The kind of change.
    public let change: Change
    /// The object's index.
    public let index: UInt32

    init?(_ type: pa_subscription_event_type_t, index: UInt32) {
        guard let facility = Facility(rawValue: type.rawValue & 0x0F),
            let change = Change(rawValue: type.rawValue & 0x30)
        else { return nil }
        self.facility = facility
        self.change = change
        self.index = index
    }
}
