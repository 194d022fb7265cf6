internal import AudioHost

extension SystemSounds {
    /// A sound in the sample cache, or being uploaded to it.
    // SAFETY: only touched with the main loop's lock held.
    final class Entry: @unchecked Sendable {
        enum State { case absent, uploading, ready, unusable }
        let clip: SoundClip
        let name: String
        var state = State.absent
        /// The number of system sound IDs that use the sound.
        var users = 0

        init(_ clip: SoundClip, name: String) {
            self.clip = clip
            self.name = name
        }
    }

    /// A requested playback of a sound.
    // SAFETY: only touched with the main loop's lock held.
    final class Playback: @unchecked Sendable {
        enum Stage {
            /// Waits for the upload.
            case waiting
            /// Requested from the server, which has not answered.
            case asked
            /// Played by the server, in the stream of this index.
            case playing(UInt32)
            /// Played through a new stream.
            case streaming(StreamedSound)
            /// Played through the standby stream.
            case standby(StandbyStream)
        }
        let entry: Entry
        /// The system sound ID of the request.
        let id: UInt32
        /// Whether the sound continues after the process's exit.
        let outlivesProcess: Bool
        /// The time of the request.
        let asked: ContinuousClock.Instant
        let completion: Completion
        var stage = Stage.waiting
        /// The outcome to apply as soon as the server has answered, if the sound must end then.
        var unwanted: Outcome?
        var hasBeenUploadedAgain = false

        init(
            _ entry: Entry, id: UInt32, outlivesProcess: Bool, asked: ContinuousClock.Instant,
            completion: @escaping Completion
        ) {
            self.entry = entry
            self.id = id
            self.outlivesProcess = outlivesProcess
            self.asked = asked
            self.completion = completion
        }

        /// Whether the sound is too late to start now.
        var isLate: Bool { entry.clip.isTooLate(asked: asked) }
    }
}
