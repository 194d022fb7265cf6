internal import AudioHost
internal import AudioSession
internal import SessionPolicy

extension AVAudioSession {
    /// The sources to record from, monitors of sinks included; nil in a category that does not record.
    ///
    /// The microphone of a hands-free headset is included only with the option `allowBluetoothHFP`; one over LE Audio
    /// always is.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; empty without one.
    ///
    /// Apple: `AVAudioSession.availableInputs`.
    public var availableInputs: [AVAudioSessionPortDescription]? {
        let settings = core.settings
        guard settings.allowsInput else { return nil }
        return inputPorts.filter { settings.allowsInput(from: $0.kind) }.map { description(of: $0) }
    }

    /// Whether the server has a source to record from, in any category.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; false without one.
    ///
    /// Apple: `AVAudioSession.isInputAvailable`.
    public var isInputAvailable: Bool { !inputPorts.isEmpty }

    /// The input that the app chose; nil if it chose none, or if that device has disappeared.
    ///
    /// Also nil while the choice is the microphone of a hands-free headset and the option `allowBluetoothHFP` is not
    /// set.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, if the app chose an input; nil without a server.
    ///
    /// Apple: `AVAudioSession.preferredInput`.
    public var preferredInput: AVAudioSessionPortDescription? {
        guard let name = core.preferredInput else { return nil }
        // No answer says nothing about the device.
        guard let ports = try? askForInputs() else { return nil }
        if let port = ports.first(where: { $0.device == name }) { return description(of: port) }
        // A device that returns must not be used again without the app's knowledge.
        core.setPreferredInput(nil)
        return nil
    }

    /// Sets the source of the next recording; nil leaves the choice to the system.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, to look the port up.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a port that is not among
    /// ``availableInputs``, `incompatibleCategory` for every port in a category that does not record,
    /// `mediaServicesFailed` while the sound server is lost.
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
        // A connector looks for a lost server already; a second attempt would only block.
        guard core.standing != .lost else { return [] }
        return try core.ask { host throws(SessionError) in try host.ports().inputs }
    }
}
