import AVFAudio
import Testing

extension SymbolLedger {
    mutating func sessionTypes() {
        categories()
        options()
        choices()
        reasons()
        errorCodes()
    }

    private mutating func categories() {
        // MARK: AVAudioSession.Category
        works(AVAudioSession.Category.self)
        works(AVAudioSession.Category.init(rawValue:))
        works(AVAudioSession.Category.init(_:))
        works(AVAudioSession.Category.ambient, raw: "AVAudioSessionCategoryAmbient")
        works(AVAudioSession.Category.soloAmbient, raw: "AVAudioSessionCategorySoloAmbient")
        works(AVAudioSession.Category.playback, raw: "AVAudioSessionCategoryPlayback")
        works(AVAudioSession.Category.record, raw: "AVAudioSessionCategoryRecord")
        works(AVAudioSession.Category.playAndRecord, raw: "AVAudioSessionCategoryPlayAndRecord")
        works(AVAudioSession.Category.multiRoute, raw: "AVAudioSessionCategoryMultiRoute")
        works(AVAudioSession.Category.audioProcessing, raw: "AVAudioSessionCategoryAudioProcessing")

        // MARK: AVAudioSession.Mode
        works(AVAudioSession.Mode.self)
        works(AVAudioSession.Mode.init(rawValue:))
        works(AVAudioSession.Mode.init(_:))
        works(AVAudioSession.Mode.default, raw: "AVAudioSessionModeDefault")
        works(AVAudioSession.Mode.voiceChat, raw: "AVAudioSessionModeVoiceChat")
        works(AVAudioSession.Mode.gameChat, raw: "AVAudioSessionModeGameChat")
        accepts(
            AVAudioSession.Mode.videoRecording, raw: "AVAudioSessionModeVideoRecording",
            because: "as `default`: no microphone here belongs to a camera")
        works(AVAudioSession.Mode.measurement, raw: "AVAudioSessionModeMeasurement")
        works(AVAudioSession.Mode.moviePlayback, raw: "AVAudioSessionModeMoviePlayback")
        works(AVAudioSession.Mode.videoChat, raw: "AVAudioSessionModeVideoChat")
        works(AVAudioSession.Mode.spokenAudio, raw: "AVAudioSessionModeSpokenAudio")
        works(AVAudioSession.Mode.voicePrompt, raw: "AVAudioSessionModeVoicePrompt")
        works(AVAudioSession.Mode.shortFormVideo, raw: "AVAudioSessionModeShortFormVideo")
        accepts(
            AVAudioSession.Mode.dualRoute, raw: "AVAudioSessionModeDualRoute",
            because: "as `default`: `multiRoute` chooses its outputs by what is plugged in")
    }

    private mutating func options() {
        // MARK: AVAudioSession.CategoryOptions
        works(AVAudioSession.CategoryOptions.self)
        works(AVAudioSession.CategoryOptions.init(rawValue:))
        works(AVAudioSession.CategoryOptions.mixWithOthers, raw: 0x1)
        works(AVAudioSession.CategoryOptions.duckOthers, raw: 0x2)
        works(AVAudioSession.CategoryOptions.allowBluetoothHFP, raw: 0x4)
        works(AVAudioSession.CategoryOptions.defaultToSpeaker, raw: 0x8)
        works(AVAudioSession.CategoryOptions.interruptSpokenAudioAndMixWithOthers, raw: 0x11)
        accepts(
            AVAudioSession.CategoryOptions.allowBluetoothA2DP, raw: 0x20,
            because: "such headphones are used without it, too: their user chose them")
        works(AVAudioSession.CategoryOptions.allowAirPlay, raw: 0x40)
        works(AVAudioSession.CategoryOptions.overrideMutedMicrophoneInterruption, raw: 0x80)
        accepts(
            AVAudioSession.CategoryOptions.farFieldInput, raw: 1 << 18,
            because: "no Bluetooth device can be asked for it on Linux")
        accepts(
            AVAudioSession.CategoryOptions.bluetoothHighQualityRecording, raw: 1 << 19,
            because: "no Bluetooth device can be asked for it on Linux")

        // MARK: Options of activation
        works(AVAudioSession.SetActiveOptions.self)
        works(AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation, raw: 1)
        works(AVAudioSessionActivationOptions.self)
        works(AVAudioSessionActivationOptions(), raw: 0)
        works(AVAudioSessionDeactivationOptions.self)
        works(AVAudioSessionDeactivationOptions(), raw: 0)
        works(AVAudioSessionDeactivationOptions.notifyOthersOnDeactivation, raw: 1)
    }

