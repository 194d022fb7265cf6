internal import CPulse

/// The server's description of itself.
///
/// PulseAudio: `pa_server_info`.
public struct ServerInfo: Hashable, Sendable {
    /// Such as `pulseaudio`, or `PulseAudio (on PipeWire 0.3.65)`.
    public let name: String
    /// The version, such as `16.1`; PipeWire reports the version of PulseAudio that it emulates.
    public let version: String
    /// The default sink's name; nil when there is none.
    ///
    /// PipeWire reports `@DEFAULT_SINK@` for some ms while devices change.
    public let defaultSink: String?
    /// The default source's name; nil when there is none.
    public let defaultSource: String?
    /// The server's default format; nil for one that libpulse has no name for.
    public let spec: SampleSpec?
    /// The channels of ``spec``.
    public let map: ChannelMap
    /// The machine that the server runs on.
    public let hostName: String
    /// The user that the server runs as.
    public let userName: String
    /// A random number of this run of the server; indexes of objects are only valid within one run.
    public let cookie: UInt32

    /// Whether this is PipeWire's implementation of PulseAudio's protocol.
    public var isPipeWire: Bool {
        // A search for the word would add 0.25 ms to a program's start.
        name.hasPrefix("PulseAudio (on PipeWire")
    }

    init(_ raw: pa_server_info) {
        name = text(raw.server_name)
        version = text(raw.server_version)
        defaultSink = optionalText(raw.default_sink_name).flatMap { $0.isEmpty ? nil : $0 }
        defaultSource = optionalText(raw.default_source_name).flatMap { $0.isEmpty ? nil : $0 }
        spec = SampleSpec(raw.sample_spec)
        map = ChannelMap(raw.channel_map)
        hostName = text(raw.host_name)
        userName = text(raw.user_name)
        cookie = raw.cookie
    }
}
