import AVFAudio
import Testing

/// The spellings of Swift 3 and 4, and what iOS 6 and older had.
@available(*, deprecated, message: "It uses deprecated names on purpose.")
extension SymbolLedger {
    mutating func older() {
        types()
        categories()
        places()
        others()
        oldest()
        oldestDelegate()
    }

    private mutating func types() {
        // MARK: Older types
        works(AVAudioSessionCategoryOptions.self)
        works(AVAudioSessionInterruptionType.self)
        works(AVAudioSessionInterruptionOptions.self)
        works(AVAudioSessionInterruptionReason.self)
        works(AVAudioSessionRouteChangeReason.self)
        works(AVAudioSessionRouteSharingPolicy.self)
        works(AVAudioSessionPortOverride.self)
        works(AVAudioSessionIOType.self)
        works(AVAudioSessionRecordPermission.self)
        works(AVAudioSessionSetActiveOptions.self)
        works(AVAudioSessionSilenceSecondaryAudioHintType.self)
        works(AVAudioSessionPromptStyle.self)
        works(AVAudioSessionErrorCode.self)
        works(AVAudioStereoOrientation.self)
    }

    private mutating func categories() {
        // MARK: Older categories and modes
        works(AVAudioSessionCategoryAmbient, raw: "AVAudioSessionCategoryAmbient")
        works(AVAudioSessionCategorySoloAmbient, raw: "AVAudioSessionCategorySoloAmbient")
        works(AVAudioSessionCategoryPlayback, raw: "AVAudioSessionCategoryPlayback")
        works(AVAudioSessionCategoryRecord, raw: "AVAudioSessionCategoryRecord")
        works(AVAudioSessionCategoryPlayAndRecord, raw: "AVAudioSessionCategoryPlayAndRecord")
        works(AVAudioSessionCategoryMultiRoute, raw: "AVAudioSessionCategoryMultiRoute")
        works(AVAudioSessionCategoryAudioProcessing, raw: "AVAudioSessionCategoryAudioProcessing")
        works(AVAudioSessionModeDefault, raw: "AVAudioSessionModeDefault")
        works(AVAudioSessionModeVoiceChat, raw: "AVAudioSessionModeVoiceChat")
        works(AVAudioSessionModeGameChat, raw: "AVAudioSessionModeGameChat")
        works(
            AVAudioSessionModeVideoRecording, raw: "AVAudioSessionModeVideoRecording",
            note: "see `AVAudioSession.Mode.videoRecording`")
        works(AVAudioSessionModeMeasurement, raw: "AVAudioSessionModeMeasurement")
        works(AVAudioSessionModeMoviePlayback, raw: "AVAudioSessionModeMoviePlayback")
        works(AVAudioSessionModeVideoChat, raw: "AVAudioSessionModeVideoChat")
        works(AVAudioSessionModeSpokenAudio, raw: "AVAudioSessionModeSpokenAudio")
        works(AVAudioSessionModeVoicePrompt, raw: "AVAudioSessionModeVoicePrompt")
    }

