/// A capability of a port: whether it is supported, and whether it is enabled.
///
/// Apple: `AVAudioSessionCapability`.
public final class AVAudioSessionCapability: NSObject, Sendable {
    /// Whether the port supports the capability.
    ///
    /// Apple: `AVAudioSessionCapability.isSupported`.
    public let isSupported: Bool

    /// Whether the capability is enabled.
    ///
    /// Apple: `AVAudioSessionCapability.isEnabled`.
    public let isEnabled: Bool

    fileprivate init(isSupported: Bool, isEnabled: Bool) {
        self.isSupported = isSupported
        self.isEnabled = isEnabled
    }

    /// A capability that no device reports on Linux.
    fileprivate static let none = AVAudioSessionCapability(isSupported: false, isEnabled: false)
}

/// The additional capabilities of a Bluetooth microphone.
///
/// Apple: `AVAudioSessionPortExtensionBluetoothMicrophone`.
public final class AVAudioSessionPortExtensionBluetoothMicrophone: NSObject, Sendable {
    /// Recording at full bandwidth: never supported, because BlueZ has no profile for it.
    ///
    /// Apple: `AVAudioSessionPortExtensionBluetoothMicrophone.highQualityRecording`.
    public var highQualityRecording: AVAudioSessionCapability { .none }

    /// Capturing distant voices: never supported, because no device reports it on Linux.
    ///
    /// Apple: `AVAudioSessionPortExtensionBluetoothMicrophone.farFieldCapture`.
    public var farFieldCapture: AVAudioSessionCapability { .none }
}

extension AVAudioSessionPortDescription {
    /// The capabilities of the port as a Bluetooth microphone; nil for other ports.
    ///
    /// Apple: `AVAudioSessionPortDescription.bluetoothMicrophoneExtension`.
    public var bluetoothMicrophoneExtension: AVAudioSessionPortExtensionBluetoothMicrophone? {
        portType == .bluetoothHFP ? AVAudioSessionPortExtensionBluetoothMicrophone() : nil
    }
}
