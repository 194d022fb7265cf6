internal import Glibc
internal import SessionPolicy

/// The gain of this session's playback, as decided by the verdict.
enum VerdictGain: Hashable, Sendable {
    /// Full volume.
    case full
    /// Ducked by this many dB.
    case ducked(decibels: Double)
    /// Silent, as another session records.
    case muted

    /// The gain factor of the samples.
    var amplitude: Float {
        switch self {
        case .full: 1
        case .ducked(let decibels): Float(pow(10, -decibels / 20))
        case .muted: 0
        }
    }
}

/// The volume of a session.
///
/// It combines the verdict, the app's mutes and the desktop's silence into one gain of the output, and decides whether
/// inputs are silent.
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

    /// The length of the fade to and from the desktop's silence, in seconds; it avoids clicks.
    private static let quietFade = 0.05
    /// The length of the fade when the app mutes its output, in seconds.
    private static let muteFade = 0.02

    private let duckDepth: Double
    private let duckDownSeconds: Double
    private let duckUpSeconds: Double
    private var verdictGain = VerdictGain.full
    private var isOutputMuted = false
    private var isQuieted = false
    private var quiet = QuietFacts()
    /// Whether the session's recordings are silent because the app muted its input.
    private(set) var isInputMuted = false

    /// Creates the volume of a session at full gain.
    ///
    /// - Parameter policy: The user's depth and ramps of ducking.
    init(policy: UserPolicy) {
        duckDepth = policy.duckDepth
        duckDownSeconds = policy.duckDownSeconds
        duckUpSeconds = policy.duckUpSeconds
    }

    /// The factor of all samples of the session, 0 to 1.
    var outputGain: Float { isOutputMuted || isQuieted ? 0 : verdictGain.amplitude }

    /// Applies a verdict; nil if the gain does not change.
    ///
    /// Every process ramps its own mixer, so that no session stays ducked by a process that has exited.
    mutating func follow(_ verdict: Verdict) -> Fade? {
        let gain: VerdictGain =
            verdict.isMutedByRecording ? .muted : verdict.isDucked ? .ducked(decibels: duckDepth) : .full
        guard gain != verdictGain else { return nil }
        verdictGain = gain
        return Fade(gain: outputGain, seconds: gain == .full ? duckUpSeconds : duckDownSeconds)
    }

    /// Mutes or unmutes the output for the app.
    mutating func setOutputMuted(_ muted: Bool) -> Fade {
        isOutputMuted = muted
        return Fade(gain: outputGain, seconds: Self.muteFade)
    }

    /// Mutes or unmutes the input for the app.
    mutating func setInputMuted(_ muted: Bool) { isInputMuted = muted }

    /// Applies changed reasons for quiet to a session with these settings; nil if the gain does not change.
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
