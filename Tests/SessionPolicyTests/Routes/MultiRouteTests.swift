import SessionPolicy
import TestSupport
import Testing

@Suite("Several outputs at once, and outputs that are shared", .limited)
struct MultiRouteTests {
    private static func facts(_ kinds: [PortKind], default usual: PortKind? = nil) -> RouteFacts {
        var facts = RouteFacts()
        facts.sinks = kinds.map {
            RoutePort(
                kind: $0, uid: $0.rawValue, name: $0.rawValue, device: $0.rawValue, channels: [1, 2], rate: 48_000)
        }
        facts.present = Set(kinds.map(\.rawValue))
        facts.defaultSink = (usual ?? kinds.first)?.rawValue
        return facts
    }

    private static func outputs(_ kinds: [PortKind], default usual: PortKind? = nil) -> [PortKind] {
        facts(kinds, default: usual).simultaneousOutputs.map(\.kind)
    }

    @Test(
        "S58: headphones go together with USB, HDMI or a line out, and the speaker only where there is nothing else",
        arguments: [PortKind.usb, .hdmi, .lineOut, .displayPort])
    func pairs(other: PortKind) throws {
        #expect(Self.outputs([.speaker, other, .headphones]) == [other, .headphones])
        #expect(Self.outputs([.speaker, .headphones, other], default: .headphones) == [.headphones, other])
        #expect(Self.outputs([.speaker, other]) == [other])
        #expect(Self.outputs([.speaker]) == [.speaker])
        #expect(Self.outputs([.virtual, .speaker]) == [.speaker])
        #expect(Self.outputs([.virtual]) == [.virtual], "where there is nothing else, what there is")
        #expect(Self.outputs([]) == [])
        var pulled = Self.facts([.speaker, other, .headphones])
        pulled.present.remove(PortKind.headphones.rawValue)
        #expect(pulled.simultaneousOutputs.map(\.kind) == [other])
        #expect(Self.outputs([.usb, .hdmi], default: .hdmi) == [.hdmi], "no pair of Apple's")
    }

    @Test("the route has all of them, and the output goes to the first")
    func route() throws {
        let settings = try SessionSettings.validated(category: .multiRoute)
        let facts = Self.facts([.speaker, .usb, .headphones], default: .speaker)
        func outputs(_ wish: OutputPreference) -> [PortKind] {
            let wanted = facts.wantedSink(wish, settings: settings, preferredInput: nil)
            return Route(facts.granting((wanted, nil)), settings: settings).outputs.map(\.kind)
        }
        #expect(outputs(OutputPreference()) == [.usb, .headphones])
        var choice = OutputPreference()
        choice.choose(PortKind.headphones.rawValue)
        #expect(outputs(choice) == [.headphones, .usb])
        choice.choose(PortKind.speaker.rawValue)
        #expect(outputs(choice) == [.speaker, .usb, .headphones], "none of the pair")
        #expect(facts.wantedSink(OutputPreference(), settings: settings, preferredInput: nil) == PortKind.usb.rawValue)
        let usual = Self.facts([.speaker, .usb, .headphones], default: .headphones)
        let wanted = usual.wantedSink(OutputPreference(), settings: settings, preferredInput: nil)
        #expect(wanted == nil, "the server's decision")
    }

    @Test("whatever the order in which choices are heard of, all agree on the last one")
    func choices() throws {
        let first = SharedChoice("desk", after: nil)
        let second = SharedChoice("hall", after: first)
        let rival = SharedChoice("attic", after: first)
        #expect(first < second && first < rival && rival < second)
        #expect([second, first, rival].max() == [rival, second, first].max())
        #expect(try #require(SharedChoice(second.encoded)) == second)
        #expect(try #require(SharedChoice(SharedChoice(nil, after: second).encoded)).port == nil)
        for nonsense in ["", "1", ";desk", "0;desk", "-1;desk", "4294967295;desk", "1000001;desk", "x;desk"] {
            #expect(SharedChoice(nonsense) == nil)
        }
        #expect(SharedChoice("1;" + String(repeating: "x", count: 600)) == nil)
        let last = try #require(SharedChoice("1000000;desk"))
        #expect(SharedChoice("hall", after: last).encoded == "1000000;hall", "the numbers end somewhere")
    }

    @Test("S58: one input, the last that came of USB, a headset and what is built in, whatever the default is")
    func input() throws {
        let settings = try SessionSettings.validated(category: .multiRoute)
        func input(
            _ kinds: [PortKind], default usual: PortKind?, pulled: PortKind? = nil, preferring: PortKind? = nil,
            _ settings: SessionSettings
        ) -> String? {
            var facts = RouteFacts()
            facts.sources = kinds.map {
                RoutePort(
                    kind: $0, uid: $0.rawValue, name: $0.rawValue, device: $0.rawValue, channels: [1], rate: 48_000)
            }
            facts.present = Set(kinds.filter { $0 != pulled }.map(\.rawValue))
            for (number, kind) in kinds.enumerated() { facts.arrivals[kind.rawValue] = UInt64(number + 7) }
            // The order of names is none.
            facts.sources.sort { $0.device < $1.device }
            facts.defaultSource = usual?.rawValue
            let wanted = facts.wantedSource(
                OutputPreference(), settings: settings, preferredInput: preferring?.rawValue)
            let inputs = Route(facts.granting((nil, wanted)), settings: settings).inputs
            #expect(inputs.count == 1)
            return inputs.first?.device
        }
        let eligible: [PortKind] = [.usb, .wiredMicrophone, .builtInMicrophone]
        for last in eligible {
            let kinds = eligible.filter { $0 != last } + [last]
            for usual in eligible + [.lineIn] {
                #expect(input([.lineIn] + kinds, default: usual, settings) == last.rawValue)
                #expect(input(kinds + [.lineIn], default: usual, settings) == last.rawValue, "no input of Apple's")
            }
            #expect(input(kinds, default: last, pulled: last, settings) == kinds[1].rawValue)
            #expect(input(kinds, default: last, preferring: kinds[0], settings) == kinds[0].rawValue)
        }
        #expect(input([.lineIn, .virtual], default: .virtual, settings) == PortKind.virtual.rawValue)
        let others = try SessionSettings.validated(category: .playAndRecord)
        #expect(input(eligible, default: .usb, others) == PortKind.usb.rawValue, "the server's decision")
    }
}
