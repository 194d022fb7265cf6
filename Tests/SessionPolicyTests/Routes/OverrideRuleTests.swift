import SessionPolicy
import TestSupport
import Testing

@Suite("What ends the app's choice of the speaker", .limited)
struct OverrideRuleTests {
    private static func port(_ uid: String, _ kind: PortKind, card: UInt32? = nil) -> RoutePort {
        RoutePort(kind: kind, uid: uid, name: uid, device: uid, channels: [1, 2], rate: 48_000, card: card)
    }

    private static let desk = port("desk", .lineOut)
    private static let inside = port("inside", .speaker)
    private static let microphone = port("mic", .builtInMicrophone)
    private static let phones = port("phones", .headphones)

    @Test("S54, S60: changes that may follow from it do not, those that somebody else made do")
    func reasons() {
        func ends(_ reason: RouteChangeReason, _ current: [RoutePort] = [Self.inside]) -> Bool {
            let previous = Route(inputs: [], outputs: [Self.desk])
            return RouteChange(reason: reason, previous: previous, current: Route(inputs: [], outputs: current))
                .endsOverride
        }
        for reason in [RouteChangeReason.override, .wakeFromSleep, .categoryChange, .routeConfigurationChange] {
            #expect(!ends(reason), "\(reason)")
        }
        for reason in [RouteChangeReason.oldDeviceUnavailable, .noSuitableRouteForCategory, .unknown] {
            #expect(ends(reason), "\(reason)")
        }
        #expect(!ends(.newDeviceAvailable) && !ends(.newDeviceAvailable, [Self.inside, Self.microphone]))
        #expect(!ends(.newDeviceAvailable, [Self.inside, Self.desk]), "it was there before")
        #expect(ends(.newDeviceAvailable, [Self.phones]) && ends(.newDeviceAvailable, [Self.inside, Self.phones]))
    }

    /// What the default output becomes in turn, and whether the choice holds each time.
    private func holds(_ looks: [(sinks: [RoutePort], usual: String)], cards: Set<UInt32>) -> [Bool] {
        var wish = OutputPreference()
        wish.overridesToSpeaker = true
        return looks.map { sinks, usual in
            var facts = RouteFacts()
            facts.sinks = sinks
            facts.defaultSink = usual
            facts.bluetoothCards = cards
            let isNews = wish.endsOverride(with: facts)
            #expect(!isNews || !wish.overridesToSpeaker)
            return wish.overridesToSpeaker
        }
    }

    @Test("another default output does; but not what takes a Bluetooth headset's place while it changes its profile")
    func defaults() {
        let (desk, inside) = (Self.desk, Self.inside)
        let headset = Self.port("headset", .bluetoothHFP, card: 7)
        let music = Self.port("headset.music", .bluetoothA2DP, card: 7)
        let all = [desk, inside, headset]
        #expect(holds([(all, "desk"), (all, "inside"), (all, "desk")], cards: [7]) == [true, false, false])
        #expect(holds([(all, "desk"), (all, "headset")], cards: [7]) == [true, false])
        #expect(holds([(all, "desk"), (all, "none"), (all, "desk")], cards: []) == [true, true, true])
        // It comes back, under the same name or another one.
        let rest = [desk, inside]
        #expect(
            holds([(all, "headset"), (rest, "inside"), (all, "inside"), (all, "headset"), (all, "desk")], cards: [7])
                == [true, true, true, true, false])
        #expect(
            holds([(all, "headset"), (rest, "desk"), (rest + [music], "headset.music")], cards: [7])
                == [true, true, true])
        // Somebody chose while it was there, or it is gone for good.
        #expect(holds([(all, "headset"), (all, "desk")], cards: [7]) == [true, false])
        #expect(holds([(all, "headset"), (rest, "desk")], cards: []) == [true, false])
    }
}
