/// What the rules say of one participant, given all claims.
package struct Verdict: Hashable, Sendable {
    /// Where a participant stands by the rules; its claim follows a moment later.
    package enum Standing: Hashable, Sendable {
        /// It wants nothing, or its process is stopped. Can move to: active, interrupted.
        case inactive
        /// Nothing stands in its way. Can move to: interrupted, inactive.
        case active
        /// Somebody does. Can move to: active, inactive.
        case interrupted(Interruption)
    }

    /// Where the participant stands.
    package var standing: Standing
    /// Whether its sound is lowered, by one depth however many ask for it.
    package var isDucked = false
    /// Whether its sound is muted because somebody records.
    package var isMutedByRecording = false

    /// A verdict; the sound is left as it is if nothing else is said.
    package init(standing: Standing, isDucked: Bool = false, isMutedByRecording: Bool = false) {
        self.standing = standing
        self.isDucked = isDucked
        self.isMutedByRecording = isMutedByRecording
    }

    /// The verdict on those who want nothing.
    package static let inactive = Verdict(standing: .inactive)
}

/// Why a session is interrupted, and by whom.
package struct Interruption: Hashable, Sendable {
    /// The rule that was applied.
    package enum Rule: Hashable, Sendable {
        /// A newer session that does not mix (rule 1).
        case newerSession
        /// A newer session that interrupts spoken audio (rule 2).
        case spokenAudio
        /// A newer call (rule 3).
        case call
        /// An older call that still lives, and that nobody may record beside (rule 3).
        case refusedByCall
    }

    /// The nearest of those who interrupt: the oldest one, which may be interrupted itself.
    package let culprit: UInt32
    /// The rule by which it interrupts.
    package let rule: Rule

    /// An interruption by the participant with this client index.
    package init(culprit: UInt32, rule: Rule) {
        self.culprit = culprit
        self.rule = rule
    }
}
