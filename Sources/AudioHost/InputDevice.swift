package import SessionPolicy

/// A source that can be recorded from.
package struct InputDevice: Hashable, Sendable {
    /// The server's name, stable across restarts.
    package let name: String
    /// The display name.
    package let description: String
    /// The kind of the port in use.
    package let kind: PortKind
    /// Whether streams without a preference record from it.
    package let isDefault: Bool
    /// Whether the source is the monitor of a sink.
    package let isMonitor: Bool
    /// The device's sample rate, in Hz.
    package let rate: Int
    /// The device's number of channels.
    package let channels: Int

    /// A source with these values.
    package init(
        name: String, description: String, kind: PortKind, isDefault: Bool, isMonitor: Bool, rate: Int, channels: Int
    ) {
        self.name = name
        self.description = description
        self.kind = kind
        self.isDefault = isDefault
        self.isMonitor = isMonitor
        self.rate = rate
        self.channels = channels
    }
}
