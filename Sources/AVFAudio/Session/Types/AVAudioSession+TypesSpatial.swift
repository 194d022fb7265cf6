extension AVAudioSession {
    /// How sound stands in space.
    ///
    /// Apple: `AVAudioSession.SpatialExperience`, on visionOS.
    public enum SpatialExperience: Int, Sendable {
        /// It stays where it is while the head turns.
        case headTracked = 0
        /// It turns with the head.
        case fixed = 1
        /// Each channel goes to its loudspeaker.
        case bypassed = 2
    }

    /// How wide the app's sound stands around the listener.
    ///
    /// Apple: `AVAudioSession.SoundStageSize`, on visionOS.
    public enum SoundStageSize: Int, Sendable {
        /// The system decides.
        case automatic = 0
        /// Narrow.
        case small = 1
        /// In between.
        case medium = 2
        /// Wide.
        case large = 3
    }

    /// What the app's sound is tied to in space.
    ///
    /// Apple: `AVAudioSession.AnchoringStrategy`, on visionOS.
    public enum AnchoringStrategy: Int, Sendable {
        /// The system decides.
        case automatic = 0
        /// A scene of the app.
        case scene = 1
        /// The front of the listener.
        case front = 2
    }
}
