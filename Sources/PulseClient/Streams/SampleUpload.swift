internal import CPulse

/// An upload of one sound to the sample cache.
///
/// The upload retains itself until it has reported its end, which it does exactly once, even if the connection fails.
// Only touched with the loop's lock held.
final class SampleUpload {
    private let stream: OpaquePointer
    private let frames: [UInt8]
    private let completion: (Result<Void, PulseError>) -> Void
    private var isSent = false
    private var isOver = false

    /// Takes ownership of the stream.
    init(stream: OpaquePointer, frames: [UInt8], completion: @escaping (Result<Void, PulseError>) -> Void) {
        self.stream = stream
        self.frames = frames
        self.completion = completion
    }

    /// Starts the upload and reports its end.
    func begin() {
        // SAFETY: released by `end(_:)`, which clears the callbacks.
        let userdata = Unmanaged.passRetained(self).toOpaque()
        pa_stream_set_state_callback(stream, uploadStateChanged, userdata)
        if pa_stream_connect_upload(stream, frames.count) < 0 { end(lastError("pa_stream_connect_upload")) }
    }

    fileprivate func stateChanged() {
        guard !isOver else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY: send()
        case PA_STREAM_FAILED: end(lastError("pa_stream_connect_upload"))
        case PA_STREAM_TERMINATED:
            // The server's confirmation of the last request looks like a closed connection.
            let isThere = isSent && pa_context_get_state(pa_stream_get_context(stream)) == PA_CONTEXT_READY
            end(isThere ? nil : PulseError(.connectionTerminated, in: "pa_stream_finish_upload"))
        default: break
        }
    }

    private func send() {
        let written = frames.withUnsafeBytes {
            pa_stream_write(stream, $0.baseAddress, $0.count, nil, 0, PA_SEEK_RELATIVE)
        }
        guard written == 0 else { return end(lastError("pa_stream_write")) }
        isSent = true
        if pa_stream_finish_upload(stream) < 0 { end(lastError("pa_stream_finish_upload")) }
    }

    private func lastError(_ call: String) -> PulseError {
        PulseError(context: pa_stream_get_context(stream), in: call)
    }

    private func end(_ error: PulseError?) {
        guard !isOver else { return }
        isOver = true
        pa_stream_set_state_callback(stream, nil, nil)
        if pa_stream_get_state(stream) == PA_STREAM_READY { pa_stream_disconnect(stream) }
        pa_stream_unref(stream)
        completion(error.map { .failure($0) } ?? .success(()))
        // SAFETY: balances `begin()`.
        Unmanaged.passUnretained(self).release()
    }
}

private func upload(from userdata: UnsafeMutableRawPointer?) -> SampleUpload? {
    // SAFETY: an upload retains itself until it has cleared its callbacks.
    userdata.map { Unmanaged<SampleUpload>.fromOpaque($0).takeUnretainedValue() }
}

private func uploadStateChanged(_: OpaquePointer?, userdata: UnsafeMutableRawPointer?) {
    upload(from: userdata)?.stateChanged()
}
