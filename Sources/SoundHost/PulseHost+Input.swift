internal import PulseClient
package import SessionPolicy

extension PulseHost {
    /// Whether the server has a source to record from.
    package func hasInput() throws(SessionError) -> Bool {
        try request { () throws(PulseError) in
            try readyConnection().sync { connection throws(PulseError) in
                try !connection.answerAndWait("pa_context_get_source_info_list") {
                    connection.sources(completion: $0)
                }.isEmpty
            }
        }
    }

    /// The sources of the server.
    package func inputs() throws(SessionError) -> [InputDevice] {
        try request { () throws(PulseError) in
            try readyConnection().sync { connection throws(PulseError) in
                let info = try connection.answerAndWait("pa_context_get_server_info") {
                    connection.serverInfo(completion: $0)
                }
                let name = AppIdentity.environment("PULSE_SOURCE") ?? info.defaultSource
                return try connection.answerAndWait("pa_context_get_source_info_list") {
                    connection.sources(completion: $0)
                }.map { InputDevice($0, isDefault: $0.name == name) }
            }
        }
    }

    /// Makes a stream that records, corked; hand it to ``Capture/resume()``.
    package func openCapture(
        _ capture: CaptureRequest, handlers: Capture.Handlers
    ) throws(SessionError) -> Capture {
        var capture = capture
        if !policy.setsRoles { capture.role = nil }
        return try request { () throws(PulseError) in
            let capture = try Capture(capture, on: readyConnection(), handlers: handlers)
            capture.isHeldBack = { [weak self] in self?.isHeldBack == true }
            capture.onRunning = { [weak self] in self?.reportRunning() }
            capture.onEnd = { [weak self, weak capture] in
                guard let self, let capture else { return }
                self.captures[ObjectIdentifier(capture)] = nil
                self.reportRunning()
            }
            try capture.open()
            captures[ObjectIdentifier(capture)] = capture
            return capture
        }
    }
}
