internal import CPulse

/// The server's description of itself.
///
/// PulseAudio: `pa_server_info`.
public struct ServerInfo: Hashable, Sendable {
    /// Such as `pulseaudio`, or `PulseAudio (on PipeWire 0.3.65)`.
    public let name: String
    /// The version, such as `16.1`; PipeWire tells the version of PulseAudio that it stands for.
    public let version: String
    /// The default sink's name; nil when there is none.
    ///
    /// PipeWire says `@DEFAULT_SINK@` for some ms while devices change.
    public let defaultSink: String?
    /// The default source's name; nil when there is none.
    public let defaultSource: String?
    /// The format that the server prefers; nil when it has none that we know.
    public let spec: SampleSpec?
    /// The channels of ``spec``.
    public let map: ChannelMap
    /// The machine that the server runs on.
    public let hostName: String
    /// The user that the server runs as.
    public let userName: String
    /// A random number of this run of the server: what has an index on one run means nothing on the next.
    public let cookie: UInt32

    /// Whether this is PipeWire's implementation of PulseAudio's protocol.
    public var isPipeWire: Bool {
        // Searching for the word costs a program a quarter of a millisecond when it starts.
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
