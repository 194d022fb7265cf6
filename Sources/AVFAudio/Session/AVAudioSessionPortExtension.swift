/// Whether a port can do something, and does.
///
/// Apple: `AVAudioSessionCapability`.
public final class AVAudioSessionCapability: NSObject, Sendable {
    /// Whether it can.
    ///
    /// Apple: `AVAudioSessionCapability.isSupported`.
    public let isSupported: Bool

    /// Whether it does.
    ///
    /// Apple: `AVAudioSessionCapability.isEnabled`.
    public let isEnabled: Bool

    fileprivate init(isSupported: Bool, isEnabled: Bool) {
        self.isSupported = isSupported
        self.isEnabled = isEnabled
    }

    /// What no device says of itself on Linux.
    fileprivate static let none = AVAudioSessionCapability(isSupported: false, isEnabled: false)
}

/// What a Bluetooth microphone can do beside being one.
///
/// Apple: `AVAudioSessionPortExtensionBluetoothMicrophone`.
public final class AVAudioSessionPortExtensionBluetoothMicrophone: NSObject, Sendable {
    /// Recording at full bandwidth: BlueZ has no profile for that.
    ///
    /// Apple: `AVAudioSessionPortExtensionBluetoothMicrophone.highQualityRecording`.
    public var highQualityRecording: AVAudioSessionCapability { .none }

    /// Hearing voices from afar: no device says so on Linux.
    ///
    /// Apple: `AVAudioSessionPortExtensionBluetoothMicrophone.farFieldCapture`.
    public var farFieldCapture: AVAudioSessionCapability { .none }
}

extension AVAudioSessionPortDescription {
    /// What the port can do as a Bluetooth microphone; nil if it is none.
    ///
    /// Apple: `AVAudioSessionPortDescription.bluetoothMicrophoneExtension`.
    public var bluetoothMicrophoneExtension: AVAudioSessionPortExtensionBluetoothMicrophone? {
        portType == .bluetoothHFP ? AVAudioSessionPortExtensionBluetoothMicrophone() : nil
    }
}
