// The spellings of Swift 3 and 4, which many programs and guides still use.
//
// On Apple's systems they do not compile, and the compiler names the new ones. Here they compile with a warning that
// does.

/// The spelling of Swift 3 for `AVAudioSession.CategoryOptions`.
@available(*, deprecated, renamed: "AVAudioSession.CategoryOptions")
public typealias AVAudioSessionCategoryOptions = AVAudioSession.CategoryOptions

/// The spelling of Swift 3 for `AVAudioSession.InterruptionType`.
@available(*, deprecated, renamed: "AVAudioSession.InterruptionType")
public typealias AVAudioSessionInterruptionType = AVAudioSession.InterruptionType

/// The spelling of Swift 3 for `AVAudioSession.InterruptionOptions`.
@available(*, deprecated, renamed: "AVAudioSession.InterruptionOptions")
public typealias AVAudioSessionInterruptionOptions = AVAudioSession.InterruptionOptions

/// The spelling of Swift 3 for `AVAudioSession.InterruptionReason`.
@available(*, deprecated, renamed: "AVAudioSession.InterruptionReason")
public typealias AVAudioSessionInterruptionReason = AVAudioSession.InterruptionReason

/// The spelling of Swift 3 for `AVAudioSession.RouteChangeReason`.
@available(*, deprecated, renamed: "AVAudioSession.RouteChangeReason")
public typealias AVAudioSessionRouteChangeReason = AVAudioSession.RouteChangeReason

/// The spelling of Swift 3 for `AVAudioSession.RouteSharingPolicy`.
@available(*, deprecated, renamed: "AVAudioSession.RouteSharingPolicy")
public typealias AVAudioSessionRouteSharingPolicy = AVAudioSession.RouteSharingPolicy

/// The spelling of Swift 3 for `AVAudioSession.PortOverride`.
@available(*, deprecated, renamed: "AVAudioSession.PortOverride")
public typealias AVAudioSessionPortOverride = AVAudioSession.PortOverride

/// The spelling of Swift 3 for `AVAudioSession.IOType`.
@available(*, deprecated, renamed: "AVAudioSession.IOType")
public typealias AVAudioSessionIOType = AVAudioSession.IOType

/// The spelling of Swift 3 for `AVAudioSession.RecordPermission`.
@available(*, deprecated, renamed: "AVAudioSession.RecordPermission")
public typealias AVAudioSessionRecordPermission = AVAudioSession.RecordPermission

/// The spelling of Swift 3 for `AVAudioSession.SetActiveOptions`.
@available(*, deprecated, renamed: "AVAudioSession.SetActiveOptions")
public typealias AVAudioSessionSetActiveOptions = AVAudioSession.SetActiveOptions

/// The spelling of Swift 3 for `AVAudioSession.SilenceSecondaryAudioHintType`.
@available(*, deprecated, renamed: "AVAudioSession.SilenceSecondaryAudioHintType")
public typealias AVAudioSessionSilenceSecondaryAudioHintType = AVAudioSession.SilenceSecondaryAudioHintType

/// The spelling of Swift 3 for `AVAudioSession.PromptStyle`.
@available(*, deprecated, renamed: "AVAudioSession.PromptStyle")
public typealias AVAudioSessionPromptStyle = AVAudioSession.PromptStyle

/// The spelling of Swift 3 for `AVAudioSession.ErrorCode`.
@available(*, deprecated, renamed: "AVAudioSession.ErrorCode")
public typealias AVAudioSessionErrorCode = AVAudioSession.ErrorCode

/// The spelling of Swift 3 for `AVAudioSession.StereoOrientation`.
@available(*, deprecated, renamed: "AVAudioSession.StereoOrientation")
public typealias AVAudioStereoOrientation = AVAudioSession.StereoOrientation

/// The spelling of Swift 3 for `AVAudioSession.Category.ambient`.
@available(*, deprecated, renamed: "AVAudioSession.Category.ambient")
public let AVAudioSessionCategoryAmbient = AVAudioSession.Category.ambient

/// The spelling of Swift 3 for `AVAudioSession.Category.soloAmbient`.
@available(*, deprecated, renamed: "AVAudioSession.Category.soloAmbient")
public let AVAudioSessionCategorySoloAmbient = AVAudioSession.Category.soloAmbient

