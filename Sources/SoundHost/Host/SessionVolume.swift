internal import Glibc
internal import SessionPolicy

/// The gain that other sessions leave to this one's sound while it plays.
enum VerdictGain: Hashable, Sendable {
    /// The session is heard at its full volume.
    case full
    /// The session is ducked by so many dB.
    case ducked(decibels: Double)
    /// The session is silent, since another one records.
    case muted

    /// The factor of the samples.
    var amplitude: Float {
        switch self {
        case .full: 1
        case .ducked(let decibels): Float(pow(10, -decibels / 20))
        case .muted: 0
        }
    }
}

/// The volume of a session: combines the verdict of other sessions, the app's mutes, and the desktop's silence into one
/// gain of the output, and decides whether inputs are silent.
///
/// A value without a server or a clock; the owner applies the ``Fade`` that each change returns.
struct SessionVolume: Hashable, Sendable {
    /// A change of the output's gain.
    struct Fade: Hashable, Sendable {
        /// The factor of all samples of the session, 0 to 1.
        let gain: Float
        /// The length of the ramp, in seconds.
        let seconds: Double
    }

    /// How long it takes to fall silent for the desktop and to come back, without a click, in seconds.
    private static let quietFade = 0.05
    /// How long it takes when the app mutes its output, in seconds.
    private static let muteFade = 0.02

    private let duckDepth: Double
    private let duckDownSeconds: Double
    private let duckUpSeconds: Double
    private var verdictGain = VerdictGain.full
    private var isOutputMuted = false
    private var isQuieted = false
    private var quiet = QuietFacts()
    /// Whether recordings of the session are silent, since the app muted its input.
    private(set) var isInputMuted = false

    /// A session at full volume.
    ///
    /// - Parameter policy: The user's depth and ramps of ducking.
    init(policy: UserPolicy) {
        duckDepth = policy.duckDepth
        duckDownSeconds = policy.duckDownSeconds
        duckUpSeconds = policy.duckUpSeconds
    }

    /// The factor of all samples of the session, 0 to 1.
    var outputGain: Float { isOutputMuted || isQuieted ? 0 : verdictGain.amplitude }

    /// Ducks or mutes the session as a verdict says, or lets it be heard; nil where the verdict changes nothing.
    ///
    /// Every process ramps its own mixer, so that no session stays ducked by a process that is gone.
    mutating func follow(_ verdict: Verdict) -> Fade? {
        let gain: VerdictGain =
            verdict.isMutedByRecording ? .muted : verdict.isDucked ? .ducked(decibels: duckDepth) : .full
        guard gain != verdictGain else { return nil }
        verdictGain = gain
        return Fade(gain: outputGain, seconds: gain == .full ? duckUpSeconds : duckDownSeconds)
    }

    /// Mutes the output for the app, or ends that.
    mutating func setOutputMuted(_ muted: Bool) -> Fade {
        isOutputMuted = muted
        return Fade(gain: outputGain, seconds: Self.muteFade)
    }

    /// Mutes the input for the app, or ends that.
    mutating func setInputMuted(_ muted: Bool) { isInputMuted = muted }

    /// Takes over what asks for quiet, for a session with these settings; nil where that changes nothing.
    mutating func updateQuiet(
        for settings: SessionSettings, _ change: (inout QuietFacts) -> Void = { _ in }
    ) -> Fade? {
        change(&quiet)
        let isQuieted = quiet.silences(settings)
        guard isQuieted != self.isQuieted else { return nil }
        self.isQuieted = isQuieted
        return Fade(gain: outputGain, seconds: Self.quietFade)
    }
}
