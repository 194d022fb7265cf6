internal import CPulse

/// A playback stream of any client.
///
/// PulseAudio: `pa_sink_input_info`.
public struct SinkInput: Hashable, Sendable {
    /// The stream's number.
    public let index: UInt32
    /// The name shown to users (`media.name`).
    public let name: String
    /// The index of the client that owns it; nil for a stream of the server's own.
    public let client: UInt32?
    /// The index of its sink; nil for 1–10 ms while PipeWire relinks the stream.
    public let sink: UInt32?
    /// The index of the module that created the stream; nil for a client's stream.
    public let ownerModule: UInt32?
    /// The stream's format; nil for one that libpulse has no name for.
    public let spec: SampleSpec?
    /// The stream's channels.
    public let map: ChannelMap
    /// The stream's volume; meaningful if ``hasVolume``.
    public let volume: Volume
    /// Whether the stream is muted.
    public let isMuted: Bool
    /// Whether the stream is corked; PipeWire also reports that while it relinks the stream.
    public let isCorked: Bool
    /// The duration of the audio in the server's buffer, in seconds.
    public let bufferLatency: Double
    /// The time, in seconds, from the server's buffer to the loudspeaker.
    public let sinkLatency: Double
    /// The driver, such as `protocol-native.c`.
    public let driver: String
    /// Whether the stream has a volume; passed-through compressed sound has none.
    public let hasVolume: Bool
    /// Whether clients can change the volume.
    public let isVolumeWritable: Bool
    /// Further properties of the stream, such as `media.role`, and those of its client.
    public let properties: PropertyList

    init(_ raw: pa_sink_input_info) {
        index = raw.index
        name = text(raw.name)
        client = optionalIndex(raw.client)
        sink = optionalIndex(raw.sink)
        ownerModule = optionalIndex(raw.owner_module)
        spec = SampleSpec(raw.sample_spec)
        map = ChannelMap(raw.channel_map)
        volume = Volume(raw.volume)
        isMuted = raw.mute != 0
        isCorked = raw.corked != 0
        bufferLatency = seconds(raw.buffer_usec)
        sinkLatency = seconds(raw.sink_usec)
        driver = text(raw.driver)
        hasVolume = raw.has_volume != 0
        isVolumeWritable = raw.volume_writable != 0
        properties = PropertyList(raw.proplist)
    }
}
