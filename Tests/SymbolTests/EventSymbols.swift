import AVFAudio
import Testing

extension SymbolLedger {
    mutating func events() {
        notifications()
        keys()
        contexts()
        messages()
    }

    private mutating func notifications() {
        // MARK: Notifications of AVAudioSession
        works(AVAudioSession.interruptionNotification, raw: "AVAudioSessionInterruptionNotification")
        works(AVAudioSession.routeChangeNotification, raw: "AVAudioSessionRouteChangeNotification")
        works(AVAudioSession.mediaServicesWereLostNotification, raw: "AVAudioSessionMediaServicesWereLostNotification")
        works(
            AVAudioSession.mediaServicesWereResetNotification, raw: "AVAudioSessionMediaServicesWereResetNotification")
        works(
            AVAudioSession.silenceSecondaryAudioHintNotification,
            raw: "AVAudioSessionSilenceSecondaryAudioHintNotification")
        works(
            AVAudioSession.spatialPlaybackCapabilitiesChangedNotification,
            raw: "AVAudioSessionSpatialPlaybackCapabilitiesChangedNotification",
            note: "never posted: they are none, always")
        works(AVAudioSession.renderingModeChangeNotification, raw: "AVAudioSessionRenderingModeChangeNotification")
        works(
            AVAudioSession.renderingCapabilitiesChangeNotification,
            raw: "AVAudioSessionRenderingCapabilitiesChangeNotification")
        works(
            AVAudioSession.microphoneInjectionCapabilitiesChangeNotification,
            raw: "AVAudioSessionMicrophoneInjectionCapabilitiesChangeNotification",
            note: "never posted: they are none, always")
        works(AVAudioSession.outputMuteStateChangeNotification, raw: "AVAudioSessionOutputMuteStateChangeNotification")
        accepts(
            AVAudioSession.userIntentToUnmuteOutputNotification,
            raw: "AVAudioSessionUserIntentToUnmuteOutputNotification",
            because: "never posted: no desktop tells an app that a volume key was pressed for it")
        works(AVAudioSession.availableInputsChangeNotification, raw: "AVAudioSessionAvailableInputsChangeNotification")
        works(AVAudioSession.didBecomeActiveNotification, raw: "AVAudioSessionDidBecomeActiveNotification")
        works(AVAudioSession.didBecomeInactiveNotification, raw: "AVAudioSessionDidBecomeInactiveNotification")
        works(
            AVAudioSession.resumptionRecommendationNotification,
            raw: "AVAudioSessionResumptionRecommendationNotification")
    }

    private mutating func keys() {
        // MARK: Keys of their user info
        works(AVAudioSessionInterruptionTypeKey, is: "AVAudioSessionInterruptionTypeKey")
        works(AVAudioSessionInterruptionReasonKey, is: "AVAudioSessionInterruptionReasonKey")
        works(
            AVAudioSessionInterruptionWasSuspendedKey, is: "AVAudioSessionInterruptionWasSuspendedKey",
            note: "never there, as on systems since iOS 14.5")
        works(AVAudioSessionInterruptionOptionKey, is: "AVAudioSessionInterruptionOptionKey")
        works(AVAudioSessionRouteChangeReasonKey, is: "AVAudioSessionRouteChangeReasonKey")
        works(AVAudioSessionRouteChangePreviousRouteKey, is: "AVAudioSessionRouteChangePreviousRouteKey")
        works(AVAudioSessionSilenceSecondaryAudioHintTypeKey, is: "AVAudioSessionSilenceSecondaryAudioHintTypeKey")
        works(
            AVAudioSessionSpatialAudioEnabledKey, is: "AVAudioSessionSpatialAudioEnabledKey",
            note: "of a notification that is never posted")
        works(AVAudioSessionRenderingModeNewRenderingModeKey, is: "AVAudioSessionRenderingModeNewRenderingModeKey")
        works(
            AVAudioSessionMicrophoneInjectionIsAvailableKey, is: "AVAudioSessionMicrophoneInjectionIsAvailableKey",
            note: "of a notification that is never posted")
        works(AVAudioSession.muteStateKey, is: "AVAudioSessionMuteStateKey")
        works(AVAudioSession.deactivationContextKey, is: "AVAudioSessionDeactivationContextKey")
        works(AVAudioSession.resumptionContextKey, is: "AVAudioSessionResumptionContextKey")
    }

    private mutating func contexts() {
        // MARK: Contexts
        works(AVAudioSession.InterruptionContext.self)
        works(\AVAudioSession.InterruptionContext.reason)
        works(AVAudioSession.DeactivationContext.self)
        works(\AVAudioSession.DeactivationContext.source)
        works(\AVAudioSession.DeactivationContext.interruptionContext)
        works(AVAudioSession.ResumptionContext.self)
        works(\AVAudioSession.ResumptionContext.recommendation)
    }

    private mutating func messages() {
        // MARK: Messages
        works(AVAudioSession.DeactivationResult.self)
        works(AVAudioSession.DeactivationResult.appDeactivated)
        works(AVAudioSession.DeactivationResult.systemInterruption(_:))
        works(AVAudioSession.DidBecomeActiveMessage.self)
        works(AVAudioSession.DidBecomeInactiveMessage.self)
        works(\AVAudioSession.DidBecomeInactiveMessage.deactivationResult)
        works(AVAudioSession.ResumptionRecommendationMessage.self)
        works(\AVAudioSession.ResumptionRecommendationMessage.recommendation)
        typealias Identifier<Message: NotificationCenter.MainActorMessage> =
            NotificationCenter.BaseMessageIdentifier<Message>
        works(
            Identifier<AVAudioSession.DidBecomeActiveMessage>.didBecomeActive,
            named: "NotificationCenter.MessageIdentifier.didBecomeActive")
        works(
            Identifier<AVAudioSession.DidBecomeInactiveMessage>.didBecomeInactive,
            named: "NotificationCenter.MessageIdentifier.didBecomeInactive")
        works(
            Identifier<AVAudioSession.ResumptionRecommendationMessage>.resumptionRecommendation,
            named: "NotificationCenter.MessageIdentifier.resumptionRecommendation")
    }
}
