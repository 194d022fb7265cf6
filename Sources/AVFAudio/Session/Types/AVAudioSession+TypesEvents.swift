extension AVAudioSession {
    /// The type of an interruption notification.
    ///
    /// Apple: `AVAudioSession.InterruptionType`
    public enum InterruptionType: UInt, Sendable, _NumberInUserInfo {
        /// The session has been silenced and is inactive.
        case began = 1
        /// The interruption is over: the session may be activated again.
        case ended = 0
    }

    /// Options at the end of an interruption.
    ///
    /// Apple: `AVAudioSession.InterruptionOptions`
    public struct InterruptionOptions: OptionSet, Hashable, Sendable, _NumberInUserInfo {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The app should resume its playback or recording.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The reason for an interruption.
    ///
    /// Apple: `AVAudioSession.InterruptionReason`
    public enum InterruptionReason: UInt, Sendable, _NumberInUserInfo {
        /// Another session, a call or the system.
        case `default` = 0
        /// The app was suspended; never given on Linux.
        case appWasSuspended = 1
        /// The microphone was muted.
        case builtInMicMuted = 2
        /// The window went to the background (visionOS); never given on Linux.
        case sceneWasBackgrounded = 3
        /// The device in use was disconnected.
        case routeDisconnected = 4
        /// The device was locked (visionOS); never given on Linux.
        case deviceUnauthenticated = 5
    }

    /// The reason for a route change; the number 5 is not used.
    ///
    /// Apple: `AVAudioSession.RouteChangeReason`
    public enum RouteChangeReason: UInt, Sendable, _NumberInUserInfo {
        /// An unknown reason.
        case unknown = 0
        /// A device was connected.
        case newDeviceAvailable = 1
        /// The device in use was disconnected.
        case oldDeviceUnavailable = 2
        /// The category or mode changed.
        case categoryChange = 3
        /// The app or the user chose another route.
        case override = 4
        /// The machine woke up.
        case wakeFromSleep = 6
        /// There is no device for the category.
        case noSuitableRouteForCategory = 7
        /// The ports are the same, with other details.
        case routeConfigurationChange = 8
    }

    /// Whether another app's primary sound starts or stops.
    ///
    /// Apple: `AVAudioSession.SilenceSecondaryAudioHintType`
    public enum SilenceSecondaryAudioHintType: UInt, Sendable, _NumberInUserInfo {
        /// The other sound starts: secondary sound should fall silent.
        case begin = 1
        /// The other sound stops: secondary sound may be heard again.
        case end = 0
    }

    /// The rendering of sound on the current route.
    ///
    /// Apple: `AVAudioSession.RenderingMode`
    public enum RenderingMode: Int, Sendable, _NumberInUserInfo {
        /// Nothing is playing.
        case notApplicable = 0
        /// One or two channels.
        case monoStereo = 1
        /// More than two channels.
        case surround = 2
        /// Spatial sound; never given on Linux.
        case spatialAudio = 3
        /// Dolby Audio; never given on Linux.
        case dolbyAudio = 4
        /// Dolby Atmos; never given on Linux.
        case dolbyAtmos = 5
    }

    /// The cause of a session's deactivation.
    ///
    /// Apple: `AVAudioSession.DeactivationSource`
    public enum DeactivationSource: Int, Sendable, _NumberInUserInfo {
        /// The app itself.
        case app = 1
        /// An interruption.
        case system = 2
    }

    /// The recommendation after an interruption.
    ///
    /// Apple: `AVAudioSession.ResumptionRecommendation`
    public enum ResumptionRecommendation: Int, Sendable, _NumberInUserInfo {
        /// The app should wait for the user.
        case shouldNotResume = 0
        /// The app should resume.
        case shouldResume = 1
    }
}
