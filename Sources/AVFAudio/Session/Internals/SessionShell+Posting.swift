internal import Foundation
internal import SessionPolicy

extension SessionShell {
    /// Tells of something on the main queue, where apps written for Apple's systems expect it, or where this one does.
    func post(_ notification: SessionNotification) {
        // Not kept until the main queue has its turn: who is let go of falls silent then, and records no more.
        let participants = liveParticipants.map { WeakParticipant(value: $0) }
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

    /// The typed messages are the main actor's, wherever else the app is told of things.
    private func postMessages(of notification: SessionNotification) {
        guard let session else { return }
        for (name, userInfo) in notification.posted {
            session.postMessage(of: Notification(name: name, object: session, userInfo: userInfo))
        }
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

extension SessionShell {
    /// What had stopped players and recorders is over without a word of its end, as the app gave the session up or came
    /// back by itself: a later interruption is none of theirs.
    ///
    /// In order with what is told: who gives up the session as it hears of the beginning keeps nobody from hearing it.
    func forgetInterruptions() {
        let flags = liveParticipants.map(\.interrupted).filter(\.isSet).map { ($0, $0.times) }
        guard !flags.isEmpty else { return }
        Delivery.perform {
            for (flag, times) in flags { flag.clear(ifSet: times) }
        }
    }
}

extension SessionShell {
    /// Tells of another route as Apple does: on a thread that is not the main one; observers may take their time there.
    func post(_ change: RouteChange) {
        let info: [AnyHashable: Any] = [
            AVAudioSessionRouteChangeReasonKey: NSNumber(value: change.reason.rawValue),
            AVAudioSessionRouteChangePreviousRouteKey: description(of: change.previous),
        ]
        NotificationCenter.default.post(
            name: AVAudioSession.routeChangeNotification, object: session, userInfo: info)
        guard change.previous.renderedChannels != change.current.renderedChannels else { return }
        NotificationCenter.default.post(
            name: AVAudioSession.renderingCapabilitiesChangeNotification, object: session)
    }

    /// Tells, on the thread that tells of routes, that the session is heard in more or fewer channels than before.
    func postRendering(_ record: RenderingRecord) {
        guard let session else { return }
        let mode = session.renderingMode
        guard record.isNews(mode) else { return }
        NotificationCenter.default.post(
            name: AVAudioSession.renderingModeChangeNotification, object: session,
            userInfo: [AVAudioSessionRenderingModeNewRenderingModeKey: mode.userInfoValue])
    }

    /// Tells, on the same thread, that there are other things to record from.
    func postInputsChange() {
        NotificationCenter.default.post(name: AVAudioSession.availableInputsChangeNotification, object: session)
        guard delegateRelay.delegate != nil, let session else { return }
        delegateRelay.inputsChanged(session.isInputAvailable)
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
