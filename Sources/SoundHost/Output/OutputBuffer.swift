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

    /// The buffer of an output whose sound is made as it is heard: as much as a device takes at a time, three times.
    static let live = OutputBuffer(request: 0.01, device: 0.01, reserve: 0.005)

    /// The longest queue, in seconds.
    var target: Double { 2 * request + device }

    func attributes(for spec: SampleSpec) -> BufferAttributes {
        BufferAttributes(
            targetLength: UInt32(spec.bytes(target)),
            // One frame: sound starts at once, and after an underrun the server waits for us and skips nothing.
            prebuffer: UInt32(spec.bytesPerFrame), minimumRequest: UInt32(spec.bytes(request)))
    }

    /// The same with another amount in the device; each request of a short buffer follows it, within 5 … 20 ms.
    func with(device: Double) -> OutputBuffer {
        var buffer = self
        buffer.device = device
        if request < OutputBuffer().request { buffer.request = min(max(device, 0.005), 0.02) }
        return buffer
    }
}

extension OutputMix {
    /// The history that a voice needs to be rewound, in seconds: all that is on its way to the listener.
    package static var historySeconds: Double { OutputBuffer().target + 0.6 }
}
