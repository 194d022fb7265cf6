// The session's newest notifications as typed messages: `addObserver(of: session, for: .didBecomeActive) { … }`.
// Foundation on Linux delivers messages to observers of messages only, and notifications to observers of notifications
// only, so the session posts both.

extension AVAudioSession {
    /// The reason why a session became inactive.
    ///
    /// Apple: `AVAudioSession.DeactivationResult`.
    public enum DeactivationResult: Sendable {
        /// The app deactivated it, or the library did because nothing used it.
        case appDeactivated
        /// An interruption.
        case systemInterruption(InterruptionContext)

        fileprivate init(_ context: DeactivationContext) {
            self = context.interruptionContext.map { .systemInterruption($0) } ?? .appDeactivated
        }

        fileprivate var context: DeactivationContext {
            switch self {
            case .appDeactivated: DeactivationContext(source: .app)
            case .systemInterruption(let context): DeactivationContext(source: .system, interruptionContext: context)
            }
        }
    }

    /// A message: the session became active.
    ///
    /// Apple: `AVAudioSession.DidBecomeActiveMessage`.
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        /// The sender's class.
        public typealias Subject = AVAudioSession

        /// The name of ``AVAudioSession/didBecomeActiveNotification``.
        public static var name: Notification.Name { didBecomeActiveNotification }

        package init() {}

        /// The message of a notification.
        public static func makeMessage(_ notification: Notification) -> Self? { Self() }

        /// The notification of a message.
        public static func makeNotification(_ message: Self, object: AVAudioSession?) -> Notification {
            Notification(name: name, object: object)
        }
    }

    /// A message: the session became inactive.
    ///
    /// Apple: `AVAudioSession.DidBecomeInactiveMessage`.
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        /// The sender's class.
        public typealias Subject = AVAudioSession

        /// The name of ``AVAudioSession/didBecomeInactiveNotification``.
        public static var name: Notification.Name { didBecomeInactiveNotification }

        /// The reason.
        ///
        /// Apple: `AVAudioSession.DidBecomeInactiveMessage.deactivationResult`.
        public let deactivationResult: DeactivationResult

        package init(_ context: DeactivationContext) { deactivationResult = DeactivationResult(context) }

        /// The message of a notification; nil for a notification without a reason.
        public static func makeMessage(_ notification: Notification) -> Self? {
            (notification.userInfo?[deactivationContextKey] as? DeactivationContext).map { Self($0) }
        }

        /// The notification of a message.
        public static func makeNotification(_ message: Self, object: AVAudioSession?) -> Notification {
            Notification(
                name: name, object: object, userInfo: [deactivationContextKey: message.deactivationResult.context])
        }
    }

    /// A message: an interruption is over, with a recommendation.
    ///
    /// Apple: `AVAudioSession.ResumptionRecommendationMessage`.
    public struct ResumptionRecommendationMessage: NotificationCenter.MainActorMessage, Sendable {
        /// The sender's class.
        public typealias Subject = AVAudioSession

        /// The name of ``AVAudioSession/resumptionRecommendationNotification``.
        public static var name: Notification.Name { resumptionRecommendationNotification }

        /// Whether the app should resume.
        ///
        /// Apple: `AVAudioSession.ResumptionRecommendationMessage.recommendation`.
        public let recommendation: ResumptionRecommendation

        package init(_ context: ResumptionContext) { recommendation = context.recommendation }

        /// The message of a notification; nil for a notification without a recommendation.
        public static func makeMessage(_ notification: Notification) -> Self? {
            (notification.userInfo?[resumptionContextKey] as? ResumptionContext).map { Self($0) }
        }

        /// The notification of a message.
        public static func makeNotification(_ message: Self, object: AVAudioSession?) -> Notification {
            let context = ResumptionContext(recommendation: message.recommendation)
            return Notification(name: name, object: object, userInfo: [resumptionContextKey: context])
        }
    }

    /// Posts the message that corresponds to a notification, if there is one; on the main queue.
    func postMessage(of notification: Notification) {
        func post<Message: NotificationCenter.MainActorMessage & Sendable>(_ message: Message?)
        where Message.Subject == AVAudioSession {
            guard let message else { return }
            MainActor.assumeIsolated { NotificationCenter.default.post(message, subject: self) }
        }
        switch notification.name {
        case DidBecomeActiveMessage.name: post(DidBecomeActiveMessage.makeMessage(notification))
        case DidBecomeInactiveMessage.name: post(DidBecomeInactiveMessage.makeMessage(notification))
        case ResumptionRecommendationMessage.name: post(ResumptionRecommendationMessage.makeMessage(notification))
        default: break
        }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeActiveMessage> {
    /// The identifier of the message that the session became active.
    ///
    /// Apple: the identifier of `AVAudioSession.DidBecomeActiveMessage`.
    public static var didBecomeActive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeInactiveMessage> {
    /// The identifier of the message that the session became inactive.
    ///
    /// Apple: the identifier of `AVAudioSession.DidBecomeInactiveMessage`.
    public static var didBecomeInactive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.ResumptionRecommendationMessage> {
    /// The identifier of the message that an interruption is over.
    ///
    /// Apple: the identifier of `AVAudioSession.ResumptionRecommendationMessage`.
    public static var resumptionRecommendation: Self { .init() }
}
