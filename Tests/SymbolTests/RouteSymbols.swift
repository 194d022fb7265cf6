import AVFAudio
import Testing

extension SymbolLedger {
    mutating func routes() {
        ports()
        places()
        descriptions()
        extensions()
        labels()
    }

    private mutating func ports() {
        // MARK: AVAudioSession.Port
        works(AVAudioSession.Port.self)
        works(AVAudioSession.Port.init(rawValue:))
        works(AVAudioSession.Port.lineIn, raw: "LineIn")
        works(AVAudioSession.Port.builtInMic, raw: "MicrophoneBuiltIn")
        works(AVAudioSession.Port.headsetMic, raw: "MicrophoneWired")
        works(
            AVAudioSession.Port.continuityMicrophone, raw: "ContinuityMicrophone",
            note: "never told: no other device lends its microphone")
        works(AVAudioSession.Port.lineOut, raw: "LineOut")
        works(AVAudioSession.Port.headphones, raw: "Headphones")
        works(AVAudioSession.Port.bluetoothA2DP, raw: "BluetoothA2DPOutput")
        works(AVAudioSession.Port.builtInReceiver, raw: "Receiver")
        works(AVAudioSession.Port.builtInSpeaker, raw: "Speaker")
        works(AVAudioSession.Port.HDMI, raw: "HDMIOutput")
        works(AVAudioSession.Port.airPlay, raw: "AirPlay")
        works(AVAudioSession.Port.bluetoothLE, raw: "BluetoothLE", note: "LE Audio, on PipeWire")
        works(AVAudioSession.Port.bluetoothHFP, raw: "BluetoothHFP")
        works(AVAudioSession.Port.usbAudio, raw: "USBAudio")
        works(AVAudioSession.Port.carAudio, raw: "CarAudio")
        works(AVAudioSession.Port.virtual, raw: "Virtual")
        works(AVAudioSession.Port.PCI, raw: "PCI")
        works(AVAudioSession.Port.fireWire, raw: "FireWire")
        works(AVAudioSession.Port.displayPort, raw: "DisplayPort")
        works(AVAudioSession.Port.AVB, raw: "AVB", note: "never told: servers do not tell it from other networks")
        works(AVAudioSession.Port.thunderbolt, raw: "Thunderbolt")
        works(
            AVAudioSession.Port.mediaDeviceExtension, raw: "MediaDeviceExtension",
            note: "never told; the string is ours, since Apple's is not published")
    }

    private mutating func places() {
        // MARK: AVAudioSession.Location
        works(AVAudioSession.Location.self)
        works(AVAudioSession.Location.init(rawValue:))
        works(AVAudioSession.Location.upper, raw: "Upper")
        works(AVAudioSession.Location.lower, raw: "Lower")

        // MARK: AVAudioSession.Orientation
        works(AVAudioSession.Orientation.self)
        works(AVAudioSession.Orientation.init(rawValue:))
        works(AVAudioSession.Orientation.top, raw: "Top")
        works(AVAudioSession.Orientation.bottom, raw: "Bottom")
        works(AVAudioSession.Orientation.front, raw: "Front")
        works(AVAudioSession.Orientation.back, raw: "Back")
        works(AVAudioSession.Orientation.left, raw: "Left")
        works(AVAudioSession.Orientation.right, raw: "Right")

        // MARK: AVAudioSession.PolarPattern
        works(AVAudioSession.PolarPattern.self)
        works(AVAudioSession.PolarPattern.init(rawValue:))
        works(AVAudioSession.PolarPattern.omnidirectional, raw: "Omnidirectional")
        works(AVAudioSession.PolarPattern.cardioid, raw: "Cardioid")
        works(AVAudioSession.PolarPattern.subcardioid, raw: "Subcardioid")
        works(AVAudioSession.PolarPattern.stereo, raw: "Stereo")
    }

