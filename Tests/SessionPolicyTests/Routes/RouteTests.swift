import SessionPolicy
import TestSupport
import Testing

@Suite("The route and its history", .limited)
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

    /// The same, but nothing senses them: they are heard, and called absent.
    private var unsensed: RouteFacts {
        var facts = plugged
        facts.present.remove("phones")
        return facts
    }

    /// Headphones that nothing senses, and that are not the default.
    private var abandoned: RouteFacts {
        var facts = unsensed
        facts.defaultSink = "desk"
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

    /// What is told of going from one set of facts to another.
    private func told(
        _ old: RouteFacts, _ new: RouteFacts, _ settings: SessionSettings, cause: RouteCause = .devices
    ) -> [RouteChangeReason] {
        var history = RouteHistory()
        let first = Route(old, settings: settings, preferredInput: nil)
        let second = Route(new, settings: settings, preferredInput: nil)
        #expect(history.observe(first, present: old.present, cause: cause, at: 0) == [], "nothing is news at first")
        let changes = history.observe(second, present: new.present, cause: cause, at: 1)
        #expect(history.route == second && changes.allSatisfy { $0.current == second })
        #expect(changes.first?.previous ?? first == first && changes.dropFirst().allSatisfy { $0.previous == second })
        return changes.map(\.reason)
    }

    /// The only reason for going from one set of facts to another.
    private func reason(
        _ old: RouteFacts, _ new: RouteFacts, _ settings: SessionSettings, cause: RouteCause = .devices
    ) -> RouteChangeReason? {
        let reasons = told(old, new, settings, cause: cause)
        #expect(reasons.count < 2)
        return reasons.first
    }

    /// What is told of another look at playback.
    private func look(_ history: inout RouteHistory, _ facts: RouteFacts, at now: Double) -> [RouteChangeReason] {
        let route = Route(facts, settings: playback, preferredInput: nil)
        return history.observe(route, present: facts.present, cause: .devices, at: now).map(\.reason)
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

    @Test("S50, S51: what is only said to be pulled is lost, be it built in, and new when it is there again")
    func pretended() {
        var pulled = facts
        pulled.pretendUnplugged()
        var history = RouteHistory()
        #expect(look(&history, facts, at: 100) == [])
        #expect(look(&history, pulled, at: 101) == [.oldDeviceUnavailable])
        #expect(look(&history, facts, at: 110) == [.newDeviceAvailable])
    }

    @Test("S50: a device that is chosen a moment after it came is new, once; later somebody chose it")
    func arrivals() {
        for (pause, expected) in [(0.5, RouteChangeReason.newDeviceAvailable), (RouteHistory.novelty, .override)] {
            var history = RouteHistory()
            #expect(look(&history, unplugged, at: 100) == [])
            #expect(look(&history, facts, at: 101) == [], "it is there, and not in the route")
            #expect(look(&history, plugged, at: 101 + pause) == [expected])
            #expect(look(&history, facts, at: 101.1 + pause) == [.override])
            #expect(look(&history, plugged, at: 101.2 + pause) == [.override], "it was in the route before")
        }
    }

    @Test("A port that is called absent, and is heard, is neither new nor lost: who comes or leaves has chosen")
    func unsensedPort() {
        #expect(reason(abandoned, unsensed, playback) == .override)
        #expect(reason(unsensed, abandoned, playback) == .override)
        var history = RouteHistory()
        #expect(look(&history, unsensed, at: 0) == [])
        #expect(history.lostOutputs(present: abandoned.present, at: 1).isEmpty, "another device changed")
        #expect(look(&history, plugged, at: 2) == [], "now it is sensed")
        #expect(history.lostOutputs(present: plugged.present, at: 3).isEmpty)
        #expect(!history.lostOutputs(present: unsensed.present, at: 3).isEmpty)
        #expect(look(&history, abandoned, at: 3) == [.oldDeviceUnavailable])
        #expect(history.lostOutputs(present: abandoned.present, at: 3).isEmpty, "the speaker is in use now")
    }

    @Test("S51: what was pulled is lost until it is left; what is still in use after a while is not")
    func departures() {
        for (pause, expected) in [(0.5, RouteChangeReason.oldDeviceUnavailable), (RouteHistory.novelty, .override)] {
            var history = RouteHistory()
            #expect(look(&history, plugged, at: 100) == [])
            #expect(look(&history, unsensed, at: 101) == [], "the server has not left it yet")
            let isLost = !history.lostOutputs(present: unsensed.present, at: 101 + pause).isEmpty
            #expect(isLost == (expected == .oldDeviceUnavailable))
            #expect(look(&history, abandoned, at: 101 + pause) == [expected])
        }
    }

    @Test("S50, S51: the server's dummy device is not lost when another one comes in its place: that is new")
    func dummyDevice() {
        var dummy = RouteFacts()
        dummy.sinks = [Self.port("auto_null", .headphones)]
        dummy.present = ["auto_null"]
        dummy.defaultSink = "auto_null"
        var other = RouteFacts()
        other.sinks = [Self.port("phones", .headphones)]
        other.present = ["phones"]
        other.defaultSink = "phones"
        #expect(reason(dummy, other, playback) == .newDeviceAvailable)
        #expect(reason(other, dummy, playback) == .oldDeviceUnavailable)
    }

    @Test("S51: a lost port that its card's profile still has is doubtful: the card's next event says what happened")
    func doubtfulLoss() {
        var old = facts
        old.sinks[1] = Self.connected("phones", .headphones, to: "card 1: jack")
        (old.defaultSink, old.promised) = ("phones", ["card 1: jack"])
        old.present.insert("card 1: jack")
        var history = RouteHistory()
        #expect(look(&history, old, at: 0) == [])
        var gone = old
        gone.sinks.removeLast()
        gone.present.subtract(["phones", "card 1: jack"])
        gone.defaultSink = "desk"
        #expect(history.isLossDoubtful(gone, at: 1))
        gone.promised = []
        #expect(!history.isLossDoubtful(gone, at: 1), "the card is gone")
        #expect(history.hasLost(present: gone.present, at: 1))
        gone.present.insert("card 1: jack")
        #expect(!history.hasLost(present: gone.present, at: 1), "another profile, and the jack has it")
    }

    @Test("S51, S53: a loss is told before the change of category that comes in the same moment")
    func lossAndCategory() {
        #expect(told(plugged, unplugged, playback, cause: .category) == [.oldDeviceUnavailable, .categoryChange])
        #expect(told(plugged, facts, playback, cause: .category) == [.categoryChange])
        #expect(told(unsensed, abandoned, playback, cause: .category) == [.categoryChange])
    }

    @Test("S51: an activation forgets the route of before, but not that something of it was pulled")
    func activation() {
        let cases: [(RouteFacts, [RouteChangeReason])] = [(unplugged, [.oldDeviceUnavailable]), (facts, [])]
        for (now, expected) in cases {
            var history = RouteHistory()
            #expect(look(&history, plugged, at: 0) == [])
            history.sessionActivated(present: now.present, at: 1)
            #expect(look(&history, now, at: 1) == expected)
        }
    }

    private static func connected(_ uid: String, _ kind: PortKind, to connector: String) -> RoutePort {
        RoutePort(kind: kind, uid: uid, name: uid, device: uid, channels: [1, 2], rate: 48_000, connector: connector)
    }

    @Test("Another profile of a card is a choice while what was in use stays plugged in; once it is pulled, it is lost")
    func profiles() {
        var (music, call) = (facts, facts)
        music.sinks[1] = Self.connected("a2dp", .bluetoothA2DP, to: "headset")
        (music.present, music.defaultSink) = (["desk", "a2dp", "headset"], "a2dp")
        call.sinks[1] = Self.connected("hfp", .bluetoothHFP, to: "headset")
        (call.present, call.defaultSink) = (["desk", "hfp", "headset"], "hfp")
        #expect(reason(music, call, playback) == .override)
        #expect(reason(call, music, playback) == .override)
        // A profile for other connectors leaves nothing of this one but the card's word.
        var other = facts
        (other.sinks, other.present) = ([Self.port("desk")], ["desk", "headset"])
        #expect(reason(music, other, playback) == .override)
        #expect(reason(other, music, playback) == .override)
        other.present = ["desk"]
        #expect(reason(music, other, playback) == .oldDeviceUnavailable)
        #expect(reason(other, music, playback) == .newDeviceAvailable)
        var pretended = music
        pretended.pretendUnplugged()
        #expect(reason(music, pretended, playback) == .oldDeviceUnavailable, "and so it is in a simulation")
    }

    @Test("S50, S51: what is plugged into a source is new, and is lost, though the source keeps its name")
    func sourceConnectors() throws {
        let record = try SessionSettings.validated(category: .record)
        var (inside, headset) = (facts, facts)
        inside.sources = [Self.connected("source", .builtInMicrophone, to: "internal")]
        (inside.present, inside.defaultSource) = (["internal"], "source")
        headset.sources = [Self.connected("source", .wiredMicrophone, to: "jack")]
        (headset.present, headset.defaultSource) = (["internal", "jack"], "source")
        #expect(reason(inside, headset, record) == .newDeviceAvailable)
        #expect(reason(headset, inside, record) == .oldDeviceUnavailable)
        inside.present = headset.present
        #expect(reason(inside, headset, record) == .override, "somebody chose")
        #expect(reason(headset, inside, record) == .override)
    }

    @Test("What the app chose is a port: with another one in use its sink is any other; a simulation is none")
    func chosenPort() {
        var facts = facts
        facts.sinks[1] = RoutePort(
            kind: .headphones, uid: "card:headphones", name: "", device: "card", channels: [1, 2], rate: 48_000)
        facts.sinkInUse = "card"
        func wanted(_ facts: RouteFacts, _ port: String) -> String? {
            var wish = OutputPreference()
            wish.choose(port)
            return facts.wantedSink(wish, settings: playback, preferredInput: nil)
        }
        #expect(wanted(facts, "card:headphones") == "card")
        #expect(wanted(facts, "card:speaker") == nil && wanted(facts, "card") == nil)
        // Its sound would go to another sink, that one's be pulled in turn, and so on.
        facts.pretendUnplugged()
        #expect(wanted(facts, "card:headphones") == "card" && wanted(facts, "cards:headphones") == nil)
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
