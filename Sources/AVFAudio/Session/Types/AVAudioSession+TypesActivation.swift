extension AVAudioSession {
    /// Options of a category: mixing with other sessions, and accepted routes.
    ///
    /// Apple: `AVAudioSession.CategoryOptions`
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Other apps' sound goes on.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Other apps' sound is ducked while this session is active; implies `mixWithOthers`.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Bluetooth headsets with a microphone (HFP) are accepted.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The speaker is used instead of the receiver.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Sessions in mode `spokenAudio` are interrupted, others go on.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Bluetooth headphones (A2DP) are accepted.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// AirPlay receivers are accepted.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// A muted microphone gives silence, and no interruption.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
        /// A microphone tuned to distant voices; requires `allowBluetoothHFP`.
        public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
        /// A Bluetooth microphone at full bandwidth, where the device offers it.
        public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
    }

    /// Options of an activation or deactivation.
    ///
    /// Apple: `AVAudioSession.SetActiveOptions`
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits, known or not.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The interrupted sessions are notified that they should resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The relation of a session's route to those of other apps' long-form content.
    ///
    /// Apple: `AVAudioSession.RouteSharingPolicy`
    public enum RouteSharingPolicy: UInt, Sendable {
        /// The system's usual route.
        case `default` = 0
        /// The route that the user chose for music, podcasts and audiobooks.
        case longFormAudio = 1
        /// The route of a system's route picker; apps must not set it.
        case independent = 2
        /// The route that the user chose for films and series.
        case longFormVideo = 3
    }

    /// The recommended length of spoken prompts.
    ///
    /// Apple: `AVAudioSession.PromptStyle`
    public enum PromptStyle: UInt, Sendable {
        /// No prompt (`none`).
        case none = 0x6E6F_6E65
        /// A short prompt, such as a sound (`shrt`).
        case short = 0x7368_7274
        /// A whole prompt (`nrml`).
        case normal = 0x6E72_6D6C
    }

    /// The permission to record.
    ///
    /// Apple: `AVAudioSession.RecordPermission`
    public enum RecordPermission: UInt, Sendable {
        /// The user has not been asked (`undt`).
        case undetermined = 0x756E_6474
        /// The app may not record (`deny`).
        case denied = 0x6465_6E79
        /// The app may record (`grnt`).
        case granted = 0x6772_6E74
    }
}

/// Options of an asynchronous activation; none are defined.
///
/// Apple: `AVAudioSessionActivationOptions`
public struct AVAudioSessionActivationOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

}

/// Options of an asynchronous deactivation.
///
/// Apple: `AVAudioSessionDeactivationOptions`
public struct AVAudioSessionDeactivationOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The interrupted sessions are notified that they should resume.
    public static let notifyOthersOnDeactivation = AVAudioSessionDeactivationOptions(rawValue: 1 << 0)
}
