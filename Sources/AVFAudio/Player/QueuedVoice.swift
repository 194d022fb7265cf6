package import AudioHost

/// A sound that is filled, stands in its session's output, and can begin where another one ends.
package struct QueuedVoice: Sendable {
    /// The sound, paused at its first frame.
    package let sound: any HostSound

    /// A sound that is ready to begin.
    package init(sound: any HostSound) { self.sound = sound }
}

extension AVAudioPlayer {
    /// Prepares to begin where another sound ends; nil where the session does not play, or it plays already.
    package func readyToFollow() -> QueuedVoice? { core.readyToFollow() }

    /// Whether another sound could begin by itself where this one ends.
    package var canLead: Bool { standing == .running }

    /// Lets a sound begin with the frame after the last one of this one, or none; false if it has to be started then.
    package func lead(_ next: QueuedVoice?) -> Bool { core.lead(next) }
}
