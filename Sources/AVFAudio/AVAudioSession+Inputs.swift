internal import SessionPolicy
internal import SoundHost

extension AVAudioSession {
    /// What the session can record from, monitors of sinks included; nil where the category records nothing.
    ///
    /// Asks the sound server, for at most two seconds; empty without one.
    ///
    /// Apple: `AVAudioSession.availableInputs`.
    public var availableInputs: [AVAudioSessionPortDescription]? {
        guard shell.settings.allowsInput else { return nil }
        return inputDevices.map { AVAudioSessionPortDescription($0) }
    }

    /// Whether there is anything to record from, whatever the category.
    ///
    /// Asks the sound server, for at most two seconds; false without one.
    ///
    /// Apple: `AVAudioSession.isInputAvailable`.
    public var isInputAvailable: Bool { !inputDevices.isEmpty }

    /// The input that the app chose; nil if it chose none, or if that one has disappeared.
    ///
    /// Apple: `AVAudioSession.preferredInput`.
    public var preferredInput: AVAudioSessionPortDescription? {
        guard let name = shell.preferredInput else { return nil }
        if let device = inputDevices.first(where: { $0.name == name }) { return AVAudioSessionPortDescription(device) }
        // A device that comes back is not taken again behind the app's back.
        shell.preferredInput = nil
        return nil
    }

    /// Chooses what the next recording comes from; nil leaves that to the system.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a port that is not among
    /// ``availableInputs``.
    ///
    /// Apple: `AVAudioSession.setPreferredInput(_:)`.
    public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        guard let inPort else {
            shell.preferredInput = nil
            return
        }
        guard availableInputs?.contains(where: { $0.uid == inPort.uid }) == true else {
            throw NSError(SessionError(.badParam, "There is no input \(inPort.uid) to record from."))
        }
        shell.preferredInput = inPort.uid
    }

    private var inputDevices: [InputDevice] {
        // A lost server is looked for already; asking for it a second time would only block.
        guard shell.state != .lost else { return [] }
        return (try? shell.connected().inputs()) ?? []
    }
}

extension AVAudioSessionPortDescription {
    fileprivate convenience init(_ device: InputDevice) {
        let channels = (1...max(1, device.channels)).map {
            AVAudioSessionChannelDescription(
                channelName: "\(device.description) \($0)", owningPortUID: device.name, channelNumber: $0,
                channelLabel: kAudioChannelLabel_Unknown)
        }
        self.init(
            portType: .init(device.kind), portName: device.description, uid: device.name, channels: channels)
    }
}

extension AVAudioSession.Port {
    fileprivate init(_ kind: InputDevice.Kind) {
        switch kind {
        case .builtInMicrophone: self = .builtInMic
        case .wiredMicrophone: self = .headsetMic
        case .lineIn: self = .lineIn
        case .usb: self = .usbAudio
        case .bluetooth: self = .bluetoothHFP
        case .hdmi: self = .HDMI
        case .fireWire: self = .fireWire
        case .thunderbolt: self = .thunderbolt
        case .pci: self = .PCI
        case .virtual: self = .virtual
        }
    }
}
