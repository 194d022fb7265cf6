internal import PulseClient

/// How much sound is queued on the server ahead of the listener.
struct OutputBuffer: Hashable, Sendable {
    /// The latency that the server is asked for, device included, in seconds.
    ///
    /// Below 40 ms virtual machines drop out; the server's own choice of 2 s would make every change late.
    var target = 0.12
    /// How much the server asks for at a time, in seconds: a third of the target wakes us 25 times a second.
    var request = 0.04
    /// How far before the listener queued sound is left as it is when the rest is rendered again, in seconds.
    ///
    /// The server takes a block while the change is on its way to it.
    var margin = 0.01
    /// How much must be queued for a mix to wait for the slowest decoder, in seconds.
    var reserve = 0.05

    func attributes(for spec: SampleSpec) -> BufferAttributes {
        BufferAttributes(
            targetLength: UInt32(spec.bytes(target)),
            // One frame: sound starts at once, and after an underrun the server waits for us and skips nothing.
            prebuffer: UInt32(spec.bytesPerFrame), minimumRequest: UInt32(spec.bytes(request)))
    }
}
