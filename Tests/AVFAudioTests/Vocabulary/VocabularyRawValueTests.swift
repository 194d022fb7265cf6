import AVFAudio
import TestSupport
import Testing

/// Raw values are what programs store, compare and send: they are Apple's.
@Suite("Raw values", .limited)
struct VocabularyRawValueTests {
    @Test("Categories (1.6)")
    func categories() {
        let names = ["Ambient", "SoloAmbient", "Playback", "Record", "PlayAndRecord", "MultiRoute", "AudioProcessing"]
        let all: [AVAudioSession.Category] = [
            .ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute, .audioProcessing,
        ]
        #expect(all.map(\.rawValue) == names.map { "AVAudioSessionCategory" + $0 })
        #expect(AVAudioSession.Category("x") == AVAudioSession.Category(rawValue: "x"))
    }

    @Test("Modes (1.7)")
    func modes() {
        let names = [
            "Default", "VoiceChat", "GameChat", "VideoRecording", "Measurement", "MoviePlayback", "VideoChat",
            "SpokenAudio", "VoicePrompt", "ShortFormVideo", "DualRoute",
        ]
        let all: [AVAudioSession.Mode] = [
            .default, .voiceChat, .gameChat, .videoRecording, .measurement, .moviePlayback, .videoChat, .spokenAudio,
            .voicePrompt, .shortFormVideo, .dualRoute,
        ]
        #expect(all.map(\.rawValue) == names.map { "AVAudioSessionMode" + $0 })
    }

    @Test("Category options (1.8)")
    func options() {
        let all: [AVAudioSession.CategoryOptions] = [
            .mixWithOthers, .duckOthers, .allowBluetoothHFP, .defaultToSpeaker, .interruptSpokenAudioAndMixWithOthers,
            .allowBluetoothA2DP, .allowAirPlay, .overrideMutedMicrophoneInterruption, .farFieldInput,
            .bluetoothHighQualityRecording,
        ]
        #expect(all.map(\.rawValue) == [0x1, 0x2, 0x4, 0x8, 0x11, 0x20, 0x40, 0x80, 0x40000, 0x80000])
    }

    @Test("Option sets (1.9)")
    func optionSets() {
        #expect(AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation.rawValue == 1)
        #expect(AVAudioSession.InterruptionOptions.shouldResume.rawValue == 1)
        #expect(AVAudioSessionActivationOptions().rawValue == 0)
        #expect(AVAudioSessionDeactivationOptions.notifyOthersOnDeactivation.rawValue == 1)
    }

