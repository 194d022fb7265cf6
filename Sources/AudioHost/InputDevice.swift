package import SessionPolicy

/// A source that can be recorded from.
package struct InputDevice: Hashable, Sendable {
    /// The server's name for it, stable across restarts.
    package let name: String
    /// The name that people see.
    package let description: String
    /// The kind of its connector.
    package let kind: PortKind
    /// Whether a stream without a preference would get it.
    package let isDefault: Bool
    /// Whether it is the monitor of a sink.
    package let isMonitor: Bool
    /// The source's own rate, in Hz.
    package let rate: Int
    /// The source's own number of channels.
    package let channels: Int

    /// A source.
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
