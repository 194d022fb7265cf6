internal import AudioHost
internal import AudioSession
internal import Foundation
internal import Locks
internal import SessionPolicy

/// The relay of a session's deliveries to the app: notifications, messages, delegate calls.
///
/// Owned by the session, which is the notifications' object.
final class SessionRelay: SessionReceiver {
    private struct State {
        weak var session: AVAudioSession?
        weak var application: AVAudioApplication?
        var soundHandler: (@Sendable () -> Void)?
        /// The rendering mode of the last notification.
        var renderingMode = AVAudioSession.RenderingMode.notApplicable
    }

    private let state = Guarded(State())
    let delegateRelay = SessionDelegateRelay()

    /// The object of notifications about the session.
    var session: AVAudioSession? {
        get { state.withLock { $0.session } }
        set { state.withLock { $0.session = newValue } }
    }

    /// The object of notifications about the input.
    var application: AVAudioApplication? {
        get { state.withLock { $0.application } }
        set { state.withLock { $0.application = newValue } }
    }

    /// The handler of the first start of a player or recorder, and of the last stop; maybe called with the host's lock
    /// held.
    var soundHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.soundHandler } }
        set { state.withLock { $0.soundHandler = newValue } }
    }

    func receive(_ delivery: SessionDelivery) {
        switch delivery {
        case .notification(let notification, let participants): post(notification, to: participants)
        case .forgetInterruptions(let forgotten): Delivery.perform { for one in forgotten { one.forget() } }
        case .route(let change): post(change)
        case .rendering: postRendering()
        case .inputs: postInputsChange()
        case .sound: soundHandler?()
        }
    }

    /// Posts a notification on the main queue, or where the app's deliveries go.
    private func post(_ notification: SessionNotification, to participants: [WeakParticipant]) {
        let decided = StepTrace.now
        Delivery.perform(isAwaited: notification.isNews) { [self] in
            StepTrace.measure(.delivery, .init(StepTrace.word(for: notification), decided: decided)) {
                tell(notification, participants)
            }
        }
    }

    /// Tells observers, the delegate, and players and recorders, where the app's deliveries go.
    private func tell(_ notification: SessionNotification, _ participants: [WeakParticipant]) {
        for (name, userInfo) in notification.posted {
            let object: AnyObject? = notification.isOfApplication ? application : session
            NotificationCenter.default.post(name: name, object: object, userInfo: userInfo)
        }
        if Delivery.isOnMainActor { postMessages(of: notification) }
        switch notification {
        case .interruptionBegan:
            delegateRelay.interruptionBegan()
            for participant in participants { participant.value?.interruptionBegan() }
        case .interruptionEnded(let mayResume):
            delegateRelay.interruptionEnded(shouldResume: mayResume)
            for participant in participants {
                participant.value?.interruptionEnded(shouldResume: mayResume)
            }
        case .activated, .deactivated, .refusalEnded, .secondaryAudioHint, .outputMuted, .inputMuted,
            .servicesLost, .servicesReset:
            break
        }
    }

    /// Posts the typed messages, on the main actor, to which they belong.
    ///
    /// Where the app's deliveries go elsewhere there are none: a main queue that nobody runs would only keep them.
    private func postMessages(of notification: SessionNotification) {
        guard let session else { return }
        for (name, userInfo) in notification.posted {
            session.postMessage(of: Notification(name: name, object: session, userInfo: userInfo))
        }
    }

    /// Posts a route change on the route queue, as Apple does on a background thread; observers may block.
    private func post(_ change: RouteChange) {
        guard let session else { return }
        let info: [AnyHashable: Any] = [
            AVAudioSessionRouteChangeReasonKey: NSNumber(value: change.reason.rawValue),
            AVAudioSessionRouteChangePreviousRouteKey: session.description(of: change.previous),
        ]
        NotificationCenter.default.post(
            name: AVAudioSession.routeChangeNotification, object: session, userInfo: info)
        guard change.previous.renderedChannels != change.current.renderedChannels else { return }
        NotificationCenter.default.post(
            name: AVAudioSession.renderingCapabilitiesChangeNotification, object: session)
    }

    /// Posts, on the route queue, a change of the rendering mode.
    private func postRendering() {
        guard let session else { return }
        let mode = session.renderingMode
        let isNews = state.withLock { state in
            defer { state.renderingMode = mode }
            return state.renderingMode != mode
        }
        guard isNews else { return }
        NotificationCenter.default.post(
            name: AVAudioSession.renderingModeChangeNotification, object: session,
            userInfo: [AVAudioSessionRenderingModeNewRenderingModeKey: mode.userInfoValue])
    }

    /// Posts, on the route queue, a change of the available inputs.
    private func postInputsChange() {
        guard let session else { return }
        NotificationCenter.default.post(name: AVAudioSession.availableInputsChangeNotification, object: session)
        guard delegateRelay.delegate != nil else { return }
        delegateRelay.inputsChanged(session.isInputAvailable)
    }
}

