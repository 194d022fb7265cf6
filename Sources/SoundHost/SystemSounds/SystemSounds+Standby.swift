internal import AudioHost
internal import PulseClient

/// Use of a standby stream where samples start slowly. Sounds that do not suit it are played from the cache.
extension SystemSounds {
    /// Whether the standby stream can accept a sound.
    package var isStandingBy: Bool { mainloop.withLock { standby?.isFree == true } }

    /// Creates the standby stream for the first suitable sound, and others of its format.
    func prepareStandby(for clip: SoundClip, on connection: PulseConnection) {
        guard usesStandby(), standby == nil, clip.frames.count <= StandbyStream.longest else { return }
        // A failure is ignored: the cache plays the sound as well, only later.
        standby = try? StandbyStream(for: clip, properties: properties, on: connection) { [weak self] in
            self?.mainloop.signal()
            self?.standbySettled()
        }
    }

    /// Called when the standby stream has started the current sound, or flushed the previous one.
    private func standbySettled() {
        // A server that hung starts the sound only now.
        if let current, case .standby = current.stage, current.isLate { endCurrent(.failed) }
        advance()
    }

    /// Starts a sound if the standby stream can play it at once; returns whether it did.
    func playOnStandby(_ playback: Playback) -> Bool {
        // Only the server can play a sound that outlives the process.
        guard !playback.outlivesProcess, let standby, standby.isFree, standby.suits(playback.entry.clip) else {
            return false
        }
        playback.stage = .standby(standby)
        startTimer(for: playback)
        let hasBegun = standby.play(playback.entry.clip) { [weak self] wasHeard in
            // The stream was killed: the cache has the sound as well.
            wasHeard ? self?.finish(playback, .finished) : self?.start(playback)
        }
        if !hasBegun { playback.stage = .waiting }
        return hasBegun
    }

    /// Closes the standby stream if no sound suits it any more.
    func closeStandbyIfUnused() {
        guard let standby, !entries.keys.contains(where: standby.suits) else { return }
        standby.close()
        self.standby = nil
    }
}
