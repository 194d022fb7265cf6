internal import SessionPolicy

/// Where a session's sound comes from and goes to, at one moment.
///
/// It never changes, so that it may be used from any thread. Tests of apps subclass it and override ``outputs``.
///
/// Apple: `AVAudioSessionRouteDescription`
// SAFETY: nothing changes; a subclass answers for itself.
nonisolated open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {
    private let inputPorts: [AVAudioSessionPortDescription]
    private let outputPorts: [AVAudioSessionPortDescription]

    /// The ports that sound comes from; empty where the session records nothing.
    ///
    /// Apple: `AVAudioSessionRouteDescription.inputs`
    open var inputs: [AVAudioSessionPortDescription] { inputPorts }

    /// The ports that sound goes to; empty where the session plays nothing.
    ///
    /// Apple: `AVAudioSessionRouteDescription.outputs`
    open var outputs: [AVAudioSessionPortDescription] { outputPorts }

    /// A route without ports, for subclasses.
    ///
    /// Apple: `AVAudioSessionRouteDescription.init()`, of `NSObject`
    public override init() {
        (inputPorts, outputPorts) = ([], [])
        super.init()
    }

    /// A route of these ports.
    package init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
        inputPorts = inputs
        outputPorts = outputs
        super.init()
    }

    /// Whether the other object is a route of equal ports.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionRouteDescription else { return false }
        return other.inputs == inputs && other.outputs == outputs
    }

    /// A hash of the ports.
    open override var hash: Int { inputs.hashValue ^ outputs.hashValue }

    /// The ports, for logs.
    open override var description: String {
        "<AVAudioSessionRouteDescription: inputs = \(inputs); outputs = \(outputs)>"
    }
}