    private mutating func descriptions() {
        // MARK: AVAudioSessionRouteDescription
        works(AVAudioSessionRouteDescription.self)
        works(AVAudioSessionRouteDescription.init as () -> AVAudioSessionRouteDescription, note: "for mocks: no ports")
        works(\AVAudioSessionRouteDescription.inputs)
        works(\AVAudioSessionRouteDescription.outputs)

        // MARK: AVAudioSessionPortDescription
        works(AVAudioSessionPortDescription.self)
        works(AVAudioSessionPortDescription.init as () -> AVAudioSessionPortDescription, note: "for mocks: no names")
        works(\AVAudioSessionPortDescription.portType)
        works(\AVAudioSessionPortDescription.portName)
        works(\AVAudioSessionPortDescription.uid)
        works(
            \AVAudioSessionPortDescription.hasHardwareVoiceCallProcessing,
            note: "always false: no device says so on Linux")
        works(\AVAudioSessionPortDescription.isSpatialAudioEnabled, note: "always false")
        works(\AVAudioSessionPortDescription.channels)
        works(\AVAudioSessionPortDescription.dataSources)
        works(\AVAudioSessionPortDescription.selectedDataSource)
        works(\AVAudioSessionPortDescription.preferredDataSource)
        works(AVAudioSessionPortDescription.setPreferredDataSource(_:))
        works(\AVAudioSessionPortDescription.bluetoothMicrophoneExtension)

        // MARK: AVAudioSessionDataSourceDescription
        works(AVAudioSessionDataSourceDescription.self)
        works(\AVAudioSessionDataSourceDescription.dataSourceID)
        works(\AVAudioSessionDataSourceDescription.dataSourceName)
        works(\AVAudioSessionDataSourceDescription.location)
        works(\AVAudioSessionDataSourceDescription.orientation)
        works(\AVAudioSessionDataSourceDescription.supportedPolarPatterns)
        works(\AVAudioSessionDataSourceDescription.selectedPolarPattern)
        works(\AVAudioSessionDataSourceDescription.preferredPolarPattern)
        works(AVAudioSessionDataSourceDescription.setPreferredPolarPattern(_:))

        // MARK: AVAudioSessionChannelDescription
        works(AVAudioSessionChannelDescription.self)
        works(\AVAudioSessionChannelDescription.channelName)
        works(\AVAudioSessionChannelDescription.owningPortUID)
        works(\AVAudioSessionChannelDescription.channelNumber)
        works(\AVAudioSessionChannelDescription.channelLabel)
    }

    private mutating func extensions() {
        // MARK: Bluetooth microphones
        works(AVAudioSessionPortExtensionBluetoothMicrophone.self)
        works(
            \AVAudioSessionPortExtensionBluetoothMicrophone.highQualityRecording, note: "neither supported nor enabled")
        works(\AVAudioSessionPortExtensionBluetoothMicrophone.farFieldCapture, note: "neither supported nor enabled")
        works(AVAudioSessionCapability.self)
        works(\AVAudioSessionCapability.isSupported)
        works(\AVAudioSessionCapability.isEnabled)
    }

    private mutating func labels() {
        // MARK: AudioChannelLabel
        works(AudioChannelLabel.self)
        works(kAudioChannelLabel_Unknown, is: 0xFFFF_FFFF)
        works(kAudioChannelLabel_Unused, is: 0)
        works(kAudioChannelLabel_Left, is: 1)
        works(kAudioChannelLabel_Right, is: 2)
        works(kAudioChannelLabel_Center, is: 3)
        works(kAudioChannelLabel_LFEScreen, is: 4)
        works(kAudioChannelLabel_LeftSurround, is: 5)
        works(kAudioChannelLabel_RightSurround, is: 6)
        works(kAudioChannelLabel_LeftCenter, is: 7)
        works(kAudioChannelLabel_RightCenter, is: 8)
        works(kAudioChannelLabel_CenterSurround, is: 9)
        works(kAudioChannelLabel_Mono, is: 42)
        works(kAudioChannelLabel_Discrete_0, is: 1 << 16)
    }
}
