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
        mix.onRunning = { [weak self] _ in
            self?.reportRunning()
            self?.closeUnusedSides()
        }
        mix.onSettled = { [weak self] in self?.closeUnusedSides() }
        try openStream(of: mix, on: sink)
        sideOutputs[sink] = mix
        // As for the main one: the gain may have changed while the stream was made.
        mix.setGain(outputGain, seconds: 0)
        return mix
    }

    /// Whether the category plays on several sinks; the streams on further ones are closed when it does not, each as
    /// soon as nothing is heard there.
    package func setUsesSideOutputs(_ isSo: Bool) {
        withLock {
            usesSideOutputs = isSo
            closeUnusedSides()
        }
    }

    private func closeUnusedSides() {
        guard !usesSideOutputs else { return }
        // One that is being emptied knows where its voices stand only when that is done.
        for mix in sideOutputs.values where mix.phase == .corked && !mix.isInUse {
            forget(mix)
            mix.close()
        }
    }

    private func sideEvent(_ event: StreamEvent, of mix: OutputMix) {
        switch event {
        case .stateChanged(.ready): mix.becameReady(mix.stream)
        case .stateChanged(.failed(let error)):
            forget(mix)
            mainloop.signal()
            if error.code == .killed { events(.interruptionBegan(.streamKilled)) }
        // Its sink is gone, or somebody chose another one, which may be the main one's: players start there when they
        // are asked to.
        case .moved: give(up: mix)
        default: break
        }
    }

    /// Ends the outputs on sinks whose connectors are gone: what these are connected to now is none of the route's.
    func closeSides(on sinks: Set<String>) {
        for (sink, mix) in sideOutputs where sinks.contains(sink) { give(up: mix) }
    }

    /// Silences an output, whose players stand still, and closes it.
    private func give(up mix: OutputMix) {
        forget(mix)
        mix.silence()
        mix.close()
        reportRunning()
    }

    private func forget(_ mix: OutputMix) { sideOutputs = sideOutputs.filter { $0.value !== mix } }
}
