/// The sound server's facts about a device from which its port kind is derived.
package struct PortEvidence: Hashable, Sendable {
    /// The type of the active port, in the server's terms.
    package enum Connector: String, Hashable, Sendable {
        case unknown = "Unknown"
        case aux = "Aux"
        case speaker = "Speaker"
        case headphones = "Headphones"
        case line = "Line"
        case mic = "Mic"
        case headset = "Headset"
        case handset = "Handset"
        case earpiece = "Earpiece"
        case spdif = "SPDIF"
        case hdmi = "HDMI"
        case tv = "TV"
        case radio = "Radio"
        case video = "Video"
        case usb = "USB"
        case bluetooth = "Bluetooth"
        case portable = "Portable"
        case handsfree = "Handsfree"
        case car = "Car"
        case hifi = "HiFi"
        case phone = "Phone"
        case network = "Network"
        case analog = "Analog"
    }

    /// Whether the device plays; otherwise it records.
    package var isOutput: Bool
    /// The device's name on the server.
    package var device: String
    /// The driver of the device, such as `module-raop-sink.c`.
    package var driver: String
    /// Whether the device belongs to a card.
    package var hasCard: Bool
    /// Whether the device is the monitor of a sink.
    package var isMonitor: Bool
    /// The device's properties, such as `device.bus`.
    package var properties: [String: String]
    /// The name of the active port; empty without one.
    package var port: String
    /// The type of the active port.
    package var connector: Connector

    /// The evidence with these values.
    package init(
        isOutput: Bool, device: String, driver: String = "", hasCard: Bool, isMonitor: Bool = false,
        properties: [String: String] = [:], port: String = "", connector: Connector = .unknown
    ) {
        self.isOutput = isOutput
        self.device = device
        self.driver = driver
        self.hasCard = hasCard
        self.isMonitor = isMonitor
        self.properties = properties
        self.port = port
        self.connector = connector
    }
}

/// The port kind of a device. The first row that holds decides:
///
/// | evidence | kind |
/// |---|---|
/// | a sink that sends to an AirPlay receiver (RAOP) | AirPlay |
/// | a monitor; no card, no bus and no interface of its own | Virtual |
/// | the bus, or the name where an older server leaves the bus out: USB, FireWire, Thunderbolt | that |
/// | the bus is Bluetooth | LE where its profile is LE Audio's (`bap-…`), HFP where it records or its profile is a headset's, else A2DP |
/// | the connector in use, by its type, or by its name where an older server leaves the type out | what it is |
/// | the device's shape (`device.form_factor`) | what it is |
/// | the bus is PCI, or nothing | PCI; the built-in speaker or microphone |
extension PortKind {
    /// The kind of the device with this evidence.
    package init(_ evidence: PortEvidence) {
        let api = evidence.properties["device.api"]
        let bus = evidence.properties["device.bus"]
        if evidence.isOutput, !evidence.isMonitor, evidence.isRAOP {
            self = .airPlay
        } else if evidence.isMonitor || !evidence.hasCard && api == nil && bus == nil {
            self = .virtual
        } else if let kind = Self(bus: bus ?? "", evidence) {
            self = kind
        } else {
            self =
                (evidence.isOutput ? Self(output: evidence) : Self(input: evidence))
                ?? (evidence.isOutput ? Self(outputShape: evidence) : Self(inputShape: evidence))
        }
    }

    private init?(bus: String, _ evidence: PortEvidence) {
        switch bus {
        case "bluetooth": self = Self(bluetooth: evidence)
        case "usb": self = .usb
        case "firewire": self = .fireWire
        case "thunderbolt": self = .thunderbolt
        default:
            guard let bus = evidence.busByName else { return nil }
            self.init(bus: bus, evidence)
        }
    }

    /// The kind of a Bluetooth device; PulseAudio and PipeWire name profiles differently, and only PipeWire has LE Audio.
    private init(bluetooth evidence: PortEvidence) {
        let profile = evidence.properties["bluetooth.protocol"] ?? evidence.properties["api.bluez5.profile"] ?? ""
        let isHandsFree = profile.mentions("headset") || profile.mentions("handsfree")
        if profile.hasPrefix("bap") {
            self = .bluetoothLE
        } else {
            self = evidence.isOutput && !isHandsFree ? .bluetoothA2DP : .bluetoothHFP
        }
    }

