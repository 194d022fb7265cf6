/// The category of a session: the purpose of its sound.
///
/// | category | silenced by lock | mixes | output | input |
/// |---|---|---|---|---|
/// | ambient | yes | always | yes | no |
/// | soloAmbient | yes | never | yes | no |
/// | playback | no | by option | yes | no |
/// | record | no | never | no | yes |
/// | playAndRecord | no | by option | yes | yes |
/// | multiRoute | no | by option, in mode default | yes | yes |
/// | audioProcessing | – | never | no | no |
///
/// Apple: `AVAudioSession.Category`, with the same raw strings.
package enum Category: String, CaseIterable, Sendable {
    /// Sound that the app works without; it always mixes.
    case ambient = "AVAudioSessionCategoryAmbient"
    /// Sound that the app works without; it does not mix. The default.
    case soloAmbient = "AVAudioSessionCategorySoloAmbient"
    /// Sound that is central to the app.
    case playback = "AVAudioSessionCategoryPlayback"
    /// Recording while all other sound is silent.
    case record = "AVAudioSessionCategoryRecord"
    /// Recording and playing at the same time.
    case playAndRecord = "AVAudioSessionCategoryPlayAndRecord"
    /// Several outputs at once.
    case multiRoute = "AVAudioSessionCategoryMultiRoute"
    /// Offline processing; deprecated by Apple, and accepted without any sound in or out.
    case audioProcessing = "AVAudioSessionCategoryAudioProcessing"

    /// Whether a session of this category may capture sound.
    package var allowsInput: Bool {
        switch self {
        case .record, .playAndRecord, .multiRoute: true
        case .ambient, .soloAmbient, .playback, .audioProcessing: false
        }
    }

    /// Whether a session of this category may be heard.
    package var allowsOutput: Bool {
        switch self {
        case .ambient, .soloAmbient, .playback, .playAndRecord, .multiRoute: true
        case .record, .audioProcessing: false
        }
    }

    /// Whether the silent switch and the screen lock silence this category.
    package var silencedByLock: Bool { self == .ambient || self == .soloAmbient }

    /// The categories that a machine can serve; those that need an input are left out where there is none.
    ///
    /// `audioProcessing` is never offered: it is accepted for old code only.
    ///
    /// Apple: `AVAudioSession.availableCategories`.
    package static func available(hasInput: Bool) -> [Category] {
        allCases.filter { $0 != .audioProcessing && (hasInput || $0 != .record && $0 != .playAndRecord) }
    }

    /// The case's name as it is spelled in Swift and on the command line.
    package var name: String { swiftName(of: rawValue, after: "AVAudioSessionCategory") }
}
