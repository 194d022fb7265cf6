internal import SessionPolicy

/// A session's inputs and outputs at one moment.
///
/// Immutable; any thread may use it. Tests of apps subclass it and override ``outputs``.
///
/// Apple: `AVAudioSessionRouteDescription`
// SAFETY: immutable; a subclass answers for itself.
nonisolated open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {
    private let inputPorts: [AVAudioSessionPortDescription]
    private let outputPorts: [AVAudioSessionPortDescription]

    /// The ports of the recorded sound; empty if the session does not record.
    ///
    /// Apple: `AVAudioSessionRouteDescription.inputs`
    open var inputs: [AVAudioSessionPortDescription] { inputPorts }

    /// The ports of the played sound; empty if the session does not play.
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

    /// A route with these ports.
    package init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
        inputPorts = inputs
        outputPorts = outputs
        super.init()
    }

    /// Whether the other object is a route with equal ports.
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

/// A port: a connector, a radio link or a built-in device.
///
/// Immutable except for ``preferredDataSource``; any thread may use it. Tests of apps subclass it and override
/// ``portType``.
///
/// Apple: `AVAudioSessionPortDescription`
// SAFETY: immutable; a subclass answers for itself.
nonisolated open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {
    private let known: Facts

    /// The server's facts about the port.
    private struct Facts {
        let type: AVAudioSession.Port
        let name: String
        let uid: String
        let channels: [AVAudioSessionChannelDescription]?
        let dataSources: [AVAudioSessionDataSourceDescription]?
        let selectedDataSource: AVAudioSessionDataSourceDescription?
    }

    /// The kind of the port.
    ///
    /// Apple: `AVAudioSessionPortDescription.portType`
    open var portType: AVAudioSession.Port { known.type }

    /// The display name.
    ///
    /// Apple: `AVAudioSessionPortDescription.portName`
    open var portName: String { known.name }

    /// The identifier; a device that was away returns with the same one.
    ///
    /// Apple: `AVAudioSessionPortDescription.uid`
    open var uid: String { known.uid }

    /// Whether the hardware cancels echo in calls: always false, because no device reports it on Linux.
    ///
    /// Apple: `AVAudioSessionPortDescription.hasHardwareVoiceCallProcessing`
    open var hasHardwareVoiceCallProcessing: Bool { false }

    /// Whether the port plays spatial sound: always false, because no device reports it on Linux.
    ///
    /// Apple: `AVAudioSessionPortDescription.isSpatialAudioEnabled`
    open var isSpatialAudioEnabled: Bool { false }

    /// The channels of the port; nil if they are not known.
    ///
    /// Apple: `AVAudioSessionPortDescription.channels`
    open var channels: [AVAudioSessionChannelDescription]? { known.channels }

    /// The connectors to choose from; nil if there is no choice.
    ///
    /// Apple: `AVAudioSessionPortDescription.dataSources`
    open var dataSources: [AVAudioSessionDataSourceDescription]? { known.dataSources }

    /// The connector in use when the description was made; nil if there is no choice.
    ///
    /// Apple: `AVAudioSessionPortDescription.selectedDataSource`
    open var selectedDataSource: AVAudioSessionDataSourceDescription? { known.selectedDataSource }

    /// The connector that the app chose; nil if it chose none.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSessionPortDescription.preferredDataSource`
    open var preferredDataSource: AVAudioSessionDataSourceDescription? {
        guard let preferred = chooser?.preferred() else { return nil }
        return dataSources?.first { $0.source.port == preferred }
    }

    /// Sets the port's connector for all programs; nil leaves the choice to the system.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most. A route change with the reason
    /// `routeConfigurationChange` follows. Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a
    /// connector that is not among ``dataSources``, `resourceNotAvailable` if the device is gone, `mediaServicesFailed`
    /// without a server.
    ///
    /// Apple: `AVAudioSessionPortDescription.setPreferredDataSource(_:)`; PulseAudio:
    /// `pa_context_set_source_port_by_name`
    open func setPreferredDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        if let dataSource, dataSources?.contains(dataSource) != true {
            throw NSError(SessionError(.badParam, "\(portName) has no data source \(dataSource.dataSourceName)."))
        }
        try chooser?.choose(dataSource?.source)
    }

    /// The functions that read and change the choices of data source and pattern.
    struct Chooser: Sendable {
        /// Returns the port of the data source that the app chose.
        let preferred: @Sendable () -> String?
        /// Sets the data source; nil leaves the choice to the system.
        let choose: @Sendable (RoutePort.DataSource?) throws -> Void
        /// Returns the pattern that the app chose.
        let preferredPattern: @Sendable (RoutePort.DataSource) -> String?
        /// Sets the pattern; nil leaves the choice to the system.
        let choosePattern: @Sendable (RoutePort.DataSource, String?) throws -> Void
    }

    private let chooser: Chooser?

    /// An empty port with empty names, for subclasses.
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

    /// Whether the other object describes the same port.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionPortDescription else { return false }
        return other.uid == uid && other.portType == portType
    }

    /// A hash of the identifier.
    open override var hash: Int { uid.hashValue }

    /// The kind and the names, for logs.
    open override var description: String {
        "<AVAudioSessionPortDescription: type = \(portType); name = \(portName); UID = \(uid)>"
    }
}

/// A channel of a port.
///
/// Apple: `AVAudioSessionChannelDescription`
public final class AVAudioSessionChannelDescription: NSObject, Sendable {
    /// The display name.
    ///
    /// Apple: `AVAudioSessionChannelDescription.channelName`
    public let channelName: String

    /// The identifier of the port.
    ///
    /// Apple: `AVAudioSessionChannelDescription.owningPortUID`
    public let owningPortUID: String

    /// The number of the channel in the port, from 1.
    ///
    /// Apple: `AVAudioSessionChannelDescription.channelNumber`
    public let channelNumber: Int

    /// The position of the channel.
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

    /// Whether the other object describes the same channel of the same port.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionChannelDescription else { return false }
        return other.owningPortUID == owningPortUID && other.channelNumber == channelNumber
    }

    /// A hash of the port and the number.
    public override var hash: Int { owningPortUID.hashValue ^ channelNumber }

    /// The name, the port and the number, for logs.
    public override var description: String {
        "<AVAudioSessionChannelDescription: name = \(channelName); UID = \(owningPortUID); number = \(channelNumber)>"
    }
}