extension SessionNotification {
    /// Whether the app misbehaves if it misses the notification.
    fileprivate var isNews: Bool {
        switch self {
        case .interruptionBegan, .interruptionEnded, .servicesLost, .servicesReset: true
        case .activated, .deactivated, .refusalEnded, .secondaryAudioHint, .outputMuted, .inputMuted: false
        }
    }
}

extension SessionNotification {
    /// Whether the notification's object is the app, and not the session.
    fileprivate var isOfApplication: Bool { if case .inputMuted = self { true } else { false } }

    /// The notifications with their user info, in which enumerations are numbers, as Apple documents them.
    ///
    /// An interruption is posted in two ways: as the established notification, and as the one that replaces it since
    /// iOS 27.
    fileprivate var posted: [(Notification.Name, [AnyHashable: Any]?)] {
        switch self {
        case .interruptionBegan(let cause, let origin): Self.began(cause, by: origin)
        case .interruptionEnded(let mayResume): Self.ended(mayResume)
        case .refusalEnded: [Self.recommendation(true)]
        case .activated: [(AVAudioSession.didBecomeActiveNotification, nil)]
        case .deactivated:
            [
                (
                    AVAudioSession.didBecomeInactiveNotification,
                    [AVAudioSession.deactivationContextKey: AVAudioSession.DeactivationContext(source: .app)]
                )
            ]
        case .secondaryAudioHint(let begins): [Self.hint(begins)]
        case .outputMuted(let muted):
            [
                (
                    AVAudioSession.outputMuteStateChangeNotification,
                    [AVAudioSession.muteStateKey: NSNumber(value: muted ? 1 : 0)]
                )
            ]
        case .inputMuted(let muted):
            [
                (
                    AVAudioApplication.inputMuteStateChangeNotification,
                    [AVAudioApplication.muteStateKey: NSNumber(value: muted)]
                )
            ]
        case .servicesLost: [(AVAudioSession.mediaServicesWereLostNotification, nil)]
        case .servicesReset: [(AVAudioSession.mediaServicesWereResetNotification, nil)]
        }
    }

    private static func began(
        _ cause: InterruptionCause, by origin: InterruptionOrigin?
    ) -> [(Notification.Name, [AnyHashable: Any]?)] {
        let reason = AVAudioSession.InterruptionReason(rawValue: cause.reason.rawValue) ?? .default
        var info: [AnyHashable: Any] = [
            AVAudioSessionInterruptionTypeKey: NSNumber(value: AVAudioSession.InterruptionType.began.rawValue),
            AVAudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
        ]
        info[AVAudioSessionInterruptionOriginKey] = origin.map { AVAudioSession.InterruptionOrigin($0) }
        let context = AVAudioSession.DeactivationContext(
            source: .system, interruptionContext: AVAudioSession.InterruptionContext(reason: reason))
        return [
            (AVAudioSession.interruptionNotification, info),
            (AVAudioSession.didBecomeInactiveNotification, [AVAudioSession.deactivationContextKey: context]),
        ]
    }

    private static func ended(_ mayResume: Bool) -> [(Notification.Name, [AnyHashable: Any]?)] {
        let options: AVAudioSession.InterruptionOptions = mayResume ? .shouldResume : []
        return [
            (
                AVAudioSession.interruptionNotification,
                [
                    AVAudioSessionInterruptionTypeKey: NSNumber(value: AVAudioSession.InterruptionType.ended.rawValue),
                    AVAudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
                ]
            ),
            recommendation(mayResume),
        ]
    }

    private static func recommendation(_ mayResume: Bool) -> (Notification.Name, [AnyHashable: Any]?) {
        let context = AVAudioSession.ResumptionContext(recommendation: mayResume ? .shouldResume : .shouldNotResume)
        return (AVAudioSession.resumptionRecommendationNotification, [AVAudioSession.resumptionContextKey: context])
    }

    private static func hint(_ begins: Bool) -> (Notification.Name, [AnyHashable: Any]?) {
        let type: AVAudioSession.SilenceSecondaryAudioHintType = begins ? .begin : .end
        return (
            AVAudioSession.silenceSecondaryAudioHintNotification,
            [AVAudioSessionSilenceSecondaryAudioHintTypeKey: NSNumber(value: type.rawValue)]
        )
    }
}
