import SessionPolicy
import TestSupport
import Testing

@Suite("Which source is recorded from", .limited)
struct InputWishTests {
    private static func port(_ uid: String, _ kind: PortKind) -> RoutePort {
        RoutePort(kind: kind, uid: uid, name: uid, device: uid, channels: [1, 2], rate: 48_000)
    }

    private static let headset = port("headset", .bluetoothHFP)
    private static let monitor = port("desk.monitor", .virtual)
    private static let filter = port("filter", .virtual)
    private static let camera = port("camera", .usb)
    private static let inside = port("inside", .builtInMicrophone)

    /// What is recorded from where these are there, and the headset is the default.
    private func wanted(
        _ sources: [RoutePort], options: CategoryOptions = [], preferring input: String? = nil
    ) throws -> String {
        var facts = RouteFacts()
        facts.sources = sources
        (facts.defaultSource, facts.defaultSink) = ("headset", "desk")
        let settings = try SessionSettings.validated(category: .record, options: options)
        return facts.wantedSource(OutputPreference(), settings: settings, preferredInput: input) ?? "headset"
    }

    @Test("S62: a hands-free microphone that is not allowed is recorded from only where there is nothing else")
    func others() throws {
        let (headset, monitor, camera, inside) = (Self.headset, Self.monitor, Self.camera, Self.inside)
        #expect(try wanted([camera, monitor, headset, inside]) == "inside")
        #expect(try wanted([monitor, headset, camera]) == "camera")
        #expect(try wanted([Self.filter, headset, monitor]) == "desk.monitor")
        #expect(try wanted([headset, Self.filter]) == "filter")
        #expect(try wanted([headset]) == "headset")
        #expect(try wanted([monitor, headset, inside], options: .allowBluetoothHFP) == "headset")
    }

    @Test("S61: what the app prefers counts while its options allow it")
    func preference() throws {
        let other = Self.port("other", .bluetoothHFP)
        let all = [Self.headset, Self.inside, Self.monitor, other]
        #expect(try wanted(all, preferring: "desk.monitor") == "desk.monitor")
        #expect(try wanted(all, preferring: "other") == "inside")
        #expect(try wanted(all, options: .allowBluetoothHFP, preferring: "other") == "other")
    }

    @Test("an LE microphone costs no quality, and needs nobody's leave")
    func lowEnergy() throws {
        var facts = RouteFacts()
        facts.sources = [Self.port("le", .bluetoothLE), Self.inside]
        facts.defaultSource = "le"
        let settings = try SessionSettings.validated(category: .record)
        #expect(facts.wantedSource(OutputPreference(), settings: settings, preferredInput: nil) == nil)
    }

    @Test("S60: who overrides to the speaker records from the built-in microphone, in playAndRecord, if there is one")
    func override() throws {
        func wanted(_ category: Category, _ sources: [RoutePort], overrides: Bool) throws -> String? {
            var facts = RouteFacts()
            facts.sources = sources
            facts.defaultSource = "camera"
            var wish = OutputPreference()
            wish.overridesToSpeaker = overrides
            let settings = try SessionSettings.validated(category: category)
            return facts.wantedSource(wish, settings: settings, preferredInput: "desk.monitor")
        }
        let all = [Self.camera, Self.monitor, Self.inside]
        #expect(try wanted(.playAndRecord, all, overrides: true) == "inside", "it comes before what is preferred")
        #expect(try wanted(.playAndRecord, all, overrides: false) == "desk.monitor")
        #expect(try wanted(.record, all, overrides: true) == "desk.monitor")
        #expect(try wanted(.playAndRecord, [Self.camera, Self.monitor], overrides: true) == "desk.monitor")
    }
}