/// The spelling of Swift 3 for `AVAudioSession.Category.playback`.
@available(*, deprecated, renamed: "AVAudioSession.Category.playback")
public let AVAudioSessionCategoryPlayback = AVAudioSession.Category.playback

/// The spelling of Swift 3 for `AVAudioSession.Category.record`.
@available(*, deprecated, renamed: "AVAudioSession.Category.record")
public let AVAudioSessionCategoryRecord = AVAudioSession.Category.record

/// The spelling of Swift 3 for `AVAudioSession.Category.playAndRecord`.
@available(*, deprecated, renamed: "AVAudioSession.Category.playAndRecord")
public let AVAudioSessionCategoryPlayAndRecord = AVAudioSession.Category.playAndRecord

/// The spelling of Swift 3 for `AVAudioSession.Category.multiRoute`.
@available(*, deprecated, renamed: "AVAudioSession.Category.multiRoute")
public let AVAudioSessionCategoryMultiRoute = AVAudioSession.Category.multiRoute

/// The spelling of Swift 3 for `AVAudioSession.Category.audioProcessing`.
@available(*, deprecated, renamed: "AVAudioSession.Category.audioProcessing")
public let AVAudioSessionCategoryAudioProcessing = AVAudioSession.Category.audioProcessing

/// The spelling of Swift 3 for `AVAudioSession.Mode.default`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.default")
public let AVAudioSessionModeDefault = AVAudioSession.Mode.default

/// The spelling of Swift 3 for `AVAudioSession.Mode.voiceChat`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.voiceChat")
public let AVAudioSessionModeVoiceChat = AVAudioSession.Mode.voiceChat

/// The spelling of Swift 3 for `AVAudioSession.Mode.gameChat`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.gameChat")
public let AVAudioSessionModeGameChat = AVAudioSession.Mode.gameChat

/// The spelling of Swift 3 for `AVAudioSession.Mode.videoRecording`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.videoRecording")
public let AVAudioSessionModeVideoRecording = AVAudioSession.Mode.videoRecording

/// The spelling of Swift 3 for `AVAudioSession.Mode.measurement`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.measurement")
public let AVAudioSessionModeMeasurement = AVAudioSession.Mode.measurement

/// The spelling of Swift 3 for `AVAudioSession.Mode.moviePlayback`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.moviePlayback")
public let AVAudioSessionModeMoviePlayback = AVAudioSession.Mode.moviePlayback

/// The spelling of Swift 3 for `AVAudioSession.Mode.videoChat`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.videoChat")
public let AVAudioSessionModeVideoChat = AVAudioSession.Mode.videoChat

/// The spelling of Swift 3 for `AVAudioSession.Mode.spokenAudio`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.spokenAudio")
public let AVAudioSessionModeSpokenAudio = AVAudioSession.Mode.spokenAudio

/// The spelling of Swift 3 for `AVAudioSession.Mode.voicePrompt`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.voicePrompt")
public let AVAudioSessionModeVoicePrompt = AVAudioSession.Mode.voicePrompt

/// The spelling of Swift 3 for `AVAudioSession.Port.lineIn`.
@available(*, deprecated, renamed: "AVAudioSession.Port.lineIn")
public let AVAudioSessionPortLineIn = AVAudioSession.Port.lineIn

/// The spelling of Swift 3 for `AVAudioSession.Port.builtInMic`.
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInMic")
public let AVAudioSessionPortBuiltInMic = AVAudioSession.Port.builtInMic

/// The spelling of Swift 3 for `AVAudioSession.Port.headsetMic`.
@available(*, deprecated, renamed: "AVAudioSession.Port.headsetMic")
public let AVAudioSessionPortHeadsetMic = AVAudioSession.Port.headsetMic

/// The spelling of Swift 3 for `AVAudioSession.Port.lineOut`.
@available(*, deprecated, renamed: "AVAudioSession.Port.lineOut")
public let AVAudioSessionPortLineOut = AVAudioSession.Port.lineOut

/// The spelling of Swift 3 for `AVAudioSession.Port.headphones`.
@available(*, deprecated, renamed: "AVAudioSession.Port.headphones")
public let AVAudioSessionPortHeadphones = AVAudioSession.Port.headphones

/// The spelling of Swift 3 for `AVAudioSession.Port.bluetoothA2DP`.
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothA2DP")
public let AVAudioSessionPortBluetoothA2DP = AVAudioSession.Port.bluetoothA2DP

