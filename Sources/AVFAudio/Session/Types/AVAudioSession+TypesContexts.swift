extension AVAudioSession {
    /// The details of an interruption.
    ///
    /// Apple: `AVAudioSession.InterruptionContext`
    public final class InterruptionContext: NSObject, Sendable {
        /// The reason for the interruption.
        public let reason: InterruptionReason

        package init(reason: InterruptionReason) { self.reason = reason }
    }

    /// The details of a deactivation.
    ///
    /// Apple: `AVAudioSession.DeactivationContext`
    public final class DeactivationContext: NSObject, Sendable {
        /// The cause of the deactivation: the app or the system.
        public let source: DeactivationSource

        /// The details of the interruption; nil for a deactivation by the app.
        public let interruptionContext: InterruptionContext?

        package init(source: DeactivationSource, interruptionContext: InterruptionContext? = nil) {
            self.source = source
            self.interruptionContext = interruptionContext
        }
    }

    /// The recommendation after an interruption.
    ///
    /// Apple: `AVAudioSession.ResumptionContext`
    public final class ResumptionContext: NSObject, Sendable {
        /// Whether the app should resume.
        public let recommendation: ResumptionRecommendation

        package init(recommendation: ResumptionRecommendation) { self.recommendation = recommendation }
    }
}
