// Voices that are out for a moment; with the main loop's lock held.
extension OutputMix {
    /// A voice that was taken out so that it goes on elsewhere, as at another frame of its file.
    ///
    /// That is no end of the sound: nobody is told that it stopped.
    package struct Suspension {
        fileprivate let mix: OutputMix
        /// When the voice is to begin, if it waits for that.
        fileprivate let time: Double?

        /// Goes on with a voice, which may be another one in another mix, or with none.
        package func end(with voice: OutputVoice?, in other: OutputMix) {
            if let voice { _ = other.play(voice, at: time) }
            mix.suspensions -= 1
            mix.reportRunning()
        }
    }

    /// Takes a voice out at the frame that is heard next, as ``pause(_:)`` does; nil if it does not run.
    package func suspend(_ voice: OutputVoice) -> Suspension? {
        guard voice.isRunning else { return nil }
        let suspension = Suspension(mix: self, time: voice.startTime)
        suspensions += 1
        pause(voice)
        return suspension
    }

    /// A voice that does not run was emptied: it stands at its first frame.
    package func forget(_ voice: OutputVoice) {
        guard !voice.isRunning else { return }
        voice.state = .paused
        voice.isRefillRequested = false
        leave(voice)
    }
}