/// One connector, radio or built-in device.
///
/// It never changes, but for what is preferred, and may be used from any thread. Tests of apps subclass it and override
/// ``portType``.
///
/// Apple: `AVAudioSessionPortDescription`
// SAFETY: nothing changes; a subclass answers for itself.
nonisolated open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {
    private let known: Facts

    /// What the server said of the port.
    private struct Facts {
        let type: AVAudioSession.Port
        let name: String
        let uid: String
        let channels: [AVAudioSessionChannelDescription]?
        let dataSources: [AVAudioSessionDataSourceDescription]?
        let selectedDataSource: AVAudioSessionDataSourceDescription?
    }

    /// Its kind.
    ///
    /// Apple: `AVAudioSessionPortDescription.portType`
    open var portType: AVAudioSession.Port { known.type }

    /// Its name for people.
    ///
    /// Apple: `AVAudioSessionPortDescription.portName`
    open var portName: String { known.name }

    /// Its name for programs; the same device has the same one after it was away.
    ///
    /// Apple: `AVAudioSessionPortDescription.uid`
    open var uid: String { known.uid }

    /// Whether the hardware cancels echo in calls; no device says so on Linux.
    ///
    /// Apple: `AVAudioSessionPortDescription.hasHardwareVoiceCallProcessing`
    open var hasHardwareVoiceCallProcessing: Bool { false }

    /// Whether the port plays spatial sound; no device says so on Linux.
    ///
    /// Apple: `AVAudioSessionPortDescription.isSpatialAudioEnabled`
    open var isSpatialAudioEnabled: Bool { false }

    /// Its channels, if they are known.
    ///
    /// Apple: `AVAudioSessionPortDescription.channels`
    open var channels: [AVAudioSessionChannelDescription]? { known.channels }

    /// The connectors that it can take its sound from; nil where there is nothing to choose.
    ///
    /// Apple: `AVAudioSessionPortDescription.dataSources`
    open var dataSources: [AVAudioSessionDataSourceDescription]? { known.dataSources }

    /// The connector in use; nil where there is nothing to choose.
    ///
    /// Apple: `AVAudioSessionPortDescription.selectedDataSource`
    open var selectedDataSource: AVAudioSessionDataSourceDescription? { known.selectedDataSource }

    /// The connector that the app chose; nil if it chose none.
    ///
    /// Apple: `AVAudioSessionPortDescription.preferredDataSource`
    open var preferredDataSource: AVAudioSessionDataSourceDescription? {
        guard let preferred = chooser?.preferred() else { return nil }
        return dataSources?.first { $0.source.port == preferred }
    }

    /// Chooses the connector that the port takes its sound from, for all programs; nil leaves that to the system.
    ///
    /// Blocks until the server has answered, for at most two seconds. A change of route with the reason
    /// `routeConfigurationChange` follows. Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for one
    /// that is not among ``dataSources``, `mediaServicesFailed` without a server.
    ///
    /// Apple: `AVAudioSessionPortDescription.setPreferredDataSource(_:)`; PulseAudio:
    /// `pa_context_set_source_port_by_name`
    open func setPreferredDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        if let dataSource, dataSources?.contains(dataSource) != true {
            throw NSError(SessionError(.badParam, "\(portName) has no data source \(dataSource.dataSourceName)."))
        }
        try chooser?.choose(dataSource?.source)
    }

    /// How a port's data source, and its pattern, are chosen.
    struct Chooser: Sendable {
        /// The port of the data source that the app chose.
        let preferred: @Sendable () -> String?
        /// Chooses one, or leaves it to the system.
        let choose: @Sendable (RoutePort.DataSource?) throws -> Void
        /// The pattern that the app chose.
        let preferredPattern: @Sendable (RoutePort.DataSource) -> String?
        /// Chooses one, or leaves it to the system.
        let choosePattern: @Sendable (RoutePort.DataSource, String?) throws -> Void
    }

    private let chooser: Chooser?

    /// A port that stands for nothing, with empty names, for subclasses.
    ///
    /// Apple: `AVAudioSessionPortDescription.init()`, of `NSObject`
    public override init() {
        known = Facts(
            type: .init(rawValue: ""), name: "", uid: "", channels: nil, dataSources: nil, selectedDataSource: nil)
        chooser = nil
        super.init()
    }

    /// A port with these values.
    package convenience init(
        portType: AVAudioSession.Port, portName: String, uid: String,
        channels: [AVAudioSessionChannelDescription]? = nil
    ) {
        self.init(
            portType: portType, portName: portName, uid: uid, channels: channels, dataSources: nil,
            selectedDataSource: nil, chooser: nil)
    }

    init(
        portType: AVAudioSession.Port, portName: String, uid: String, channels: [AVAudioSessionChannelDescription]?,
        dataSources: [AVAudioSessionDataSourceDescription]?,
        selectedDataSource: AVAudioSessionDataSourceDescription?, chooser: Chooser?
    ) {
        known = Facts(
            type: portType, name: portName, uid: uid, channels: channels, dataSources: dataSources,
            selectedDataSource: selectedDataSource)
        self.chooser = chooser
        super.init()
    }

    /// Whether the other object is the same port.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionPortDescription else { return false }
        return other.uid == uid && other.portType == portType
    }

    /// A hash of the name for programs.
    open override var hash: Int { uid.hashValue }

    /// Kind and names, for logs.
    open override var description: String {
        "<AVAudioSessionPortDescription: type = \(portType); name = \(portName); UID = \(uid)>"
    }
}

/// One channel of a port.
///
/// Apple: `AVAudioSessionChannelDescription`
public final class AVAudioSessionChannelDescription: NSObject, Sendable {
    /// Its name for people.
    ///
    /// Apple: `AVAudioSessionChannelDescription.channelName`
    public let channelName: String

    /// The port that it belongs to.
    ///
    /// Apple: `AVAudioSessionChannelDescription.owningPortUID`
    public let owningPortUID: String

    /// Its number in the port, from 1.
    ///
    /// Apple: `AVAudioSessionChannelDescription.channelNumber`
    public let channelNumber: Int

    /// What it is for.
    ///
    /// Apple: `AVAudioSessionChannelDescription.channelLabel`
    public let channelLabel: AudioChannelLabel

    /// A channel with these values.
    package init(channelName: String, owningPortUID: String, channelNumber: Int, channelLabel: AudioChannelLabel) {
        self.channelName = channelName
        self.owningPortUID = owningPortUID
        self.channelNumber = channelNumber
        self.channelLabel = channelLabel
    }

    /// Whether the other object is the same channel of the same port.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionChannelDescription else { return false }
        return other.owningPortUID == owningPortUID && other.channelNumber == channelNumber
    }

    /// A hash of port and number.
    public override var hash: Int { owningPortUID.hashValue ^ channelNumber }

    /// Name, port and number, for logs.
    public override var description: String {
        "<AVAudioSessionChannelDescription: name = \(channelName); UID = \(owningPortUID); number = \(channelNumber)>"
    }
}
