/// The verdict of the rules on one participant, given all claims.
package struct Verdict: Hashable, Sendable {
    /// The standing of a participant by the rules; its claim follows a moment later.
    package enum Standing: Hashable, Sendable {
        /// Its claim is idle, or its process stopped. Can move to: active, interrupted.
        case inactive
        /// Live, and not interrupted. Can move to: interrupted, inactive.
        case active
        /// Interrupted by another participant. Can move to: active, inactive.
        case interrupted(Interruption)
    }

    /// Whether the participant is inactive, active or interrupted.
    package var standing: Standing
    /// Whether its sound is ducked, by one depth however many sessions duck.
    package var isDucked = false
    /// Whether its sound is muted because another session records.
    package var isMutedByRecording = false

    /// A verdict with these values.
    package init(standing: Standing, isDucked: Bool = false, isMutedByRecording: Bool = false) {
        self.standing = standing
        self.isDucked = isDucked
        self.isMutedByRecording = isMutedByRecording
    }

    /// The verdict on a participant that is not live, or not there.
    package static let inactive = Verdict(standing: .inactive)
}

/// The rule and the culprit of a session's interruption.
package struct Interruption: Hashable, Sendable {
    /// The rule that was applied.
    package enum Rule: Hashable, Sendable {
        /// A newer session that does not mix (rule 1).
        case newerSession
        /// A newer session that interrupts spoken audio (rule 2).
        case spokenAudio
        /// A newer call (rule 3).
        case call
        /// An older live call, beside which no other session may record (rule 3).
        case refusedByCall
    }

    /// The client index of the nearest interrupter: the oldest one, which may be interrupted itself.
    package let culprit: UInt32
    /// The rule by which it interrupts.
    package let rule: Rule

    /// An interruption by the participant with this client index.
    package init(culprit: UInt32, rule: Rule) {
        self.culprit = culprit
        self.rule = rule
    }
}
