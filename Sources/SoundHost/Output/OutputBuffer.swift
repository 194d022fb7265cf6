internal import PulseClient

/// The amount of sound that is queued on the server ahead of the listener.
///
/// Much is queued, so that the server wakes us rarely; changes are rendered again (docs/decisions/0045).
struct OutputBuffer: Hashable, Sendable {
    /// The amount of one request of the server, in seconds.
    var request = 0.5
    /// The amount that the device holds ahead of the listener, in seconds.
    ///
    /// The device's part cannot be rewound, so it delays every change. Both servers give the device what is left of the
    /// target after two requests.
    var device = 0.01
    /// The queue that lets a mix wait for its slowest decoder, in seconds.
    var reserve = 0.05

    /// The longest queue, in seconds.
    var target: Double { 2 * request + device }

    func attributes(for spec: SampleSpec) -> BufferAttributes {
        BufferAttributes(
            targetLength: UInt32(spec.bytes(target)),
            // One frame: sound starts at once, and after an underrun the server waits for us and skips nothing.
            prebuffer: UInt32(spec.bytesPerFrame), minimumRequest: UInt32(spec.bytes(request)))
    }
}

extension OutputMix {
    /// The history that a voice needs to be rewound, in seconds: all that is on its way to the listener.
    package static var historySeconds: Double { OutputBuffer().target + 0.6 }
}