    private mutating func places() {
        // MARK: Older ports and places
        works(AVAudioSessionPortLineIn, raw: "LineIn")
        works(AVAudioSessionPortBuiltInMic, raw: "MicrophoneBuiltIn")
        works(AVAudioSessionPortHeadsetMic, raw: "MicrophoneWired")
        works(AVAudioSessionPortLineOut, raw: "LineOut")
        works(AVAudioSessionPortHeadphones, raw: "Headphones")
        works(AVAudioSessionPortBluetoothA2DP, raw: "BluetoothA2DPOutput")
        works(AVAudioSessionPortBuiltInReceiver, raw: "Receiver")
        works(AVAudioSessionPortBuiltInSpeaker, raw: "Speaker")
        works(AVAudioSessionPortHDMI, raw: "HDMIOutput")
        works(AVAudioSessionPortAirPlay, raw: "AirPlay")
        works(AVAudioSessionPortBluetoothLE, raw: "BluetoothLE")
        works(AVAudioSessionPortBluetoothHFP, raw: "BluetoothHFP")
        works(AVAudioSessionPortUSBAudio, raw: "USBAudio")
        works(AVAudioSessionPortCarAudio, raw: "CarAudio")
        works(AVAudioSessionLocationUpper, raw: "Upper")
        works(AVAudioSessionLocationLower, raw: "Lower")
        works(AVAudioSessionOrientationTop, raw: "Top")
        works(AVAudioSessionOrientationBottom, raw: "Bottom")
        works(AVAudioSessionOrientationFront, raw: "Front")
        works(AVAudioSessionOrientationBack, raw: "Back")
        works(AVAudioSessionOrientationLeft, raw: "Left")
        works(AVAudioSessionOrientationRight, raw: "Right")
        works(AVAudioSessionPolarPatternOmnidirectional, raw: "Omnidirectional")
        works(AVAudioSessionPolarPatternCardioid, raw: "Cardioid")
        works(AVAudioSessionPolarPatternSubcardioid, raw: "Subcardioid")
        works(AVAudioSessionPolarPatternStereo, raw: "Stereo")
    }

    private mutating func others() {
        // MARK: Other older spellings
        works(AVAudioSession.setActive(_:with:))
        works(AVAudioSession.setCategory(_:with:))
        works(AVAudioSession.setCategory(_:mode:routeSharingPolicy:options:))
        works(AVAudioSession.RecordPermission.callAsFunction, named: "AVAudioSession.recordPermission()")
        works(AVAudioSession.CategoryOptions.allowBluetooth, raw: 0x4)
        works(AVAudioSession.RouteSharingPolicy.longForm, raw: 1)
        works(AVAudioSessionErrorInsufficientPriority, raw: 561_017_449)
        works(NSNotification.Name.AVAudioSessionInterruption, raw: "AVAudioSessionInterruptionNotification")
        works(NSNotification.Name.AVAudioSessionRouteChange, raw: "AVAudioSessionRouteChangeNotification")
        works(
            NSNotification.Name.AVAudioSessionMediaServicesWereLost,
            raw: "AVAudioSessionMediaServicesWereLostNotification")
        works(
            NSNotification.Name.AVAudioSessionMediaServicesWereReset,
            raw: "AVAudioSessionMediaServicesWereResetNotification")
        works(
            NSNotification.Name.AVAudioSessionSilenceSecondaryAudioHint,
            raw: "AVAudioSessionSilenceSecondaryAudioHintNotification")
    }

    private mutating func oldest() {
        // MARK: iOS 6 and older
        works(AVAudioSession.init as () -> AVAudioSession, note: "the one session, as another object")
        works(\AVAudioSession.delegate)
        works(AVAudioSession.setActive(_:withFlags:))
        works(\AVAudioSession.inputIsAvailable)
        works(\AVAudioSession.currentHardwareSampleRate)
        works(\AVAudioSession.currentHardwareInputNumberOfChannels)
        works(\AVAudioSession.currentHardwareOutputNumberOfChannels)
        works(\AVAudioSession.preferredHardwareSampleRate)
        works(AVAudioSession.setPreferredHardwareSampleRate(_:))
        works(AVAudioSessionInterruptionFlags_ShouldResume, is: 1)
        works(AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation, is: 1)
    }

    private mutating func oldestDelegate() {
        final class Adopter: NSObject, AVAudioSessionDelegate {}
        // MARK: AVAudioSessionDelegate
        works((any AVAudioSessionDelegate).self)
        works(method: Adopter.beginInterruption)
        works(Adopter.endInterruption as (Adopter) -> () -> Void)
        works(Adopter.endInterruption(withFlags:))
        works(Adopter.inputIsAvailableChanged(_:))
    }
}
