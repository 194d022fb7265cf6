// The session's newest notifications as values with types: `addObserver(of: session, for: .didBecomeActive) { … }`.
// Foundation on Linux delivers a message to those who observe messages, and a notification to those who observe
// notifications; so the session posts both.

extension AVAudioSession {
    /// Why a session became inactive, as a value.
    ///
    /// Apple: `AVAudioSession.DeactivationResult`.
    public enum DeactivationResult: Sendable {
        /// The app, or the library for it, deactivated it.
        case appDeactivated
        /// It was interrupted.
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

    /// The session is active.
    ///
    /// Apple: `AVAudioSession.DidBecomeActiveMessage`.
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        /// The session.
        public typealias Subject = AVAudioSession

        /// That of ``AVAudioSession/didBecomeActiveNotification``.
        public static var name: Notification.Name { didBecomeActiveNotification }

        package init() {}

        /// The message of a notification.
        public static func makeMessage(_ notification: Notification) -> Self? { Self() }

        /// The notification of a message.
        public static func makeNotification(_ message: Self, object: AVAudioSession?) -> Notification {
            Notification(name: name, object: object)
        }
    }

    /// The session is inactive.
    ///
    /// Apple: `AVAudioSession.DidBecomeInactiveMessage`.
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        /// The session.
        public typealias Subject = AVAudioSession

        /// That of ``AVAudioSession/didBecomeInactiveNotification``.
        public static var name: Notification.Name { didBecomeInactiveNotification }

        /// Who made it inactive.
        ///
        /// Apple: `AVAudioSession.DidBecomeInactiveMessage.deactivationResult`.
        public let deactivationResult: DeactivationResult

        package init(_ context: DeactivationContext) { deactivationResult = DeactivationResult(context) }

        /// The message of a notification; `nil` for one that does not say why.
        public static func makeMessage(_ notification: Notification) -> Self? {
            (notification.userInfo?[deactivationContextKey] as? DeactivationContext).map { Self($0) }
        }

        /// The notification of a message.
        public static func makeNotification(_ message: Self, object: AVAudioSession?) -> Notification {
            Notification(
                name: name, object: object, userInfo: [deactivationContextKey: message.deactivationResult.context])
        }
    }

    /// An interruption is over.
    ///
    /// Apple: `AVAudioSession.ResumptionRecommendationMessage`.
    public struct ResumptionRecommendationMessage: NotificationCenter.MainActorMessage, Sendable {
        /// The session.
        public typealias Subject = AVAudioSession

        /// That of ``AVAudioSession/resumptionRecommendationNotification``.
        public static var name: Notification.Name { resumptionRecommendationNotification }

        /// Whether to go on.
        ///
        /// Apple: `AVAudioSession.ResumptionRecommendationMessage.recommendation`.
        public let recommendation: ResumptionRecommendation

        package init(_ context: ResumptionContext) { recommendation = context.recommendation }

        /// The message of a notification; `nil` for one that recommends nothing.
        public static func makeMessage(_ notification: Notification) -> Self? {
            (notification.userInfo?[resumptionContextKey] as? ResumptionContext).map { Self($0) }
        }

        /// The notification of a message.
        public static func makeNotification(_ message: Self, object: AVAudioSession?) -> Notification {
            let context = ResumptionContext(recommendation: message.recommendation)
            return Notification(name: name, object: object, userInfo: [resumptionContextKey: context])
        }
    }

    /// Posts the message that belongs to a notification, if there is one; on the main queue.
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
    /// The session is active.
    ///
    /// Apple: the identifier of `AVAudioSession.DidBecomeActiveMessage`.
    public static var didBecomeActive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.DidBecomeInactiveMessage> {
    /// The session is inactive.
    ///
    /// Apple: the identifier of `AVAudioSession.DidBecomeInactiveMessage`.
    public static var didBecomeInactive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AVAudioSession.ResumptionRecommendationMessage> {
    /// An interruption is over.
    ///
    /// Apple: the identifier of `AVAudioSession.ResumptionRecommendationMessage`.
    public static var resumptionRecommendation: Self { .init() }
}
