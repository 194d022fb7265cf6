internal import PulseClient
internal import SessionPolicy

// For multiRoute: what is played on further sinks at the same time, each with a mix and a stream of its own.
extension PulseHost {
    /// The output on a sink beside the main one.
    func openSide(role: StreamRole?, on sink: String) throws(PulseError) -> OutputMix {
        if let side = sideOutputs[sink], side.phase != .dead { return side }
        let connection = try readyConnection()
        let mix = makeMix(on: connection, for: try sinkInfo(sink, on: connection), role: role)
        mix.mainTime = { [weak self] in self?.output?.deviceTime }
        mix.onEvent = { [weak self, weak mix] event in
            guard let mix else { return }
            self?.sideEvent(event, of: mix)
        }
        try openStream(of: mix, on: sink)
        sideOutputs[sink] = mix
        // As for the main one: the gain may have changed while the stream was made.
        mix.setGain(outputGain, seconds: 0)
        return mix
    }

    private func sideEvent(_ event: StreamEvent, of mix: OutputMix) {
        switch event {
        case .stateChanged(.ready): mix.becameReady()
        case .stateChanged(.failed(let error)):
            forget(mix)
            mainloop.signal()
            if error.code == .killed { events(.interruptionBegan(.streamKilled)) }
        // Its sink is gone, or somebody chose another one, which may be the main one's: players start there when they
        // are asked to.
        case .moved:
            forget(mix)
            mix.silence()
            mix.close()
            reportRunning()
        default: break
        }
    }

    private func forget(_ mix: OutputMix) { sideOutputs = sideOutputs.filter { $0.value !== mix } }
}
