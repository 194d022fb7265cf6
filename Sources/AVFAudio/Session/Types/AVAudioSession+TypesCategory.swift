extension AVAudioSession {
    /// A category: the role of an app's sound.
    ///
    /// Apple: `AVAudioSession.Category`
    public struct Category: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Apple's string.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string itself, which programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Category {
    /// Sound that is not essential to the app, and mixes with all others.
    public static let ambient = Self(rawValue: "AVAudioSessionCategoryAmbient")
    /// Sound that is not essential to the app, and does not mix; the default.
    public static let soloAmbient = Self(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Sound that is essential to the app.
    public static let playback = Self(rawValue: "AVAudioSessionCategoryPlayback")
    /// Recording, with other apps' sound interrupted.
    public static let record = Self(rawValue: "AVAudioSessionCategoryRecord")
    /// Recording and playing at the same time.
    public static let playAndRecord = Self(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Playing on several outputs at once.
    public static let multiRoute = Self(rawValue: "AVAudioSessionCategoryMultiRoute")
    /// Offline processing, without sound in or out; deprecated by Apple.
    public static let audioProcessing = Self(rawValue: "AVAudioSessionCategoryAudioProcessing")
}

extension AVAudioSession {
    /// A mode: the use of a category.
    ///
    /// Apple: `AVAudioSession.Mode`
    public struct Mode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Apple's string.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string itself, which programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Mode {
    /// No particular use; the default.
    public static let `default` = Self(rawValue: "AVAudioSessionModeDefault")
    /// Two-way voice, with echo cancellation.
    public static let voiceChat = Self(rawValue: "AVAudioSessionModeVoiceChat")
    /// Voice chat of a game framework.
    public static let gameChat = Self(rawValue: "AVAudioSessionModeGameChat")
    /// Recording of a film's sound.
    public static let videoRecording = Self(rawValue: "AVAudioSessionModeVideoRecording")
    /// Measurement, with as little processing as possible.
    public static let measurement = Self(rawValue: "AVAudioSessionModeMeasurement")
    /// Playback of a film.
    public static let moviePlayback = Self(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Two-way video, through the speaker.
    public static let videoChat = Self(rawValue: "AVAudioSessionModeVideoChat")
    /// Continuous speech, which pauses for prompts instead of being ducked.
    public static let spokenAudio = Self(rawValue: "AVAudioSessionModeSpokenAudio")
    /// Short spoken prompts over other sound.
    public static let voicePrompt = Self(rawValue: "AVAudioSessionModeVoicePrompt")
    /// Short videos of a feed.
    public static let shortFormVideo = Self(rawValue: "AVAudioSessionModeShortFormVideo")
    /// Two routes at once, one built in and one accessory.
    public static let dualRoute = Self(rawValue: "AVAudioSessionModeDualRoute")
}