    private mutating func choices() {
        // MARK: What an app chooses
        works(AVAudioSession.PortOverride.self)
        works(AVAudioSession.PortOverride.none, raw: 0)
        works(AVAudioSession.PortOverride.speaker, raw: 0x7370_6B72)
        works(AVAudioSession.RouteSharingPolicy.self)
        works(AVAudioSession.RouteSharingPolicy.default, raw: 0)
        works(AVAudioSession.RouteSharingPolicy.longFormAudio, raw: 1)
        fails(
            AVAudioSession.RouteSharingPolicy.independent, raw: 2,
            because: "`badParam` when an app sets it, as on Apple's systems; nothing here sets it by itself")
        works(AVAudioSession.RouteSharingPolicy.longFormVideo, raw: 3)
        works(AVAudioSession.IOType.self)
        works(AVAudioSession.IOType.notSpecified, raw: 0)
        works(AVAudioSession.IOType.aggregated, raw: 1, note: "see `setAggregatedIOPreference(_:)`")
        works(AVAudioSession.StereoOrientation.self)
        works(AVAudioSession.StereoOrientation.none, raw: 0)
        works(AVAudioSession.StereoOrientation.portrait, raw: 1, note: "see `setPreferredInputOrientation(_:)`")
        works(AVAudioSession.StereoOrientation.portraitUpsideDown, raw: 2, note: "likewise")
        works(AVAudioSession.StereoOrientation.landscapeRight, raw: 3, note: "likewise")
        works(AVAudioSession.StereoOrientation.landscapeLeft, raw: 4, note: "likewise")
        works(AVAudioSession.MicrophoneInjectionMode.self)
        works(AVAudioSession.MicrophoneInjectionMode.none, raw: 0)
        fails(
            AVAudioSession.MicrophoneInjectionMode.spokenAudio, raw: 1, because: "`resourceNotAvailable` when set")
    }