    @Test("Small enumerations (1.9)")
    func enumerations() {
        #expect([AVAudioSession.InterruptionType.began, .ended].map(\.rawValue) == [1, 0])
        #expect([AVAudioSession.SilenceSecondaryAudioHintType.begin, .end].map(\.rawValue) == [1, 0])
        let reasons: [AVAudioSession.InterruptionReason] = [
            .default, .appWasSuspended, .builtInMicMuted, .sceneWasBackgrounded, .routeDisconnected,
            .deviceUnauthenticated,
        ]
        #expect(reasons.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        let policies: [AVAudioSession.RouteSharingPolicy] = [.default, .longFormAudio, .independent, .longFormVideo]
        #expect(policies.map(\.rawValue) == [0, 1, 2, 3])
        #expect([AVAudioSession.IOType.notSpecified, .aggregated].map(\.rawValue) == [0, 1])
        let orientations: [AVAudioSession.StereoOrientation] = [
            .none, .portrait, .portraitUpsideDown, .landscapeRight, .landscapeLeft,
        ]
        #expect(orientations.map(\.rawValue) == [0, 1, 2, 3, 4])
        let modes: [AVAudioSession.RenderingMode] = [
            .notApplicable, .monoStereo, .surround, .spatialAudio, .dolbyAudio, .dolbyAtmos,
        ]
        #expect(modes.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    }

    @Test("Reasons of route changes leave out 5 (1.9)")
    func routeChangeReasons() {
        let reasons: [AVAudioSession.RouteChangeReason] = [
            .unknown, .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override, .wakeFromSleep,
            .noSuitableRouteForCategory, .routeConfigurationChange,
        ]
        #expect(reasons.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7, 8])
        #expect(AVAudioSession.RouteChangeReason(rawValue: 5) == nil)
    }

    @Test("Four-character values (1.9)")
    func fourCharacterValues() {
        #expect(AVAudioSession.PortOverride.speaker.rawValue == 1_936_747_378)
        #expect(AVAudioSession.PortOverride.none.rawValue == 0)
        let permissions: [AVAudioSession.RecordPermission] = [.undetermined, .denied, .granted]
        #expect(permissions.map(\.rawValue) == [1_970_168_948, 1_684_369_017, 1_735_552_628])
        let styles: [AVAudioSession.PromptStyle] = [.none, .short, .normal]
        #expect(styles.map(\.rawValue) == ["none", "shrt", "nrml"].map(number))
    }

    @Test("Error codes (1.10)")
    func errorCodes() {
        let codes: [(AVAudioSession.ErrorCode, Int)] = [
            (.none, 0), (.mediaServicesFailed, 1_836_282_486), (.isBusy, 560_030_580),
            (.incompatibleCategory, 560_161_140), (.cannotInterruptOthers, 560_557_684),
            (.missingEntitlement, 1_701_737_535), (.siriIsRecording, 1_936_290_409), (.cannotStartPlaying, 561_015_905),
            (.cannotStartRecording, 561_145_187), (.badParam, -50), (.insufficientPriority, 561_017_449),
            (.resourceNotAvailable, 561_145_203), (.unspecified, 2_003_329_396), (.expiredSession, 561_210_739),
            (.sessionNotActive, 1_768_841_571),
        ]
        for (code, value) in codes { #expect(code.rawValue == value) }
    }

    @Test("Ports, locations and patterns print as their strings (1.12, 4)")
    func ports() {
        let ports: [AVAudioSession.Port] = [
            .lineIn, .builtInMic, .headsetMic, .continuityMicrophone, .lineOut, .headphones, .bluetoothA2DP,
            .builtInReceiver, .builtInSpeaker, .HDMI, .airPlay, .bluetoothLE, .bluetoothHFP, .usbAudio, .carAudio,
            .virtual, .PCI, .fireWire, .displayPort, .AVB, .thunderbolt,
        ]
        let names = [
            "LineIn", "MicrophoneBuiltIn", "MicrophoneWired", "ContinuityMicrophone", "LineOut", "Headphones",
            "BluetoothA2DPOutput", "Receiver", "Speaker", "HDMIOutput", "AirPlay", "BluetoothLE", "BluetoothHFP",
            "USBAudio", "CarAudio", "Virtual", "PCI", "FireWire", "DisplayPort", "AVB", "Thunderbolt",
        ]
        #expect(ports.map(\.rawValue) == names)
        #expect("Port: \(AVAudioSession.Port.builtInMic)" == "Port: MicrophoneBuiltIn")
        let pattern: AVAudioSession.PolarPattern? = nil
        #expect("\(pattern ?? "[none]")" == "[none]")
        #expect(AVAudioSession.PolarPattern.omnidirectional.rawValue == "Omnidirectional")
        #expect(AVAudioSession.Location.upper.rawValue == "Upper")
        #expect(AVAudioSession.Orientation.back.rawValue == "Back")
    }

    @Test("Notifications and keys are their own names (1.11)")
    func notifications() {
        let names: [NSNotification.Name] = [
            AVAudioSession.interruptionNotification, AVAudioSession.routeChangeNotification,
            AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
            AVAudioSession.silenceSecondaryAudioHintNotification, AVAudioSession.availableInputsChangeNotification,
        ]
        let expected = [
            "Interruption", "RouteChange", "MediaServicesWereLost", "MediaServicesWereReset",
            "SilenceSecondaryAudioHint", "AvailableInputsChange",
        ]
        #expect(names.map(\.rawValue) == expected.map { "AVAudioSession\($0)Notification" })
        #expect(AVAudioSessionInterruptionTypeKey == "AVAudioSessionInterruptionTypeKey")
        #expect(AVAudioSessionInterruptionOptionKey == "AVAudioSessionInterruptionOptionKey")
        #expect(AVAudioSessionRouteChangePreviousRouteKey == "AVAudioSessionRouteChangePreviousRouteKey")
    }

    @Test("Encodings, kinds of files and quality (1.17)")
    func coreAudio() {
        let encodings: [(AudioFormatID, String)] = [
            (kAudioFormatLinearPCM, "lpcm"), (kAudioFormatMPEG4AAC, "aac "), (kAudioFormatAppleLossless, "alac"),
            (kAudioFormatAppleIMA4, "ima4"), (kAudioFormatiLBC, "ilbc"), (kAudioFormatULaw, "ulaw"),
            (kAudioFormatALaw, "alaw"), (kAudioFormatMPEGLayer3, ".mp3"), (kAudioFormatFLAC, "flac"),
            (kAudioFormatOpus, "opus"), (kAudioFormatAMR, "samr"),
        ]
        for (encoding, text) in encodings { #expect(UInt(encoding) == number(text)) }
        let files: [(AudioFileTypeID, String)] = [
            (kAudioFileWAVEType, "WAVE"), (kAudioFileAIFFType, "AIFF"), (kAudioFileAIFCType, "AIFC"),
            (kAudioFileCAFType, "caff"), (kAudioFileM4AType, "m4af"), (kAudioFileMP3Type, "MPG3"),
            (kAudioFileFLACType, "flac"), (kAudioFileWave64Type, "W64f"), (kAudioFileRF64Type, "RF64"),
        ]
        for (file, text) in files { #expect(UInt(file) == number(text)) }
        let quality: [AVAudioQuality] = [.min, .low, .medium, .high, .max]
        #expect(quality.map(\.rawValue) == [0, 0x20, 0x40, 0x60, 0x7F])
        #expect(AVLinearPCMIsNonInterleaved == "AVLinearPCMIsNonInterleaved")
        #expect(AVFormatIDKey == "AVFormatIDKey")
    }

    private func number(_ text: String) -> UInt { text.utf8.reduce(0) { $0 << 8 | UInt($1) } }
}
