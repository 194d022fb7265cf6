internal import PulseClient

/// How much sound is queued on the server ahead of the listener.
///
/// It is much, so that the server wakes us rarely; what changes is rendered again (docs/decisions/0045).
struct OutputBuffer: Hashable, Sendable {
    /// How much the server asks for at a time, in seconds.
    var request = 0.5
    /// How far ahead of the listener the device takes its sound, in seconds.
    ///
    /// What it has taken is fixed: this delays every change. Both servers give the device what is left of the target
    /// after two requests.
    var device = 0.01
    /// How much must be queued for a mix to wait for the slowest decoder, in seconds.
    var reserve = 0.05

    /// How much is queued at the most, in seconds.
    var target: Double { 2 * request + device }

    func attributes(for spec: SampleSpec) -> BufferAttributes {
        BufferAttributes(
            targetLength: UInt32(spec.bytes(target)),
            // One frame: sound starts at once, and after an underrun the server waits for us and skips nothing.
            prebuffer: UInt32(spec.bytesPerFrame), minimumRequest: UInt32(spec.bytes(request)))
    }
}

extension OutputMix {
    /// How much of what was rendered a voice must be able to render again, in seconds: all that is on its way to the
    /// listener.
    package static var historySeconds: Double { OutputBuffer().target + 0.6 }
}
