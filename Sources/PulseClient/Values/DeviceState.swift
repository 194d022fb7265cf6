/// Whether a sink or source works.
///
/// PulseAudio: `pa_sink_state_t`, `pa_source_state_t`.
public enum DeviceState: Int32, Hashable, Sendable {
    /// The server does not say.
    case unknown = -1
    /// At work for at least one stream that is not corked.
    case running = 0
    /// Awake without work.
    case idle = 1
    /// Asleep: the device is closed.
    case suspended = 2
}
