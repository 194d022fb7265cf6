internal import AudioHost

extension SystemSounds {
    /// A sound that is in the cache, or on its way there.
    // SAFETY: only touched with the main loop's lock held.
    final class Entry: @unchecked Sendable {
        enum State { case absent, uploading, ready, unusable }
        let clip: SoundClip
        let name: String
        var state = State.absent
        /// How many identifiers stand for it.
        var users = 0

        init(_ clip: SoundClip, name: String) {
            self.clip = clip
            self.name = name
        }
    }

    /// A sound that was asked for.
    // SAFETY: only touched with the main loop's lock held.
    final class Playback: @unchecked Sendable {
        enum Stage {
            /// Until the server has the sound.
            case waiting
            /// The server was asked, and has not answered.
            case asked
            /// A stream of the server's own.
            case playing(UInt32)
            /// A stream of ours.
            case streaming(StreamedSound)
            /// The stream that is there for such sounds.
            case standby(StandbyStream)
        }
        let entry: Entry
        /// The identifier that it was asked for by.
        let id: UInt32
        /// Whether it goes on when the process ends.
        let outlivesProcess: Bool
        /// When it was asked for.
        let asked: ContinuousClock.Instant
        let completion: Completion
        var stage = Stage.waiting
        /// What becomes of it, if it is to end as soon as the server has answered.
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

        /// Whether nobody expects it any more, should it begin now.
        var isLate: Bool { entry.clip.isTooLate(asked: asked) }
    }
}
