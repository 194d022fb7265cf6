internal import CPulse

/// A sound in the server's sample cache, which any client can play by its name.
///
/// PulseAudio: `pa_sample_info`.
public struct Sample: Hashable, Sendable {
    /// The sample's number.
    public let index: UInt32
    /// The name for playback.
    public let name: String
    /// The sample's format; nil for one that libpulse has no name for.
    public let spec: SampleSpec?
    /// The duration in seconds.
    public let duration: Double
    /// The size in the server's memory, in bytes.
    public let bytes: Int
    /// Further properties of the sample, such as `media.role`, which its playback streams get.
    public let properties: PropertyList

    init(_ raw: pa_sample_info) {
        index = raw.index
        name = text(raw.name)
        spec = SampleSpec(raw.sample_spec)
        duration = seconds(raw.duration)
        bytes = Int(raw.bytes)
        properties = PropertyList(raw.proplist)
    }
}
