internal import PulseClient
internal import SessionPolicy

extension PulseHost {
    /// What plays short sounds; made when it is first asked for, and listens to the ends of streams from then on.
    package var systemSounds: SystemSounds {
        mainloop.withLock {
            if let sounds = shortSounds { return sounds }
            let sounds = SystemSounds(
                mainloop: mainloop, owner: board.claim.owner,
                connection: { [weak self] in try? self?.readyConnection() },
                usesStandby: { [weak self] in self?.isPipeWire == true },
                passOn: { [weak self] event in
                    self?.watch?.sinkInputChanged(event)
                    self?.surroundings?.received(event)
                })
            shortSounds = sounds
            surroundings?.listenToStreams()
            return sounds
        }
    }

    /// Whether a recorder of the session takes sound in.
    package var isCapturing: Bool { mainloop.withLock { captures.values.contains { $0.isRunning } } }
}
