extension AVAudioSession {
    /// What an app's sound is for.
    ///
    /// Apple: `AVAudioSession.Category`
    public struct Category: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Apple's string for it.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string itself, which is what programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Category {
    /// Sound that the app can do without; it mixes with everything.
    public static let ambient = Self(rawValue: "AVAudioSessionCategoryAmbient")
    /// Sound that the app can do without, but that wants to be alone; the default.
    public static let soloAmbient = Self(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Sound that is what the app is about.
    public static let playback = Self(rawValue: "AVAudioSessionCategoryPlayback")
    /// Recording, while nothing else is heard.
    public static let record = Self(rawValue: "AVAudioSessionCategoryRecord")
    /// Recording and playing at the same time.
    public static let playAndRecord = Self(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Several outputs at once.
    public static let multiRoute = Self(rawValue: "AVAudioSessionCategoryMultiRoute")
    /// Offline processing, without sound in or out; deprecated by Apple.
    public static let audioProcessing = Self(rawValue: "AVAudioSessionCategoryAudioProcessing")
}

extension AVAudioSession {
    /// How the category is used.
    ///
    /// Apple: `AVAudioSession.Mode`
    public struct Mode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Apple's string for it.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string itself, which is what programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Mode {
    /// Nothing special; the default.
    public static let `default` = Self(rawValue: "AVAudioSessionModeDefault")
    /// Two-way voice, with echo cancellation.
    public static let voiceChat = Self(rawValue: "AVAudioSessionModeVoiceChat")
    /// Voice chat that a game framework keeps.
    public static let gameChat = Self(rawValue: "AVAudioSessionModeGameChat")
    /// Sound of a film being shot.
    public static let videoRecording = Self(rawValue: "AVAudioSessionModeVideoRecording")
    /// Measuring, with as little processing as possible.
    public static let measurement = Self(rawValue: "AVAudioSessionModeMeasurement")
    /// Sound of a film being watched.
    public static let moviePlayback = Self(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Two-way video, through the speaker.
    public static let videoChat = Self(rawValue: "AVAudioSessionModeVideoChat")
    /// Continuous speech, which pauses for prompts instead of being lowered.
    public static let spokenAudio = Self(rawValue: "AVAudioSessionModeSpokenAudio")
    /// Short spoken prompts over other sound.
    public static let voicePrompt = Self(rawValue: "AVAudioSessionModeVoicePrompt")
    /// Short videos in a feed.
    public static let shortFormVideo = Self(rawValue: "AVAudioSessionModeShortFormVideo")
    /// Two routes at once, one built in and one accessory.
    public static let dualRoute = Self(rawValue: "AVAudioSessionModeDualRoute")
}
