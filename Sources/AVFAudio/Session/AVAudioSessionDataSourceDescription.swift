internal import SessionPolicy

/// One of several connectors of an input, such as the built-in microphone and that of the headset.
///
/// On Linux it is one of several ports of a PulseAudio source. The object is immutable except for
/// ``preferredPolarPattern``.
///
/// Apple: `AVAudioSessionDataSourceDescription`
public final class AVAudioSessionDataSourceDescription: NSObject, Sendable {
    /// The number of the data source in the server's order, from 1; unplugged ones keep their numbers.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.dataSourceID`
    public var dataSourceID: NSNumber { NSNumber(value: source.number) }

    /// The display name.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.dataSourceName`
    public let dataSourceName: String

    /// The location on the machine, if the name contains it.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.location`
    public var location: AVAudioSession.Location? {
        words.contains("top") ? .upper : words.contains("bottom") ? .lower : nil
    }

    /// The direction, if the name contains it.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.orientation`
    public var orientation: AVAudioSession.Orientation? {
        let known: [(String, AVAudioSession.Orientation)] = [
            ("front", .front), ("rear", .back), ("back", .back), ("left", .left), ("right", .right), ("top", .top),
            ("bottom", .bottom),
        ]
        return known.first { words.contains($0.0) }?.1
    }

    /// The polar patterns to choose from; nil if there is no choice, as with most microphones.
    ///
    /// On Linux they are ports of the source whose names differ by the pattern only: `FrontMicOmni`,
    /// `FrontMicCardioid`.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.supportedPolarPatterns`
    public var supportedPolarPatterns: [AVAudioSession.PolarPattern]? {
        source.patterns.isEmpty ? nil : source.patterns.map { .init(rawValue: $0.name) }
    }

    /// The pattern in use when the description was made; nil if the data source was not in use or has no patterns.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.selectedPolarPattern`
    public var selectedPolarPattern: AVAudioSession.PolarPattern? {
        source.patterns.first { $0.port == activePort }.map { .init(rawValue: $0.name) }
    }

    /// The pattern that the app chose; nil if it chose none.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.preferredPolarPattern`
    public var preferredPolarPattern: AVAudioSession.PolarPattern? {
        chooser?.preferredPattern(source).map { .init(rawValue: $0) }
    }

    /// Sets one of ``supportedPolarPatterns`` for all programs; nil leaves the choice to the system.
    ///
    /// The pattern takes effect at once if the data source is in use, otherwise when it is chosen. A route change with
    /// the reason `routeConfigurationChange` follows.
    ///
    /// Any thread. Waits for the sound server: for 2 s at most. Throws an `NSError` in
    /// `NSOSStatusErrorDomain`: `badParam` (−50) for a pattern that is not among them, `resourceNotAvailable` if the
    /// device is gone, `mediaServicesFailed` without a server.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.setPreferredPolarPattern(_:)`; PulseAudio:
    /// `pa_context_set_source_port_by_name`
    public func setPreferredPolarPattern(_ pattern: AVAudioSession.PolarPattern?) throws {
        if let pattern, supportedPolarPatterns?.contains(pattern) != true {
            throw NSError(SessionError(.badParam, "\(dataSourceName) has no pattern \(pattern.rawValue)."))
        }
        try chooser?.choosePattern(source, pattern?.rawValue)
    }

    /// The data source on the server.
    let source: RoutePort.DataSource
    /// The port in use of the input when the description was made.
    private let activePort: String?
    private let chooser: AVAudioSessionPortDescription.Chooser?

    /// The words of the port's names, such as `analog-input-front-mic` and `Front Microphone`.
    private var words: Set<String> {
        Set("\(source.port) \(dataSourceName)".lowercased().split { !$0.isLetter }.map(String.init))
    }

    init(_ source: RoutePort.DataSource, activePort: String?, chooser: AVAudioSessionPortDescription.Chooser?) {
        self.source = source
        dataSourceName = source.name
        self.activePort = activePort
        self.chooser = chooser
    }

    /// Whether the data source was in use when the description was made.
    var isActive: Bool { activePort.map(source.contains) == true }

    /// Whether the other object describes the same port.
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