/// The spelling of Swift 3 for `AVAudioSession.Port.builtInReceiver`.
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInReceiver")
public let AVAudioSessionPortBuiltInReceiver = AVAudioSession.Port.builtInReceiver

/// The spelling of Swift 3 for `AVAudioSession.Port.builtInSpeaker`.
@available(*, deprecated, renamed: "AVAudioSession.Port.builtInSpeaker")
public let AVAudioSessionPortBuiltInSpeaker = AVAudioSession.Port.builtInSpeaker

/// The spelling of Swift 3 for `AVAudioSession.Port.HDMI`.
@available(*, deprecated, renamed: "AVAudioSession.Port.HDMI")
public let AVAudioSessionPortHDMI = AVAudioSession.Port.HDMI

/// The spelling of Swift 3 for `AVAudioSession.Port.airPlay`.
@available(*, deprecated, renamed: "AVAudioSession.Port.airPlay")
public let AVAudioSessionPortAirPlay = AVAudioSession.Port.airPlay

/// The spelling of Swift 3 for `AVAudioSession.Port.bluetoothLE`.
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothLE")
public let AVAudioSessionPortBluetoothLE = AVAudioSession.Port.bluetoothLE

/// The spelling of Swift 3 for `AVAudioSession.Port.bluetoothHFP`.
@available(*, deprecated, renamed: "AVAudioSession.Port.bluetoothHFP")
public let AVAudioSessionPortBluetoothHFP = AVAudioSession.Port.bluetoothHFP

/// The spelling of Swift 3 for `AVAudioSession.Port.usbAudio`.
@available(*, deprecated, renamed: "AVAudioSession.Port.usbAudio")
public let AVAudioSessionPortUSBAudio = AVAudioSession.Port.usbAudio

/// The spelling of Swift 3 for `AVAudioSession.Port.carAudio`.
@available(*, deprecated, renamed: "AVAudioSession.Port.carAudio")
public let AVAudioSessionPortCarAudio = AVAudioSession.Port.carAudio

/// The spelling of Swift 3 for `AVAudioSession.Location.upper`.
@available(*, deprecated, renamed: "AVAudioSession.Location.upper")
public let AVAudioSessionLocationUpper = AVAudioSession.Location.upper

/// The spelling of Swift 3 for `AVAudioSession.Location.lower`.
@available(*, deprecated, renamed: "AVAudioSession.Location.lower")
public let AVAudioSessionLocationLower = AVAudioSession.Location.lower

/// The spelling of Swift 3 for `AVAudioSession.Orientation.top`.
@available(*, deprecated, renamed: "AVAudioSession.Orientation.top")
public let AVAudioSessionOrientationTop = AVAudioSession.Orientation.top

/// The spelling of Swift 3 for `AVAudioSession.Orientation.bottom`.
@available(*, deprecated, renamed: "AVAudioSession.Orientation.bottom")
public let AVAudioSessionOrientationBottom = AVAudioSession.Orientation.bottom

/// The spelling of Swift 3 for `AVAudioSession.Orientation.front`.
@available(*, deprecated, renamed: "AVAudioSession.Orientation.front")
public let AVAudioSessionOrientationFront = AVAudioSession.Orientation.front

/// The spelling of Swift 3 for `AVAudioSession.Orientation.back`.
@available(*, deprecated, renamed: "AVAudioSession.Orientation.back")
public let AVAudioSessionOrientationBack = AVAudioSession.Orientation.back

/// The spelling of Swift 3 for `AVAudioSession.Orientation.left`.
@available(*, deprecated, renamed: "AVAudioSession.Orientation.left")
public let AVAudioSessionOrientationLeft = AVAudioSession.Orientation.left

/// The spelling of Swift 3 for `AVAudioSession.Orientation.right`.
@available(*, deprecated, renamed: "AVAudioSession.Orientation.right")
public let AVAudioSessionOrientationRight = AVAudioSession.Orientation.right

/// The spelling of Swift 3 for `AVAudioSession.PolarPattern.omnidirectional`.
@available(*, deprecated, renamed: "AVAudioSession.PolarPattern.omnidirectional")
public let AVAudioSessionPolarPatternOmnidirectional = AVAudioSession.PolarPattern.omnidirectional

/// The spelling of Swift 3 for `AVAudioSession.PolarPattern.cardioid`.
@available(*, deprecated, renamed: "AVAudioSession.PolarPattern.cardioid")
public let AVAudioSessionPolarPatternCardioid = AVAudioSession.PolarPattern.cardioid

