extension AVAudioSession {
    /// Whether an interruption starts or is over.
    ///
    /// Apple: `AVAudioSession.InterruptionType`
    public enum InterruptionType: UInt, Sendable, _NumberInUserInfo {
        /// The session has been silenced and is inactive.
        case began = 1
        /// The session may be activated again.
        case ended = 0
    }

    /// What to do when an interruption is over.
    ///
    /// Apple: `AVAudioSession.InterruptionOptions`
    public struct InterruptionOptions: OptionSet, Hashable, Sendable, _NumberInUserInfo {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The app should go on with what it played.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why a session was interrupted.
    ///
    /// Apple: `AVAudioSession.InterruptionReason`
    public enum InterruptionReason: UInt, Sendable, _NumberInUserInfo {
        /// Another session was activated.
        case `default` = 0
        /// The app was suspended.
        case appWasSuspended = 1
        /// The microphone was switched off.
        case builtInMicMuted = 2
        /// The window went to the background (visionOS).
        case sceneWasBackgrounded = 3
        /// The device in use was disconnected.
        case routeDisconnected = 4
        /// The device was locked (visionOS).
        case deviceUnauthenticated = 5
    }

    /// Why the route changed; there is no 5.
    ///
    /// Apple: `AVAudioSession.RouteChangeReason`
    public enum RouteChangeReason: UInt, Sendable, _NumberInUserInfo {
        /// Nobody knows.
        case unknown = 0
        /// A device was connected.
        case newDeviceAvailable = 1
        /// The device in use was disconnected.
        case oldDeviceUnavailable = 2
        /// Category or mode changed.
        case categoryChange = 3
        /// The app or the user chose another route.
        case override = 4
        /// The machine woke up.
        case wakeFromSleep = 6
        /// There is no device for the category.
        case noSuitableRouteForCategory = 7
        /// The same ports, with other details.
        case routeConfigurationChange = 8
    }

    /// Whether another app's primary sound starts or stops.
    ///
    /// Apple: `AVAudioSession.SilenceSecondaryAudioHintType`
    public enum SilenceSecondaryAudioHintType: UInt, Sendable, _NumberInUserInfo {
        /// It starts: secondary sound should fall silent.
        case begin = 1
        /// It stops: secondary sound may be heard again.
        case end = 0
    }

    /// How sound is rendered for the current route.
    ///
    /// Apple: `AVAudioSession.RenderingMode`
    public enum RenderingMode: Int, Sendable, _NumberInUserInfo {
        /// No sound of this kind is playing.
        case notApplicable = 0
        /// One or two channels.
        case monoStereo = 1
        /// Surround.
        case surround = 2
        /// Spatial.
        case spatialAudio = 3
        /// Dolby Audio.
        case dolbyAudio = 4
        /// Dolby Atmos.
        case dolbyAtmos = 5
    }

    /// Who made a session inactive.
    ///
    /// Apple: `AVAudioSession.DeactivationSource`
    public enum DeactivationSource: Int, Sendable, _NumberInUserInfo {
        /// The app itself.
        case app = 1
        /// An interruption.
        case system = 2
    }

    /// Whether to go on after an interruption.
    ///
    /// Apple: `AVAudioSession.ResumptionRecommendation`
    public enum ResumptionRecommendation: Int, Sendable, _NumberInUserInfo {
        /// Wait for the user.
        case shouldNotResume = 0
        /// Go on.
        case shouldResume = 1
    }
}
