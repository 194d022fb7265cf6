/// The reason of a route change, with Apple's numbers.
package enum RouteChangeReason: UInt, Hashable, Sendable {
    /// Unknown.
    case unknown = 0
    /// A device was plugged in, and is in use.
    case newDeviceAvailable = 1
    /// A device in use was unplugged.
    case oldDeviceUnavailable = 2
    /// The category or mode changed.
    case categoryChange = 3
    /// The user, or the app, chose another device.
    case override = 4
    /// The machine woke up.
    case wakeFromSleep = 6
    /// No device that the category needs is present.
    case noSuitableRouteForCategory = 7
    /// The same ports with other details.
    case routeConfigurationChange = 8
}

/// The cause of an observation of the route.
package enum RouteCause: Hashable, Sendable {
    /// Devices or streams of the server changed.
    case devices
    /// The app changed category, mode or options while the session was active.
    case category
    /// The machine woke up.
    case wake
}

/// A route change that the app is notified of.
package struct RouteChange: Hashable, Sendable {
    package let reason: RouteChangeReason
    package let previous: Route
    package let current: Route

    package init(reason: RouteChangeReason, previous: Route, current: Route) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }

    /// Whether the change ends the app's override to the speaker (``OutputPreference/overridesToSpeaker``).
    ///
    /// | reason | ends it |
    /// |---|---|
    /// | `override`, `wakeFromSleep` | no: it may be this override itself, and `OutputPreference` knows when it is another one |
    /// | `categoryChange` | no: the change of category ended it, and the app may have overridden the output again since |
    /// | `routeConfigurationChange` | no: the ports are the same, and a device may have another rate since it is used |
    /// | `newDeviceAvailable` | if anything new in the route is not built in: the speaker itself may have come a moment ago |
    /// | others | yes |
    package var endsOverride: Bool {
        switch reason {
        case .override, .wakeFromSleep, .categoryChange, .routeConfigurationChange: false
        case .newDeviceAvailable:
            !current.ports.allSatisfy { port in port.kind.isBuiltIn || previous.ports.contains { $0.isSame(as: port) } }
        case .unknown, .oldDeviceUnavailable, .noSuitableRouteForCategory: true
        }
    }
}

