extension AVAudioSession {
    /// Whether the app overrides the route's output.
    ///
    /// Apple: `AVAudioSession.PortOverride`
    public enum PortOverride: UInt, Sendable {
        /// The usual route.
        case none = 0
        /// The built-in speaker and microphone (`spkr`).
        case speaker = 0x7370_6B72
    }

    /// Whether input and output share one callback.
    ///
    /// Apple: `AVAudioSession.IOType`
    public enum IOType: UInt, Sendable {
        /// It does not matter.
        case notSpecified = 0
        /// They do.
        case aggregated = 1
    }

    /// How the machine is held while it records in stereo.
    ///
    /// Apple: `AVAudioStereoOrientation`
    public enum StereoOrientation: Int, Sendable {
        /// Not stated.
        case none = 0
        /// Upright.
        case portrait = 1
        /// Upside down.
        case portraitUpsideDown = 2
        /// On its side, connector to the right.
        case landscapeRight = 3
        /// On its side, connector to the left.
        case landscapeLeft = 4
    }

    /// What is mixed into the microphone of a call.
    ///
    /// Apple: `AVAudioSession.MicrophoneInjectionMode`
    public enum MicrophoneInjectionMode: Int, Sendable {
        /// Nothing.
        case none = 0
        /// Speech that the app makes.
        case spokenAudio = 1
    }

    /// What the user chose when asked where to play.
    ///
    /// Apple: `AVAudioSession.RouteSelection`
    public enum RouteSelection: Int, Sendable {
        /// Not to play.
        case none = 0
        /// Here.
        case local = 1
        /// On another device.
        case external = 2
    }
}
