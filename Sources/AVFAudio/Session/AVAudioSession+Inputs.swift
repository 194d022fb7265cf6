internal import AudioHost
internal import AudioSession
internal import SessionPolicy

extension AVAudioSession {
    /// What the session can record from, monitors of sinks included; nil where the category records nothing.
    ///
    /// The microphone of a hands-free set is among them only with the option `allowBluetoothHFP`; one over LE Audio
    /// always is.
    ///
    /// Asks the sound server, for at most two seconds; empty without one.
    ///
    /// Apple: `AVAudioSession.availableInputs`.
    public var availableInputs: [AVAudioSessionPortDescription]? {
        let settings = core.settings
        guard settings.allowsInput else { return nil }
        return inputPorts.filter { settings.allowsInput(from: $0.kind) }.map { description(of: $0) }
    }

    /// Whether there is anything to record from, whatever the category.
    ///
    /// Asks the sound server, for at most two seconds; false without one.
    ///
    /// Apple: `AVAudioSession.isInputAvailable`.
    public var isInputAvailable: Bool { !inputPorts.isEmpty }

    /// The input that the app chose; nil if it chose none, or if that one has disappeared.
    ///
    /// Nil as well while it is the microphone of a hands-free set, and the option `allowBluetoothHFP` is not set.
    ///
    /// Apple: `AVAudioSession.preferredInput`.
    public var preferredInput: AVAudioSessionPortDescription? {
        guard let name = core.preferredInput else { return nil }
        // A server that does not answer has said nothing of it.
        guard let ports = try? askForInputs() else { return nil }
        if let port = ports.first(where: { $0.device == name }) { return description(of: port) }
        // A device that comes back is not taken again behind the app's back.
        core.setPreferredInput(nil)
        return nil
    }

    /// Chooses what the next recording comes from; nil leaves that to the system.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a port that is not among
    /// ``availableInputs``, `incompatibleCategory` for any in a category that records nothing, `mediaServicesFailed` while
    /// the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPreferredInput(_:)`.
    public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        try checkServices()
        guard let inPort else {
            core.setPreferredInput(nil)
            return
        }
        let settings = core.settings
        guard settings.allowsInput else {
            throw NSError(SessionError(.incompatibleCategory, "Category \(category.rawValue) records nothing."))
        }
        guard let port = inputPorts.first(where: { $0.uid == inPort.uid }) else {
            throw NSError(SessionError(.badParam, "There is no input \(inPort.uid) to record from."))
        }
        guard settings.allowsInput(from: port.kind) else {
            throw NSError(SessionError(.badParam, "To record from \(inPort.uid) takes the option allowBluetoothHFP."))
        }
        core.setPreferredInput(port)
    }

    private var inputPorts: [RoutePort] { (try? askForInputs()) ?? [] }

    private func askForInputs() throws(SessionError) -> [RoutePort] {
        // A lost server is looked for already; asking for it a second time would only block.
        guard core.standing != .lost else { return [] }
        return try core.connected().ports().inputs
    }
}
