internal import CPulse
internal import CPulseSimple
internal import PulseClient

// Calls that SimplePlayback and SimpleRecording share.

/// Opens a connection with one stream.
func openSimple(
    server: String?, name: String, _ direction: pa_stream_direction, device: String?, streamName: String,
    spec: SampleSpec, map: ChannelMap?, attributes: BufferAttributes
) throws(PulseError) -> OpaquePointer {
    guard spec.isValid else { throw PulseError(.invalidArgument, in: "pa_simple_new") }
    var code: Int32 = 0
    var rawSpec = spec.raw
    var rawAttributes = attributes.raw
    let simple = withUnsafeRaw(of: map) {
        pa_simple_new(server, name, direction, device, streamName, &rawSpec, $0, &rawAttributes, &code)
    }
    guard let simple else { throw PulseError(PulseError.Code(rawValue: code), in: "pa_simple_new") }
    return simple
}

/// Makes a blocking call of the simple API; throws the error stored in `code`.
func callSimple(_ call: String, _ body: (_ code: inout Int32) -> Int32) throws(PulseError) {
    var code: Int32 = 0
    guard body(&code) >= 0 else { throw PulseError(PulseError.Code(rawValue: code), in: call) }
}

func flushSimple(_ simple: OpaquePointer) throws(PulseError) {
    try callSimple("pa_simple_flush") { pa_simple_flush(simple, &$0) }
}

/// The latency of a simple stream, in seconds.
func latencyOfSimple(_ simple: OpaquePointer) throws(PulseError) -> Double {
    var code: Int32 = 0
    let latency = pa_simple_get_latency(simple, &code)
    guard latency != cpulse_usec_invalid else {
        throw PulseError(PulseError.Code(rawValue: code), in: "pa_simple_get_latency")
    }
    return Double(latency) / 1e6
}