/// The spelling of Swift 3 for `AVAudioSession.PolarPattern.subcardioid`.
@available(*, deprecated, renamed: "AVAudioSession.PolarPattern.subcardioid")
public let AVAudioSessionPolarPatternSubcardioid = AVAudioSession.PolarPattern.subcardioid

/// The spelling of Swift 3 for `AVAudioSession.PolarPattern.stereo`.
@available(*, deprecated, renamed: "AVAudioSession.PolarPattern.stereo")
public let AVAudioSessionPolarPatternStereo = AVAudioSession.PolarPattern.stereo

/// The older spelling of `AVAudioSession.ErrorCode.insufficientPriority`.
@available(*, deprecated, renamed: "AVAudioSession.ErrorCode.insufficientPriority")
public let AVAudioSessionErrorInsufficientPriority = AVAudioSession.ErrorCode.insufficientPriority

/// The flag of the oldest delegate methods: the app should resume.
@available(*, deprecated, renamed: "AVAudioSession.InterruptionOptions.shouldResume")
public let AVAudioSessionInterruptionFlags_ShouldResume = 1

/// The flag of the oldest activation methods: the interrupted sessions are notified that they should resume.
@available(*, deprecated, renamed: "AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation")
public let AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation = 1

extension AVAudioSession.CategoryOptions {
    /// The older spelling of `allowBluetoothHFP`.
    @available(*, deprecated, renamed: "allowBluetoothHFP")
    public static let allowBluetooth = AVAudioSession.CategoryOptions.allowBluetoothHFP
}

extension AVAudioSession.RouteSharingPolicy {
    /// The older spelling of `longFormAudio`.
    @available(*, deprecated, renamed: "longFormAudio")
    public static let longForm = AVAudioSession.RouteSharingPolicy.longFormAudio
}

extension NSNotification.Name {
    /// The spelling of Swift 3 for `AVAudioSession.interruptionNotification`.
    @available(*, deprecated, renamed: "AVAudioSession.interruptionNotification")
    public static let AVAudioSessionInterruption = AVAudioSession.interruptionNotification

    /// The spelling of Swift 3 for `AVAudioSession.routeChangeNotification`.
    @available(*, deprecated, renamed: "AVAudioSession.routeChangeNotification")
    public static let AVAudioSessionRouteChange = AVAudioSession.routeChangeNotification

    /// The spelling of Swift 3 for `AVAudioSession.mediaServicesWereLostNotification`.
    @available(*, deprecated, renamed: "AVAudioSession.mediaServicesWereLostNotification")
    public static let AVAudioSessionMediaServicesWereLost = AVAudioSession.mediaServicesWereLostNotification

    /// The spelling of Swift 3 for `AVAudioSession.mediaServicesWereResetNotification`.
    @available(*, deprecated, renamed: "AVAudioSession.mediaServicesWereResetNotification")
    public static let AVAudioSessionMediaServicesWereReset = AVAudioSession.mediaServicesWereResetNotification

    /// The spelling of Swift 3 for `AVAudioSession.silenceSecondaryAudioHintNotification`.
    @available(*, deprecated, renamed: "AVAudioSession.silenceSecondaryAudioHintNotification")
    public static let AVAudioSessionSilenceSecondaryAudioHint = AVAudioSession.silenceSecondaryAudioHintNotification
}

extension AVAudioSession {
    /// The spelling of Swift 3 for `setCategory(_:options:)`.
    @available(*, deprecated, renamed: "setCategory(_:options:)")
    public func setCategory(_ category: AVAudioSession.Category, with options: AVAudioSession.CategoryOptions) throws {
        try setCategory(category, options: options)
    }

    /// The spelling of Swift 3 for `setCategory(_:mode:policy:options:)`.
    @available(*, deprecated, renamed: "setCategory(_:mode:policy:options:)")
    public func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode,
        routeSharingPolicy policy: AVAudioSession.RouteSharingPolicy, options: AVAudioSession.CategoryOptions = []
    ) throws {
        try setCategory(category, mode: mode, policy: policy, options: options)
    }

    /// The spelling of Swift 3 for `setActive(_:options:)`.
    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, with options: AVAudioSession.SetActiveOptions) throws {
        try setActive(active, options: options)
    }
}
