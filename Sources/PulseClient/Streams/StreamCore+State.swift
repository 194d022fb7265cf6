internal import CPulse

// The state that libpulse knows without a request to the server.
extension StreamCore {
    var latency: Double? {
        guard state == .ready, let raw else { return nil }
        var microseconds: pa_usec_t = 0
        var negative: Int32 = 0
        guard pa_stream_get_latency(raw, &microseconds, &negative) == 0 else { return nil }
        return negative != 0 ? 0 : Double(microseconds) / 1e6
    }

    var bufferAttributes: BufferAttributes? {
        guard state == .ready, let raw, let attributes = pa_stream_get_buffer_attr(raw)?.pointee else { return nil }
        return BufferAttributes(attributes)
    }

    var index: UInt32? {
        guard state == .ready, let raw else { return nil }
        let index = pa_stream_get_index(raw)
        return index == cpulse_invalid_index ? nil : index
    }

    var device: (index: UInt32, name: String)? {
        guard state == .ready, let raw, let name = pa_stream_get_device_name(raw) else { return nil }
        return (pa_stream_get_device_index(raw), String(cString: name))
    }

    var isSuspended: Bool {
        guard state == .ready, let raw else { return false }
        return pa_stream_is_suspended(raw) == 1
    }
}

/// Waits, without blocking a thread, for the answer to a stream's command.
func answerOfCommand(
    isolation: isolated (any Actor)? = #isolation, _ send: (@escaping (Result<Void, PulseError>) -> Void) -> Void
) async throws(PulseError) {
    let result: Result<Void, PulseError> = await withCheckedContinuation { continuation in
        send { continuation.resume(returning: $0) }
    }
    try result.get()
}
