internal import SessionPolicy

/// One of several connectors of an input: the microphone inside, that of the headset.
///
/// On Linux it is a port of a PulseAudio source that has several.
///
/// Apple: `AVAudioSessionDataSourceDescription`
public final class AVAudioSessionDataSourceDescription: NSObject, Sendable {
    /// Its number among those of the input, from 1, as the server orders them; one that is not plugged in keeps its own.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.dataSourceID`
    public var dataSourceID: NSNumber { NSNumber(value: source.number) }

    /// Its name for people.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.dataSourceName`
    public let dataSourceName: String

    /// Where on the machine it is, if its name tells.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.location`
    public var location: AVAudioSession.Location? {
        words.contains("top") ? .upper : words.contains("bottom") ? .lower : nil
    }

    /// Which way it points, if its name tells.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.orientation`
    public var orientation: AVAudioSession.Orientation? {
        let known: [(String, AVAudioSession.Orientation)] = [
            ("front", .front), ("rear", .back), ("back", .back), ("left", .left), ("right", .right), ("top", .top),
            ("bottom", .bottom),
        ]
        return known.first { words.contains($0.0) }?.1
    }

    /// The patterns that it can be set to; nil where there is no choice, as with most microphones.
    ///
    /// On Linux they are ports of the source whose names differ by the pattern's only: `FrontMicOmni`,
    /// `FrontMicCardioid`.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.supportedPolarPatterns`
    public var supportedPolarPatterns: [AVAudioSession.PolarPattern]? {
        source.patterns.isEmpty ? nil : source.patterns.map { .init(rawValue: $0.name) }
    }

    /// The pattern in use, when this was made; nil if the data source was not in use, or has no choice.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.selectedPolarPattern`
    public var selectedPolarPattern: AVAudioSession.PolarPattern? {
        source.patterns.first { $0.port == activePort }.map { .init(rawValue: $0.name) }
    }

    /// The pattern that the app chose; nil if it chose none.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.preferredPolarPattern`
    public var preferredPolarPattern: AVAudioSession.PolarPattern? {
        chooser?.preferredPattern(source).map { .init(rawValue: $0) }
    }

    /// Chooses one of ``supportedPolarPatterns``, for all programs; nil leaves that to the system.
    ///
    /// It takes effect at once where the data source is in use, and else when it is chosen. Blocks until the server has
    /// answered, for at most two seconds. A change of route with the reason `routeConfigurationChange` follows. Throws
    /// an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a pattern that is not among them,
    /// `mediaServicesFailed` without a server.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.setPreferredPolarPattern(_:)`; PulseAudio:
    /// `pa_context_set_source_port_by_name`
    public func setPreferredPolarPattern(_ pattern: AVAudioSession.PolarPattern?) throws {
        if let pattern, supportedPolarPatterns?.contains(pattern) != true {
            throw NSError(SessionError(.badParam, "\(dataSourceName) has no pattern \(pattern.rawValue)."))
        }
        try chooser?.choosePattern(source, pattern?.rawValue)
    }

    /// What it is on the server.
    let source: RoutePort.DataSource
    /// The port of the input that was in use when this was made.
    private let activePort: String?
    private let chooser: AVAudioSessionPortDescription.Chooser?

    /// The parts of the port's names, such as `analog-input-front-mic` and `Front Microphone`.
    private var words: Set<String> {
        Set("\(source.port) \(dataSourceName)".lowercased().split { !$0.isLetter }.map(String.init))
    }

    init(_ source: RoutePort.DataSource, activePort: String?, chooser: AVAudioSessionPortDescription.Chooser?) {
        self.source = source
        dataSourceName = source.name
        self.activePort = activePort
        self.chooser = chooser
    }

    /// Whether it is the one in use.
    var isActive: Bool { activePort.map(source.contains) == true }

    /// Whether the other object is the same connector.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionDataSourceDescription else { return false }
        return other.source == source
    }

    /// A hash of the port.
    public override var hash: Int { source.port.hashValue }

    /// Number and name, for logs.
    public override var description: String {
        "<AVAudioSessionDataSourceDescription: ID = \(source.number); name = \(dataSourceName)>"
    }
}
