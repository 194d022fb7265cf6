/// The activity of a sink or source.
///
/// PulseAudio: `pa_sink_state_t`, `pa_source_state_t`.
public enum DeviceState: Int32, Hashable, Sendable {
    /// The server does not say.
    case unknown = -1
    /// In use by at least one uncorked stream.
    case running = 0
    /// Open, without an uncorked stream.
    case idle = 1
    /// Suspended: the device is closed.
    case suspended = 2
}