/// The last route that the app was notified of, with which each observation is compared.
///
/// The first row that holds gives the reason:
///
/// | observation | reason |
/// |---|---|
/// | the ports differ, and one of the old route is lost | `oldDeviceUnavailable`: after a sleep too, or players would not pause |
/// | the app changed category or mode | `categoryChange`, whether or not the ports differ; notified after a loss as well |
/// | the machine woke up, and the ports differ | `wakeFromSleep` |
/// | a port of the new route is there, and was not before, or came a moment ago | `newDeviceAvailable` |
/// | the category records, and there is no input any more | `noSuitableRouteForCategory` |
/// | the ports differ otherwise | `override`: the user or the app chose |
/// | only details of the ports differ | `routeConfigurationChange` |
///
/// A port is lost if it was present while it was in the route, is absent now, and is neither built in nor the server's
/// dummy device, which nobody can unplug: it goes when another device comes. Some ports are always reported as absent and work all the same, since their jack has no sensor. A port whose connector is present is not
/// lost: the user, or a call, changed the profile of its card.
package struct RouteHistory: Sendable {
    /// The last route that the app was notified of; nil before the first observation.
    package private(set) var route: Route?
    private var present: Set<String> = []
    /// The time at which each present name appeared that was in no route since, in seconds of the caller's clock.
    private var arrivals: [String: Double] = [:]
    /// The time at which each port of the route went that was present in it, by its name; infinity while it is there.
    private var departures: [String: Double] = [:]

    /// The time for which an added port counts as new, and a removed one in use as lost, in seconds: servers and
    /// desktops need a while to select another one.
    package static let novelty = 2.0

    package init() {}

    /// Observes the route; returns the changes to notify the app of, in order; none at the first observation.
    package mutating func observe(
        _ new: Route, present nowPresent: Set<String>, cause: RouteCause, at now: Double
    ) -> [RouteChange] {
        defer {
            route = new
            present = nowPresent
            for sign in new.ports.flatMap(\.signs) { arrivals[sign] = nil }
            noteDepartures(at: now)
        }
        guard let old = route else { return [] }
        for sign in nowPresent.subtracting(present) { arrivals[sign] = now }
        arrivals = arrivals.filter { nowPresent.contains($0.key) && now - $0.value < Self.novelty }
        let told = reasons(from: old, to: new, present: nowPresent, cause: cause, at: now)
        return told.enumerated().map { index, reason in
            RouteChange(reason: reason, previous: index == 0 ? old : new, current: new)
        }
    }

    /// Starts a new comparison with the settings of an activation, which the first observation did not have.
    ///
    /// Without effect if a port was lost: an app that resumes from an interruption must still be notified of that.
    package mutating func sessionActivated(present: Set<String>, at now: Double) {
        if !hasLost(present: present, at: now) { self = RouteHistory() }
    }

    /// Whether a port of the route is lost.
    package func hasLost(present: Set<String>, at now: Double) -> Bool {
        !lost(of: route?.ports ?? [], present: present, at: now).isEmpty
    }

    /// Whether a port counts as lost only until the next event of its card, whose profile still promises the port.
    ///
    /// A server tells of a device that goes before it tells why: the card's profile was changed, or the card goes too.
    package func isLossDoubtful(_ facts: RouteFacts, at now: Double) -> Bool {
        lost(of: route?.ports ?? [], present: facts.present, at: now).contains { port in
            port.connector.map(facts.promised.contains) ?? false
        }
    }

    /// The outputs of the route that are lost.
    package func lostOutputs(present: Set<String>, at now: Double) -> [RoutePort] {
        lost(of: route?.outputs ?? [], present: present, at: now)
    }

    private func lost(of ports: [RoutePort], present: Set<String>, at now: Double) -> [RoutePort] {
        // A port that is only simulated as unplugged may be built in, as many machines have no other.
        let isPretended = present.contains(RouteFacts.pretendedSpeaker)
        return ports.filter { port in
            guard isPretended || !port.kind.isBuiltIn, !port.isFallback, !port.isPresent(among: present) else {
                return false
            }
            return departures[port.place].map { now - $0 < Self.novelty } ?? false
        }
    }

    private mutating func noteDepartures(at now: Double) {
        var noted: [String: Double] = [:]
        for port in route?.ports ?? [] {
            if port.isPresent(among: present) {
                noted[port.place] = Double.infinity
            } else if let gone = departures[port.place] {
                noted[port.place] = min(gone, now)
            }
        }
        departures = noted
    }

    private func reasons(
        from old: Route, to new: Route, present nowPresent: Set<String>, cause: RouteCause, at now: Double
    ) -> [RouteChangeReason] {
        let isSame = new.isSame(as: old)
        let isLost = !isSame && hasLost(present: nowPresent, at: now)
        if cause == .category { return isLost ? [.oldDeviceUnavailable, .categoryChange] : [.categoryChange] }
        guard !isSame else { return new == old ? [] : [.routeConfigurationChange] }
        if isLost { return [.oldDeviceUnavailable] }
        if cause == .wake { return [.wakeFromSleep] }
        let isNew = new.ports.contains { port in
            let signs = nowPresent.intersection(port.signs)
            return !signs.isEmpty && signs.allSatisfy { !present.contains($0) || arrivals[$0] != nil }
        }
        if isNew { return [.newDeviceAvailable] }
        return new.inputs.isEmpty && !old.inputs.isEmpty ? [.noSuitableRouteForCategory] : [.override]
    }
}

extension RoutePort {
    /// The name of the port's connector: a source has one uid for all its connectors.
    fileprivate var place: String { connector ?? uid }
}
