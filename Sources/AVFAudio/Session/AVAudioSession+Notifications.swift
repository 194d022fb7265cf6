// All notifications have the session as their object, and all but four are posted on the main queue, or where
// `AVAudioSession.deliver(on:)` says. Changes of the route, the rendering mode, the rendering capabilities and the
// available inputs are posted on the session's route queue, one after the other.

extension AVAudioSession {
    /// The beginning or the end of an interruption.
    ///
    /// Apple: `AVAudioSession.interruptionNotification`
    public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")

    /// A change of the route; posted on the session's route queue, with `currentRoute` already changed.
    ///
    /// It is posted whether or not the session is active, from the first connection to the sound server on. While the
    /// session is not active, changes of other channels or rates of the same ports are not posted.
    ///
    /// Apple: `AVAudioSession.routeChangeNotification`
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")

    /// The loss of the sound server.
    ///
    /// Apple: `AVAudioSession.mediaServicesWereLostNotification`
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")

    /// The return of the sound server: every player and recorder must be made anew.
    ///
    /// Apple: `AVAudioSession.mediaServicesWereResetNotification`
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")

    /// The beginning or the end of another app's primary sound.
    ///
    /// Apple: `AVAudioSession.silenceSecondaryAudioHintNotification`
    public static let silenceSecondaryAudioHintNotification = NSNotification.Name(
        "AVAudioSessionSilenceSecondaryAudioHintNotification")

    /// A change of the route's support for spatial sound; never posted on Linux.
    ///
    /// Apple: `AVAudioSession.spatialPlaybackCapabilitiesChangedNotification`
    public static let spatialPlaybackCapabilitiesChangedNotification = NSNotification.Name(
        "AVAudioSessionSpatialPlaybackCapabilitiesChangedNotification")

    /// A change of the rendering mode; posted on the session's route queue.
    ///
    /// Apple: `AVAudioSession.renderingModeChangeNotification`
    public static let renderingModeChangeNotification = NSNotification.Name(
        "AVAudioSessionRenderingModeChangeNotification")

    /// A change of the route's channels; posted on the session's route queue.
    ///
    /// Apple: `AVAudioSession.renderingCapabilitiesChangeNotification`
    public static let renderingCapabilitiesChangeNotification = NSNotification.Name(
        "AVAudioSessionRenderingCapabilitiesChangeNotification")

    /// A change of the app's ability to mix sound into calls; never posted on Linux.
    ///
    /// Apple: `AVAudioSession.microphoneInjectionCapabilitiesChangeNotification`
    public static let microphoneInjectionCapabilitiesChangeNotification = NSNotification.Name(
        "AVAudioSessionMicrophoneInjectionCapabilitiesChangeNotification")

    /// A change of the mute state of the session's output.
    ///
    /// Apple: `AVAudioSession.outputMuteStateChangeNotification`
    public static let outputMuteStateChangeNotification = NSNotification.Name(
        "AVAudioSessionOutputMuteStateChangeNotification")

    /// An intent of the user to unmute a muted session; never posted on Linux.
    ///
    /// Apple: `AVAudioSession.userIntentToUnmuteOutputNotification`
    public static let userIntentToUnmuteOutputNotification = NSNotification.Name(
        "AVAudioSessionUserIntentToUnmuteOutputNotification")

    /// A change of the available inputs; posted on the session's route queue.
    ///
    /// Apple: `AVAudioSession.availableInputsChangeNotification`
    public static let availableInputsChangeNotification = NSNotification.Name(
        "AVAudioSessionAvailableInputsChangeNotification")

    /// An activation of the session.
    ///
    /// Apple: `AVAudioSession.didBecomeActiveNotification`
    public static let didBecomeActiveNotification = NSNotification.Name("AVAudioSessionDidBecomeActiveNotification")

    /// A deactivation of the session, or an interruption.
    ///
    /// Apple: `AVAudioSession.didBecomeInactiveNotification`
    public static let didBecomeInactiveNotification = NSNotification.Name("AVAudioSessionDidBecomeInactiveNotification")

    /// A recommendation whether to resume.
    ///
    /// Posted at the end of an interruption, and at the end of a call that refused an activation
    /// (`insufficientPriority`): the app may activate the session then.
    ///
    /// Apple: `AVAudioSession.resumptionRecommendationNotification`
    public static let resumptionRecommendationNotification = NSNotification.Name(
        "AVAudioSessionResumptionRecommendationNotification")

    /// The user info key of the output's mute state, as the number 0 or 1.
    ///
    /// Apple: `AVAudioSession.muteStateKey`
    public static let muteStateKey = "AVAudioSessionMuteStateKey"

    /// The user info key of the reason for a deactivation, a `DeactivationContext`.
    ///
    /// Apple: `AVAudioSession.deactivationContextKey`
    public static let deactivationContextKey = "AVAudioSessionDeactivationContextKey"

    /// The user info key of the recommendation, a `ResumptionContext`.
    ///
    /// Apple: `AVAudioSession.resumptionContextKey`
    public static let resumptionContextKey = "AVAudioSessionResumptionContextKey"
}

/// The user info key of an `AVAudioSession.InterruptionType`, as a number.
///
/// Apple: `AVAudioSessionInterruptionTypeKey`
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"

/// The user info key of an `AVAudioSession.InterruptionReason`, as a number; only at the beginning of an interruption.
///
/// Apple: `AVAudioSessionInterruptionReasonKey`
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"

/// The user info key of `AVAudioSession.InterruptionOptions`, as a number; only at the end of an interruption.
///
/// Apple: `AVAudioSessionInterruptionOptionKey`
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"

/// The user info key of the app's suspension, replaced by the reason; never used on Linux.
///
/// Apple: `AVAudioSessionInterruptionWasSuspendedKey`
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"

/// The user info key of an `AVAudioSession.RouteChangeReason`, as a number.
///
/// Apple: `AVAudioSessionRouteChangeReasonKey`
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

/// The user info key of the previous route, an `AVAudioSessionRouteDescription`.
///
/// Apple: `AVAudioSessionRouteChangePreviousRouteKey`
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

/// The user info key of an `AVAudioSession.SilenceSecondaryAudioHintType`, as a number.
///
/// Apple: `AVAudioSessionSilenceSecondaryAudioHintTypeKey`
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

/// The user info key of spatial sound, as the number 0 or 1; never used on Linux.
///
/// Apple: `AVAudioSessionSpatialAudioEnabledKey`
public let AVAudioSessionSpatialAudioEnabledKey = "AVAudioSessionSpatialAudioEnabledKey"

/// The user info key of an `AVAudioSession.RenderingMode`, as a number.
///
/// Apple: `AVAudioSessionRenderingModeNewRenderingModeKey`
public let AVAudioSessionRenderingModeNewRenderingModeKey = "AVAudioSessionRenderingModeNewRenderingModeKey"

/// The user info key of the ability to mix sound into calls, as the number 0 or 1; never used on Linux.
///
/// Apple: `AVAudioSessionMicrophoneInjectionIsAvailableKey`
public let AVAudioSessionMicrophoneInjectionIsAvailableKey = "AVAudioSessionMicrophoneInjectionIsAvailableKey"
