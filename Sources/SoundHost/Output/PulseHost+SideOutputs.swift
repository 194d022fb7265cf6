internal import PulseClient
internal import SessionPolicy

// For multiRoute: what is played on further sinks at the same time, each with a mix and a stream of its own.
extension PulseHost {
    /// How long a stream may take to come back to its sink, in seconds.
    private static let returning = 2.0

    /// The output on a sink beside the main one, which may be on the same sink for now.
    func openSide(role: StreamRole?, on sink: String) throws(PulseError) -> OutputMix {
        if let side = sideOutputs[sink], side.phase != .dead { return side }
        let connection = try readyConnection()
        let mix = makeMix(on: connection, for: try sinkInfo(sink, on: connection), role: role)
        mix.handlers.mayStart = { [weak self] in self?.watch?.silencesStart() != true }
        mix.handlers.mainTime = { [weak self] in self?.output?.deviceTime }
        mix.handlers.onEvent = { [weak self, weak mix] event in
            guard let mix else { return }
            self?.sideEvent(event, of: mix)
        }
        mix.handlers.onRunning = { [weak self] _ in
            self?.reportRunning()
            self?.closeUnusedSides()
        }
        mix.handlers.onSettled = { [weak self] in self?.closeUnusedSides() }
        try openStream(of: mix, on: sink)
        mix.placedAt = surroundings?.directory.defaultSinkChanges ?? 0
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
        case .stateChanged(.ready):
            mix.becameReady(mix.stream)
            returned(mix)
        case .stateChanged(.failed(let error)):
            forget(mix)
            mainloop.signal()
            if error.code == .killed { events(.interruptionBegan(.streamKilled)) }
        case .moved: moved(mix)
        default: break
        }
    }

    /// A stream is on another sink, and is silent.
    ///
    /// With another default sink PulseAudio takes along what is on the old one, whoever asked for that by its name: such
    /// a stream comes back. Else its sink is gone, or somebody chose another one in a mixer, which may be the main one's:
    /// players start there when they are asked to.
    private func moved(_ mix: OutputMix) {
        guard usesSideOutputs, mix.isInUse, let sink = mix.requestedSink, let connection = try? readyConnection()
        else { return give(up: mix) }
        guard mix.deviceName != sink else { return returned(mix) }
        connection.sync { asking in
            var usual: String?
            asking.serverInfo { usual = (try? $0.get())?.defaultSink }
            asking.sink(named: sink) { [weak self, weak mix] answer in
                // It may have come back meanwhile.
                guard let self, let mix, self.sideOutputs[sink] === mix, mix.deviceName != sink else { return }
                // Of another default sink the directory may hear a moment later.
                let directory = self.surroundings?.directory
                let isNews = directory?.defaultSink != usual || directory?.defaultSinkChanges != mix.placedAt
                guard case .success(let info) = answer, info.isPluggedIn, isNews, mix.deviceName == usual else {
                    return self.give(up: mix)
                }
                self.bringBack(mix, to: sink, on: connection)
            }
        }
    }

    /// Has a silent output go on with another stream on its sink; one that cannot be had in time ends it.
    private func bringBack(_ mix: OutputMix, to sink: String, on connection: PulseConnection) {
        let timer = MainloopTimer(mainloop: mainloop) { [weak self, weak mix] in
            guard let self, let mix, self.sideOutputs[sink] === mix else { return }
            self.give(up: mix)
        }
        timer.start(after: .seconds(Self.returning))
        mix.returnTimer = timer
        mix.relocate(to: sink, with: makeStream(on: connection, role: outputRole, format: mix.format))
    }

    /// A stream is on its sink, and goes on if it was silent meanwhile.
    private func returned(_ mix: OutputMix) {
        mix.returnTimer = nil
        mix.placedAt = surroundings?.directory.defaultSinkChanges ?? 0
        mix.forgetSuccessor()
        mix.resumeAfterRouteChange()
    }

    /// Ends the outputs on sinks whose connectors are gone: what these are connected to now is none of the route's.
    func closeSides(on sinks: Set<String>) {
        for (sink, mix) in sideOutputs where sinks.contains(sink) { give(up: mix) }
    }

    /// Silences an output, whose players stand still, and closes it.
    private func give(up mix: OutputMix) {
        mix.returnTimer = nil
        forget(mix)
        mix.silence()
        mix.close()
        reportRunning()
    }

    private func forget(_ mix: OutputMix) { sideOutputs = sideOutputs.filter { $0.value !== mix } }
}