    private mutating func reasons() {
        // MARK: What an app is told
        works(AVAudioSession.InterruptionType.self)
        works(AVAudioSession.InterruptionType.began, raw: 1)
        works(AVAudioSession.InterruptionType.ended, raw: 0)
        works(AVAudioSession.InterruptionOptions.self)
        works(AVAudioSession.InterruptionOptions.shouldResume, raw: 1)
        works(AVAudioSession.InterruptionReason.self)
        works(AVAudioSession.InterruptionReason.default, raw: 0)
        works(
            AVAudioSession.InterruptionReason.appWasSuspended, raw: 1,
            note: "never told: a stopped program runs nothing")
        works(AVAudioSession.InterruptionReason.builtInMicMuted, raw: 2)
        works(AVAudioSession.InterruptionReason.sceneWasBackgrounded, raw: 3, note: "never told: visionOS only")
        works(AVAudioSession.InterruptionReason.routeDisconnected, raw: 4)
        works(AVAudioSession.InterruptionReason.deviceUnauthenticated, raw: 5, note: "never told: visionOS only")
        works(AVAudioSession.RouteChangeReason.self)
        works(AVAudioSession.RouteChangeReason.unknown, raw: 0, note: "never told: each change has one of the others")
        works(AVAudioSession.RouteChangeReason.newDeviceAvailable, raw: 1)
        works(AVAudioSession.RouteChangeReason.oldDeviceUnavailable, raw: 2)
        works(AVAudioSession.RouteChangeReason.categoryChange, raw: 3)
        works(AVAudioSession.RouteChangeReason.override, raw: 4)
        works(AVAudioSession.RouteChangeReason.wakeFromSleep, raw: 6)
        works(AVAudioSession.RouteChangeReason.noSuitableRouteForCategory, raw: 7)
        works(AVAudioSession.RouteChangeReason.routeConfigurationChange, raw: 8)
        works(AVAudioSession.SilenceSecondaryAudioHintType.self)
        works(AVAudioSession.SilenceSecondaryAudioHintType.begin, raw: 1)
        works(AVAudioSession.SilenceSecondaryAudioHintType.end, raw: 0)
        works(AVAudioSession.PromptStyle.self)
        works(AVAudioSession.PromptStyle.none, raw: 0x6E6F_6E65)
        works(AVAudioSession.PromptStyle.short, raw: 0x7368_7274)
        works(AVAudioSession.PromptStyle.normal, raw: 0x6E72_6D6C)
        works(AVAudioSession.RecordPermission.self)
        works(AVAudioSession.RecordPermission.undetermined, raw: 0x756E_6474)
        works(AVAudioSession.RecordPermission.denied, raw: 0x6465_6E79)
        works(AVAudioSession.RecordPermission.granted, raw: 0x6772_6E74)
        works(AVAudioSession.RenderingMode.self)
        works(AVAudioSession.RenderingMode.notApplicable, raw: 0)
        works(AVAudioSession.RenderingMode.monoStereo, raw: 1)
        works(AVAudioSession.RenderingMode.surround, raw: 2)
        works(AVAudioSession.RenderingMode.spatialAudio, raw: 3, note: "never told")
        works(AVAudioSession.RenderingMode.dolbyAudio, raw: 4, note: "never told")
        works(AVAudioSession.RenderingMode.dolbyAtmos, raw: 5, note: "never told")
        works(AVAudioSession.RouteSelection.self)
        works(AVAudioSession.RouteSelection.none, raw: 0)
        works(AVAudioSession.RouteSelection.local, raw: 1)
        works(AVAudioSession.RouteSelection.external, raw: 2)
        works(AVAudioSession.DeactivationSource.self)
        works(AVAudioSession.DeactivationSource.app, raw: 1)
        works(AVAudioSession.DeactivationSource.system, raw: 2)
        works(AVAudioSession.ResumptionRecommendation.self)
        works(AVAudioSession.ResumptionRecommendation.shouldNotResume, raw: 0)
        works(AVAudioSession.ResumptionRecommendation.shouldResume, raw: 1)
    }

    private mutating func errorCodes() {
        // MARK: AVAudioSession.ErrorCode
        works(AVAudioSession.ErrorCode.self)
        works(AVAudioSession.ErrorCode.none, raw: 0)
        works(AVAudioSession.ErrorCode.mediaServicesFailed, raw: 1_836_282_486)
        works(AVAudioSession.ErrorCode.isBusy, raw: 560_030_580)
        works(AVAudioSession.ErrorCode.incompatibleCategory, raw: 560_161_140)
        works(AVAudioSession.ErrorCode.cannotInterruptOthers, raw: 560_557_684, note: "never thrown")
        works(AVAudioSession.ErrorCode.missingEntitlement, raw: 1_701_737_535, note: "never thrown")
        works(AVAudioSession.ErrorCode.siriIsRecording, raw: 1_936_290_409, note: "never thrown")
        works(AVAudioSession.ErrorCode.cannotStartPlaying, raw: 561_015_905)
        works(AVAudioSession.ErrorCode.cannotStartRecording, raw: 561_145_187)
        works(AVAudioSession.ErrorCode.badParam, raw: -50)
        works(AVAudioSession.ErrorCode.insufficientPriority, raw: 561_017_449)
        works(AVAudioSession.ErrorCode.resourceNotAvailable, raw: 561_145_203)
        works(AVAudioSession.ErrorCode.unspecified, raw: 2_003_329_396)
        works(AVAudioSession.ErrorCode.expiredSession, raw: 561_210_739, note: "never thrown: the session never goes")
        works(
            AVAudioSession.ErrorCode.sessionNotActive, raw: 1_768_841_571,
            note: "never thrown: what needs the session activates it")
    }
}