    private init?(output evidence: PortEvidence) {
        switch evidence.likelyConnector {
        case .headphones, .headset, .portable: self = .headphones
        case .speaker: self = .speaker
        case .hdmi: self = evidence.says("displayport") ? .displayPort : .hdmi
        case .tv, .video: self = .hdmi
        case .line, .aux, .analog, .spdif, .hifi, .radio: self = .lineOut
        case .earpiece, .handset, .phone: self = .receiver
        case .car: self = .car
        case .bluetooth: self = .bluetoothA2DP
        case .handsfree: self = .bluetoothHFP
        case .usb: self = .usb
        case .network: self = .airPlay
        case .mic, .unknown: return nil
        }
    }

    private init(outputShape evidence: PortEvidence) {
        switch evidence.properties["device.form_factor"] {
        case "internal", "speaker", "computer": self = .speaker
        case "headphone", "headset": self = .headphones
        case "handset": self = .receiver
        case "hifi": self = .lineOut
        case "tv": self = .hdmi
        case "car": self = .car
        default: self = evidence.properties["device.bus"] == "pci" ? .pci : .speaker
        }
    }

    private init?(input evidence: PortEvidence) {
        switch evidence.likelyConnector {
        case .line, .aux, .radio, .analog, .spdif: self = .lineIn
        case .headset, .headphones: self = .wiredMicrophone
        case .hdmi, .tv, .video: self = .hdmi
        case .bluetooth, .handsfree: self = .bluetoothHFP
        case .usb: self = .usb
        // A jack is recognized by its name; the microphone arrays of laptops and phones are numbered.
        case .mic: self = evidence.isJack ? .wiredMicrophone : .builtInMicrophone
        default: return nil
        }
    }

    private init(inputShape evidence: PortEvidence) {
        switch evidence.properties["device.form_factor"] {
        case "internal", "microphone", "webcam", "handset", "computer": self = .builtInMicrophone
        case "headset", "headphone": self = .wiredMicrophone
        default: self = evidence.properties["device.bus"] == "pci" ? .pci : .builtInMicrophone
        }
    }
}

extension PortEvidence {
    /// The parts of the connector's name, such as those of `analog-input-front-mic` or `[Out] Headphones`.
    private var words: Set<String> { Set(port.lowercased().split { !$0.isLetter }.map(String.init)) }

    /// Whether the port's name contains one of these words.
    fileprivate func says(_ some: String...) -> Bool { !words.isDisjoint(with: some) }

    /// Whether the device is an AirPlay sink: recognized by its name on PipeWire, by its driver on PulseAudio.
    fileprivate var isRAOP: Bool {
        properties["device.api"] == "raop" || device.hasPrefix("raop") || driver.mentions("raop")
    }

    /// The bus in the device's name.
    fileprivate var busByName: String? {
        if device.hasPrefix("alsa_output.usb-") || device.hasPrefix("alsa_input.usb-") { return "usb" }
        return device.hasPrefix("bluez_") || properties["device.api"] == "bluez5" ? "bluetooth" : nil
    }

    /// The type of the port, from the server or from its name: PulseAudio before version 14 reports no types.
    fileprivate var likelyConnector: Connector {
        guard connector == .unknown else { return connector }
        if says("hdmi", "displayport") { return .hdmi }
        if says("headset") { return .headset }
        if says("headphones", "headphone") { return isOutput ? .headphones : .headset }
        if says("speaker", "speakers") { return .speaker }
        if says("earpiece", "handset") { return .earpiece }
        if says("mic", "microphone") { return .mic }
        if says("line", "lineout", "linein") { return .line }
        if says("iec", "spdif") { return .spdif }
        if says("analog") { return .analog }
        return .unknown
    }

    /// Whether a microphone is plugged into a jack.
    ///
    /// ALSA's mixer paths call them `analog-input-…-mic`, with `internal` for the one that is not. UCM profiles number
    /// them: the first is built in, the second a jack.
    fileprivate var isJack: Bool {
        if says("internal", "builtin") { return false }
        return port.hasPrefix("analog-input") || port.hasSuffix("Mic2")
            || says("headset", "headphone", "jack", "external")
    }
}

extension String {
    /// Whether the text contains these bytes.
    ///
    /// The generic `contains` takes 0.25 ms at its first use in a program.
    fileprivate func mentions(_ word: String) -> Bool {
        let (text, word) = (Array(utf8), Array(word.utf8))
        guard word.count <= text.count else { return false }
        return (0...text.count - word.count).contains { text[$0..<$0 + word.count].elementsEqual(word) }
    }
}
