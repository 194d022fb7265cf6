internal import SessionPolicy

/// One of several connectors of an input: the microphone inside, that of the headset.
///
/// On Linux it is a port of a PulseAudio source that has several.
///
/// Apple: `AVAudioSessionDataSourceDescription`
public final class AVAudioSessionDataSourceDescription: NSObject, Sendable {
    /// Its number among those of the input, from 1, as the server orders them.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.dataSourceID`
    public var dataSourceID: NSNumber { NSNumber(value: number) }

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

    /// The patterns that it can be set to; nil, since no Linux driver offers any through a sound server.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.supportedPolarPatterns`
    public var supportedPolarPatterns: [AVAudioSession.PolarPattern]? { nil }

    /// The pattern in use, see ``supportedPolarPatterns``.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.selectedPolarPattern`
    public var selectedPolarPattern: AVAudioSession.PolarPattern? { nil }

    /// The pattern that the app chose, see ``supportedPolarPatterns``.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.preferredPolarPattern`
    public var preferredPolarPattern: AVAudioSession.PolarPattern? { nil }

    /// Chooses one of ``supportedPolarPatterns``; nil leaves that to the system.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a pattern that is not among them.
    ///
    /// Apple: `AVAudioSessionDataSourceDescription.setPreferredPolarPattern(_:)`
    public func setPreferredPolarPattern(_ pattern: AVAudioSession.PolarPattern?) throws {
        guard let pattern else { return }
        throw NSError(SessionError(.badParam, "\(dataSourceName) has no pattern \(pattern.rawValue)."))
    }

    /// The server's name of the port.
    let port: String
    private let number: Int

    /// The parts of the port's names, such as `analog-input-front-mic` and `Front Microphone`.
    private var words: Set<String> {
        Set("\(port) \(dataSourceName)".lowercased().split { !$0.isLetter }.map(String.init))
    }

    init(_ source: RoutePort.DataSource, number: Int) {
        port = source.port
        dataSourceName = source.name
        self.number = number
    }

    /// Whether the other object is the same connector.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionDataSourceDescription else { return false }
        return other.port == port && other.number == number
    }

    /// A hash of the port.
    public override var hash: Int { port.hashValue }

    /// Number and name, for logs.
    public override var description: String {
        "<AVAudioSessionDataSourceDescription: ID = \(number); name = \(dataSourceName)>"
    }
}
