package import AudioHost

/// A filled sound in its session's output that can begin at another one's end.
package struct QueuedVoice: Sendable {
    /// The sound, paused at its first frame.
    package let sound: any HostSound

    /// A sound that is ready to begin.
    package init(sound: any HostSound) { self.sound = sound }
}

extension AVAudioPlayer {
    /// Prepares to begin at another sound's end; nil if the session does not play, or if this player runs already.
    package func readyToFollow() -> QueuedVoice? { core.readyToFollow() }

    /// Whether another sound can be chained to this one.
    package var canLead: Bool { standing == .running }

    /// Sets the sound that begins with the frame after this one's last frame; nil for none.
    ///
    /// Returns false if it is too late, so that the next sound has to be started at the end.
    package func lead(_ next: QueuedVoice?) -> Bool { core.lead(next) }
}
