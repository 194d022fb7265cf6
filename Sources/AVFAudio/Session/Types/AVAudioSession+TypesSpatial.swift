extension AVAudioSession {
    /// The placement of sound in space.
    ///
    /// Apple: `AVAudioSession.SpatialExperience`, on visionOS.
    public enum SpatialExperience: Int, Sendable {
        /// The sound stays in place while the head turns.
        case headTracked = 0
        /// The sound turns with the head.
        case fixed = 1
        /// Each channel goes to its loudspeaker.
        case bypassed = 2
    }

    /// The width of the app's sound around the listener.
    ///
    /// Apple: `AVAudioSession.SoundStageSize`, on visionOS.
    public enum SoundStageSize: Int, Sendable {
        /// The system decides.
        case automatic = 0
        /// A narrow sound stage.
        case small = 1
        /// A sound stage of medium width.
        case medium = 2
        /// A wide sound stage.
        case large = 3
    }

    /// The anchor of the app's sound in space.
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
