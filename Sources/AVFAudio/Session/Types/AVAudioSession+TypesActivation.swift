extension AVAudioSession {
    /// How a session gets along with others and which routes it accepts.
    ///
    /// Apple: `AVAudioSession.CategoryOptions`
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others stay audible.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Others are lowered while this session is active; implies `mixWithOthers`.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Bluetooth headsets with a microphone may be used.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The speaker rather than the receiver.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Sessions that speak are interrupted, others stay audible.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Bluetooth headphones may be used.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// AirPlay receivers may be used.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// A microphone that is switched off gives silence and no interruption.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
        /// A microphone tuned to far voices; requires `allowBluetoothHFP`.
        public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
        /// A Bluetooth microphone at full bandwidth, where the device offers it.
        public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
    }

    /// What else happens when a session is activated or deactivated.
    ///
    /// Apple: `AVAudioSession.SetActiveOptions`
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Those that this session interrupted are told that they should resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Whether a session shares its route with the other long programmes of the machine.
    ///
    /// Apple: `AVAudioSession.RouteSharingPolicy`
    public enum RouteSharingPolicy: UInt, Sendable {
        /// The route follows the system's usual rules.
        case `default` = 0
        /// Music, podcasts and audiobooks go to the route that the user chose for them.
        case longFormAudio = 1
        /// The system's own choice in a route picker; no app may ask for it.
        case independent = 2
        /// Films and series go to the route that the user chose for them.
        case longFormVideo = 3
    }

    /// How long a spoken prompt should be now.
    ///
    /// Apple: `AVAudioSession.PromptStyle`
    public enum PromptStyle: UInt, Sendable {
        /// No prompt (`none`).
        case none = 0x6E6F_6E65
        /// A short one, such as a sound (`shrt`).
        case short = 0x7368_7274
        /// A whole one (`nrml`).
        case normal = 0x6E72_6D6C
    }

    /// Whether the app may record.
    ///
    /// Apple: `AVAudioSession.RecordPermission`
    public enum RecordPermission: UInt, Sendable {
        /// Nobody has been asked (`undt`).
        case undetermined = 0x756E_6474
        /// No (`deny`).
        case denied = 0x6465_6E79
        /// Yes (`grnt`).
        case granted = 0x6772_6E74
    }
}

/// How a session is activated without blocking; there is nothing to choose yet.
///
/// Apple: `AVAudioSessionActivationOptions`
public struct AVAudioSessionActivationOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

}

/// How a session is deactivated without blocking.
///
/// Apple: `AVAudioSessionDeactivationOptions`
public struct AVAudioSessionDeactivationOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Those that this session interrupted are told that they should resume.
    public static let notifyOthersOnDeactivation = AVAudioSessionDeactivationOptions(rawValue: 1 << 0)
}
