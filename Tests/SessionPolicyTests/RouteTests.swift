import SessionPolicy
import Testing

@Suite("The route and its history")
struct RouteTests {
    private static func port(_ uid: String, _ kind: PortKind = .speaker, rate: Int = 48_000) -> RoutePort {
        RoutePort(kind: kind, uid: uid, name: uid, device: uid, channels: [1, 2], rate: rate)
    }

    private let playback: SessionSettings
    private let both: SessionSettings

    init() throws {
        playback = try SessionSettings.validated(category: .playback)
        both = try SessionSettings.validated(category: .playAndRecord)
    }

    private var facts: RouteFacts {
        var facts = RouteFacts()
        facts.sinks = [Self.port("desk"), Self.port("phones", .headphones)]
        facts.sources = [Self.port("inside", .builtInMicrophone), Self.port("headset", .wiredMicrophone)]
        facts.present = ["desk", "phones", "inside", "headset"]
        facts.defaultSink = "desk"
        facts.defaultSource = "inside"
        return facts
    }

    /// Before the headphones came.
    private var unplugged: RouteFacts {
        var facts = facts
        facts.sinks.removeLast()
        facts.present.remove("phones")
        return facts
    }

    /// With the headphones as the default.
    private var plugged: RouteFacts {
        var facts = facts
        facts.defaultSink = "phones"
        return facts
    }

    private func route(_ facts: RouteFacts, _ settings: SessionSettings, preferring input: String? = nil) -> [String] {
        let route = Route(facts, settings: settings, preferredInput: input)
        return route.inputs.map(\.uid) + route.outputs.map(\.uid)
    }

    @Test("S56: a category without input has none; where our streams are counts for more than the defaults")
    func ports() throws {
        #expect(route(facts, playback) == ["desk"])
        #expect(route(facts, try SessionSettings.validated(category: .record)) == ["inside"])
        #expect(route(facts, both) == ["inside", "desk"])
        #expect(route(facts, both, preferring: "headset") == ["headset", "desk"])
        #expect(route(facts, both, preferring: "gone") == ["inside", "desk"])
        var used = facts
        used.sinkInUse = "phones"
        used.sourcesInUse = ["headset", "inside"]
        #expect(route(used, both, preferring: "inside") == ["headset", "inside", "phones"])
        used.sinkInUse = ""
        #expect(!used.isSettled)
        #expect(route(used, playback) == [])
        #expect(route(RouteFacts(), both) == [])
    }

    /// The reason for going from one set of facts to another.
    private func reason(
        _ old: RouteFacts, _ new: RouteFacts, _ settings: SessionSettings, cause: RouteCause = .devices
    ) -> RouteChangeReason? {
        var history = RouteHistory()
        let first = Route(old, settings: settings, preferredInput: nil)
        #expect(history.observe(first, present: old.present, cause: cause, at: 0) == nil, "nothing is news at first")
        let change = history.observe(
            Route(new, settings: settings, preferredInput: nil), present: new.present, cause: cause, at: 1)
        if let change { #expect(change.previous == first && change.current == history.route) }
        return change?.reason
    }

    @Test("S50, S51, S53 to S55: the reasons")
    func reasons() {
        #expect(reason(unplugged, plugged, playback) == .newDeviceAvailable)
        #expect(reason(plugged, unplugged, playback) == .oldDeviceUnavailable)
        #expect(reason(facts, plugged, playback) == .override, "both were there")
        #expect(reason(facts, plugged, playback, cause: .wake) == .wakeFromSleep)
        #expect(reason(facts, facts, playback) == nil)
        #expect(reason(facts, facts, playback, cause: .wake) == nil)
        #expect(reason(facts, facts, playback, cause: .category) == .categoryChange)
        var faster = facts
        faster.sinks[0] = Self.port("desk", rate: 96_000)
        #expect(reason(facts, faster, playback) == .routeConfigurationChange)
        var deaf = facts
        deaf.sources = []
        #expect(reason(facts, deaf, both) == .noSuitableRouteForCategory, "present, but in use by nobody")
        deaf.present.subtract(["inside", "headset"])
        #expect(reason(facts, deaf, both) == .noSuitableRouteForCategory, "what is built in cannot be pulled")
        #expect(reason(facts, deaf, playback) == nil, "S56")
        var pulled = facts
        pulled.defaultSource = "headset"
        deaf.defaultSource = nil
        #expect(reason(pulled, deaf, both) == .oldDeviceUnavailable)
    }

    @Test("S50: a device that is chosen a moment after it came is new, once; later somebody chose it")
    func arrivals() {
        for (pause, expected) in [(0.5, RouteChangeReason.newDeviceAvailable), (RouteHistory.novelty, .override)] {
            var history = RouteHistory()
            func look(_ facts: RouteFacts, at now: Double) -> RouteChangeReason? {
                let route = Route(facts, settings: playback, preferredInput: nil)
                return history.observe(route, present: facts.present, cause: .devices, at: now)?.reason
            }
            #expect(look(unplugged, at: 100) == nil)
            #expect(look(facts, at: 101) == nil, "it is there, and not in the route")
            #expect(look(plugged, at: 101 + pause) == expected)
            #expect(look(facts, at: 101.1 + pause) == .override)
            #expect(look(plugged, at: 101.2 + pause) == .override, "it was in the route before")
        }
    }

    @Test("Another connector of the same sink is another port")
    func connectors() {
        var (speaker, phones) = (facts, facts)
        speaker.sinks = [Self.port("card:speaker")]
        speaker.present = ["card:speaker"]
        speaker.defaultSink = "card:speaker"
        phones.sinks = [Self.port("card:headphones", .headphones)]
        phones.present = ["card:speaker", "card:headphones"]
        phones.defaultSink = "card:headphones"
        #expect(reason(speaker, phones, playback) == .newDeviceAvailable)
        #expect(reason(phones, speaker, playback) == .oldDeviceUnavailable)
        // Many cards say that there is no speaker while something is in the jack.
        phones.present = ["card:headphones"]
        #expect(reason(speaker, phones, playback) == .newDeviceAvailable)
        #expect(reason(phones, speaker, playback) == .oldDeviceUnavailable)
    }
}
