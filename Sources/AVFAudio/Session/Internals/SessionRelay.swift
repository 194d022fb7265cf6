internal import AudioSession
internal import Foundation
internal import Locks
internal import SessionPolicy

/// Tells the app what its session delivers, in Apple's ways: notifications, messages, delegate calls.
///
/// Owned by the session that is the notifications' object.
final class SessionRelay: SessionReceiver {
    private struct State {
        weak var session: AVAudioSession?
        weak var application: AVAudioApplication?
        var soundHandler: (@Sendable () -> Void)?
        /// The rendering mode that the app was told last.
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

    /// Called when the first player or recorder runs, and when none does any more; maybe with the host's lock held.
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

    /// Posts a notification on the main queue, where apps written for Apple's systems expect it, or where this app does.
    private func post(_ notification: SessionNotification, to participants: [WeakParticipant]) {
        Delivery.perform(isAwaited: notification.isNews) { [self] in
            for (name, userInfo) in notification.posted {
                let object: AnyObject? = notification.isOfApplication ? application : session
                NotificationCenter.default.post(name: name, object: object, userInfo: userInfo)
            }
            Delivery.performOnMain { [self] in postMessages(of: notification) }
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
    }

    /// Posts the typed messages, which are the main actor's, wherever else the app is told of things.
    private func postMessages(of notification: SessionNotification) {
        guard let session else { return }
        for (name, userInfo) in notification.posted {
            session.postMessage(of: Notification(name: name, object: session, userInfo: userInfo))
        }
    }

    /// Posts a route change as Apple does: on a thread that is not the main one; observers may take their time there.
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

    /// Posts, on the thread of route changes, that the session is heard in more or fewer channels than before.
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

    /// Posts, on the same thread, that there are other things to record from.
    private func postInputsChange() {
        guard let session else { return }
        NotificationCenter.default.post(name: AVAudioSession.availableInputsChangeNotification, object: session)
        guard delegateRelay.delegate != nil else { return }
        delegateRelay.inputsChanged(session.isInputAvailable)
    }
}

extension SessionNotification {
    /// Whether an app that does not hear of it behaves badly.
    fileprivate var isNews: Bool {
        switch self {
        case .interruptionBegan, .interruptionEnded, .servicesLost, .servicesReset: true
        case .activated, .deactivated, .refusalEnded, .secondaryAudioHint, .outputMuted, .inputMuted: false
        }
    }
}

extension SessionNotification {
    /// Whether it is about the app, and not about its session.
    fileprivate var isOfApplication: Bool { if case .inputMuted = self { true } else { false } }

    /// The notifications and their user info, as Apple documents them: enumerations are numbers.
    ///
    /// An interruption is told in both ways: the one that every app knows, and the one that replaces it since iOS 27.
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
        let reason: AVAudioSession.InterruptionReason =
            switch cause {
            case .inputMuted: .builtInMicMuted
            case .routeDisconnected: .routeDisconnected
            default: .default
            }
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
