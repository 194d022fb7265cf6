internal import PulseClient
package import SessionPolicy

/// A source that can be recorded from.
package struct InputDevice: Hashable, Sendable {
    /// The server's name for it, stable across restarts.
    package let name: String
    /// The name that people see.
    package let description: String
    /// What it is connected by.
    package let kind: PortKind
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
        kind = PortKind(source)
        self.isDefault = isDefault
        isMonitor = source.monitorOf != nil
        rate = source.spec.map { Int($0.rate) } ?? 48000
        channels = source.map.positions.count
    }
}
