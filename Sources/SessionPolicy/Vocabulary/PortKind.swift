/// What kind of connector, radio or built-in device sound comes from or goes to, with Apple's word for it.
package enum PortKind: String, Hashable, Sendable, CaseIterable {
    case lineIn = "LineIn"
    case builtInMicrophone = "MicrophoneBuiltIn"
    case wiredMicrophone = "MicrophoneWired"
    case lineOut = "LineOut"
    case headphones = "Headphones"
    case bluetoothA2DP = "BluetoothA2DPOutput"
    case receiver = "Receiver"
    case speaker = "Speaker"
    case hdmi = "HDMIOutput"
    case airPlay = "AirPlay"
    case bluetoothLE = "BluetoothLE"
    case bluetoothHFP = "BluetoothHFP"
    case usb = "USBAudio"
    case car = "CarAudio"
    /// Software: a null sink, a filter, a sink's monitor.
    case virtual = "Virtual"
    case pci = "PCI"
    case fireWire = "FireWire"
    case displayPort = "DisplayPort"
    case thunderbolt = "Thunderbolt"

    /// Whether nobody can pull it: what takes over from it is something new, and nothing was lost.
    ///
    /// Many cards call their speaker absent while something is in the jack, or take its sink away for a screen's.
    package var isBuiltIn: Bool { self == .speaker || self == .receiver || self == .builtInMicrophone }
}
