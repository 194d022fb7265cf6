// Every one is posted on the main queue with the session as its object.

extension AVAudioSession {
    /// A session was interrupted, or an interruption is over.
    ///
    /// Apple: `AVAudioSession.interruptionNotification`
    public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")

    /// The route changed; `currentRoute` is already the new one.
    ///
    /// Apple: `AVAudioSession.routeChangeNotification`
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")

    /// The sound server is gone.
    ///
    /// Apple: `AVAudioSession.mediaServicesWereLostNotification`
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")

    /// The sound server is back, and every player and recorder must be made anew.
    ///
    /// Apple: `AVAudioSession.mediaServicesWereResetNotification`
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")

    /// Another app's primary sound starts or stops.
    ///
    /// Apple: `AVAudioSession.silenceSecondaryAudioHintNotification`
    public static let silenceSecondaryAudioHintNotification = NSNotification.Name(
        "AVAudioSessionSilenceSecondaryAudioHintNotification")

    /// Whether the route plays spatial sound changed.
    ///
    /// Apple: `AVAudioSession.spatialPlaybackCapabilitiesChangedNotification`
    public static let spatialPlaybackCapabilitiesChangedNotification = NSNotification.Name(
        "AVAudioSessionSpatialPlaybackCapabilitiesChangedNotification")

    /// Sound is rendered in another way.
    ///
    /// Apple: `AVAudioSession.renderingModeChangeNotification`
    public static let renderingModeChangeNotification = NSNotification.Name(
        "AVAudioSessionRenderingModeChangeNotification")

    /// The ways to render sound changed.
    ///
    /// Apple: `AVAudioSession.renderingCapabilitiesChangeNotification`
    public static let renderingCapabilitiesChangeNotification = NSNotification.Name(
        "AVAudioSessionRenderingCapabilitiesChangeNotification")

    /// Whether sound can be mixed into a call changed.
    ///
    /// Apple: `AVAudioSession.microphoneInjectionCapabilitiesChangeNotification`
    public static let microphoneInjectionCapabilitiesChangeNotification = NSNotification.Name(
        "AVAudioSessionMicrophoneInjectionCapabilitiesChangeNotification")

    /// The output of the session was muted or unmuted.
    ///
    /// Apple: `AVAudioSession.outputMuteStateChangeNotification`
    public static let outputMuteStateChangeNotification = NSNotification.Name(
        "AVAudioSessionOutputMuteStateChangeNotification")

    /// The user seems to want a muted session to be heard.
    ///
    /// Apple: `AVAudioSession.userIntentToUnmuteOutputNotification`
    public static let userIntentToUnmuteOutputNotification = NSNotification.Name(
        "AVAudioSessionUserIntentToUnmuteOutputNotification")

    /// The inputs to choose from changed.
    ///
    /// Apple: `AVAudioSession.availableInputsChangeNotification`
    public static let availableInputsChangeNotification = NSNotification.Name(
        "AVAudioSessionAvailableInputsChangeNotification")

    /// The session became active.
    ///
    /// Apple: `AVAudioSession.didBecomeActiveNotification`
    public static let didBecomeActiveNotification = NSNotification.Name("AVAudioSessionDidBecomeActiveNotification")

    /// The session became inactive.
    ///
    /// Apple: `AVAudioSession.didBecomeInactiveNotification`
    public static let didBecomeInactiveNotification = NSNotification.Name("AVAudioSessionDidBecomeInactiveNotification")

    /// After an interruption: whether to go on; and after an activation that a call refused (`insufficientPriority`),
    /// once that is over, that it may be tried again.
    ///
    /// Apple: `AVAudioSession.resumptionRecommendationNotification`
    public static let resumptionRecommendationNotification = NSNotification.Name(
        "AVAudioSessionResumptionRecommendationNotification")

    /// Whether the output is muted, as a number 0 or 1.
    ///
    /// Apple: `AVAudioSession.muteStateKey`
    public static let muteStateKey = "AVAudioSessionMuteStateKey"

    /// Why the session became inactive, a `DeactivationContext`.
    ///
    /// Apple: `AVAudioSession.deactivationContextKey`
    public static let deactivationContextKey = "AVAudioSessionDeactivationContextKey"

    /// What is recommended, a `ResumptionContext`.
    ///
    /// Apple: `AVAudioSession.resumptionContextKey`
    public static let resumptionContextKey = "AVAudioSessionResumptionContextKey"
}

/// An `AVAudioSession.InterruptionType` as a number.
///
/// Apple: `AVAudioSessionInterruptionTypeKey`
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"

/// An `AVAudioSession.InterruptionReason` as a number; only when an interruption begins.
///
/// Apple: `AVAudioSessionInterruptionReasonKey`
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"

/// `AVAudioSession.InterruptionOptions` as a number; only when an interruption is over.
///
/// Apple: `AVAudioSessionInterruptionOptionKey`
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"

/// Whether the app had been suspended; replaced by the reason.
///
/// Apple: `AVAudioSessionInterruptionWasSuspendedKey`
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"

/// An `AVAudioSession.RouteChangeReason` as a number.
///
/// Apple: `AVAudioSessionRouteChangeReasonKey`
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

/// The `AVAudioSessionRouteDescription` before the change.
///
/// Apple: `AVAudioSessionRouteChangePreviousRouteKey`
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

/// An `AVAudioSession.SilenceSecondaryAudioHintType` as a number.
///
/// Apple: `AVAudioSessionSilenceSecondaryAudioHintTypeKey`
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

/// Whether spatial sound is on, as a number 0 or 1.
///
/// Apple: `AVAudioSessionSpatialAudioEnabledKey`
public let AVAudioSessionSpatialAudioEnabledKey = "AVAudioSessionSpatialAudioEnabledKey"

/// An `AVAudioSession.RenderingMode` as a number.
///
/// Apple: `AVAudioSessionRenderingModeNewRenderingModeKey`
public let AVAudioSessionRenderingModeNewRenderingModeKey = "AVAudioSessionRenderingModeNewRenderingModeKey"

/// Whether sound can be mixed into a call, as a number 0 or 1.
///
/// Apple: `AVAudioSessionMicrophoneInjectionIsAvailableKey`
public let AVAudioSessionMicrophoneInjectionIsAvailableKey = "AVAudioSessionMicrophoneInjectionIsAvailableKey"
