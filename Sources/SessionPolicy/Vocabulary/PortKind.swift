/// The kind of a port, a connector, radio or built-in device, with Apple's name for it.
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

    /// Whether the port is built in and cannot be unplugged, so that it is never lost in a route change.
    ///
    /// Many cards report their speaker as absent while a plug is in the jack, or replace its sink by a screen's.
    package var isBuiltIn: Bool { self == .speaker || self == .receiver || self == .builtInMicrophone }
}
