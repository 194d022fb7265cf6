extension AVAudioSession {
    /// What is known about an interruption.
    ///
    /// Apple: `AVAudioSession.InterruptionContext`
    public final class InterruptionContext: NSObject, Sendable {
        /// Why the session was interrupted.
        public let reason: InterruptionReason

        package init(reason: InterruptionReason) { self.reason = reason }
    }

    /// Why a session became inactive.
    ///
    /// Apple: `AVAudioSession.DeactivationContext`
    public final class DeactivationContext: NSObject, Sendable {
        /// Who made it inactive.
        public let source: DeactivationSource

        /// The interruption, if it was one.
        public let interruptionContext: InterruptionContext?

        package init(source: DeactivationSource, interruptionContext: InterruptionContext? = nil) {
            self.source = source
            self.interruptionContext = interruptionContext
        }
    }

    /// What is recommended after an interruption.
    ///
    /// Apple: `AVAudioSession.ResumptionContext`
    public final class ResumptionContext: NSObject, Sendable {
        /// Whether to go on.
        public let recommendation: ResumptionRecommendation

        package init(recommendation: ResumptionRecommendation) { self.recommendation = recommendation }
    }
}
