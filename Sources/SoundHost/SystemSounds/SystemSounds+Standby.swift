internal import AudioHost
internal import PulseClient

/// Where a sample is slow to be heard, a stream stands by for short sounds. The cache has what does not suit it.
extension SystemSounds {
    /// Whether the stream that stands by can take a sound.
    package var isStandingBy: Bool { mainloop.withLock { standby?.isFree == true } }

    /// Makes the stream for the first sound that suits one, and those like it.
    func prepareStandby(for clip: SoundClip, on connection: PulseConnection) {
        guard usesStandby(), standby == nil, clip.frames.count <= StandbyStream.longest else { return }
        // Refused, it is not needed: the cache does as well, later.
        standby = try? StandbyStream(for: clip, properties: properties, on: connection) { [weak self] in
            self?.mainloop.signal()
            self?.standbySettled()
        }
    }

    /// The stream has done what it was asked: gone on with what plays on it now, or thrown away what played before.
    private func standbySettled() {
        // A server that hung begins with it only now.
        if let current, case .standby = current.stage, current.isLate { endCurrent(.failed) }
        advance()
    }

    /// Begins with a sound, if it can be heard at once; tells whether it did.
    func playOnStandby(_ playback: Playback) -> Bool {
        // What is to outlive the process is the server's.
        guard !playback.outlivesProcess, let standby, standby.isFree, standby.suits(playback.entry.clip) else {
            return false
        }
        playback.stage = .standby(standby)
        startTimer(for: playback)
        let hasBegun = standby.play(playback.entry.clip) { [weak self] wasHeard in
            // Killed by somebody: the cache has the sound as well.
            wasHeard ? self?.finish(playback, .finished) : self?.start(playback)
        }
        if !hasBegun { playback.stage = .waiting }
        return hasBegun
    }

    /// Closes the stream when no sound is left for it.
    func closeStandbyIfUnused() {
        guard let standby, !entries.keys.contains(where: standby.suits) else { return }
        standby.close()
        self.standby = nil
    }
}
