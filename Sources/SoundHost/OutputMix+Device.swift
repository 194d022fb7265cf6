internal import PulseClient

extension OutputMix {
    /// The name of the sink that the stream is on; nil without a stream.
    ///
    /// With the main loop's lock held.
    package var deviceName: String? { stream.sync { $0.device?.name } }
}
