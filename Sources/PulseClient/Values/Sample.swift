internal import CPulse

/// A sound in the server's sample cache, which any client may play by its name.
///
/// PulseAudio: `pa_sample_info`.
public struct Sample: Hashable, Sendable {
    /// The sample's number.
    public let index: UInt32
    /// The name by which it is played.
    public let name: String
    /// Its format; nil for one that libpulse has no name for.
    public let spec: SampleSpec?
    /// How long it plays, in seconds.
    public let duration: Double
    /// The memory that it takes in the server.
    public let bytes: Int
    /// More about the sample, such as `media.role`; whatever plays it has them too.
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
