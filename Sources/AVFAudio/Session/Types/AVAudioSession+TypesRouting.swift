extension AVAudioSession {
    /// The override of the route's output.
    ///
    /// Apple: `AVAudioSession.PortOverride`
    public enum PortOverride: UInt, Sendable {
        /// No override.
        case none = 0
        /// The built-in speaker and microphone (`spkr`).
        case speaker = 0x7370_6B72
    }

    /// The relation of input and output callbacks.
    ///
    /// Apple: `AVAudioSession.IOType`
    public enum IOType: UInt, Sendable {
        /// No preference.
        case notSpecified = 0
        /// One callback for input and output.
        case aggregated = 1
    }

    /// The orientation of the machine for stereo recordings.
    ///
    /// Apple: `AVAudioStereoOrientation`
    public enum StereoOrientation: Int, Sendable {
        /// No orientation.
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

    /// The sound that is mixed into the microphone of a call.
    ///
    /// Apple: `AVAudioSession.MicrophoneInjectionMode`
    public enum MicrophoneInjectionMode: Int, Sendable {
        /// No sound.
        case none = 0
        /// The app's speech.
        case spokenAudio = 1
    }

    /// The user's answer to a route picker before playback.
    ///
    /// Apple: `AVAudioSession.RouteSelection`
    public enum RouteSelection: Int, Sendable {
        /// No playback.
        case none = 0
        /// Playback on this device.
        case local = 1
        /// Playback on another device.
        case external = 2
    }
}
