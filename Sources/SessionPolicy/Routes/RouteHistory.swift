/// Why a route changed, with Apple's numbers.
package enum RouteChangeReason: UInt, Hashable, Sendable {
    case unknown = 0
    /// Something was plugged in, and is used from now on.
    case newDeviceAvailable = 1
    /// What was in use is not there any more.
    case oldDeviceUnavailable = 2
    /// The category or mode changed.
    case categoryChange = 3
    /// The user, or the app, chose another device.
    case override = 4
    /// The machine woke up.
    case wakeFromSleep = 6
    /// There is nothing that the category needs.
    case noSuitableRouteForCategory = 7
    /// The same ports, with other details.
    case routeConfigurationChange = 8
}

/// What made somebody look at the route.
package enum RouteCause: Hashable, Sendable {
    /// Something happened on the server.
    case devices
    /// The app changed category, mode or options while the session was active.
    case category
    /// The machine woke up.
    case wake
}

/// A change that an app is told of.
package struct RouteChange: Hashable, Sendable {
    package let reason: RouteChangeReason
    package let previous: Route
    package let current: Route

    package init(reason: RouteChangeReason, previous: Route, current: Route) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }

    /// Whether the app's choice of the speaker (``OutputWish/overridesToSpeaker``) is over with it.
    ///
    /// | reason | is over |
    /// |---|---|
    /// | `override`, `wakeFromSleep` | no: that may be this choice itself, and `OutputWish` knows when it is another one |
    /// | `categoryChange` | no: it was when the app changed that, and it may have chosen the speaker since |
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

/// The route as it was told last: what is new is what differs from that.
///
/// The first of these that holds is the reason:
///
/// | what is so | reason |
/// |---|---|
/// | the ports differ, and one of the old route is lost | `oldDeviceUnavailable`: after a sleep, too, or nobody would pause |
/// | the app changed category or mode | `categoryChange`, whether or not the ports differ; told after a loss as well |
/// | the machine woke up, and the ports differ | `wakeFromSleep` |
/// | a port of the new route is there, and was not before, or came a moment ago | `newDeviceAvailable` |
/// | the category records, and there is no input any more | `noSuitableRouteForCategory` |
/// | the ports differ otherwise | `override`: somebody chose |
/// | only details of the ports differ | `routeConfigurationChange` |
///
/// Lost is what was present while it was in the route, and is so no more, unless it is built in. Some ports are called
/// absent for ever, and are heard all the same: nothing senses what is in the jack. A port whose connector is present
/// is not lost: the user, or a call, changed the profile of its card.
package struct RouteHistory: Sendable {
    /// The route that was told last; nil before the first look.
    package private(set) var route: Route?
    private var present: Set<String> = []
    /// When each sign of a port came that was in no route since, in seconds of the caller's clock.
    private var arrivals: [String: Double] = [:]
    /// When each port of the route went that was present while it was in it, by its place; infinity while it is.
    private var departures: [String: Double] = [:]

    /// How long a port that came counts as new, and one that went but is in use as lost, in seconds: servers, and
    /// desktops above them, take their time to choose another one.
    package static let novelty = 2.0

    package init() {}

    /// Takes a look over; returns what the app is to be told, in this order, which is nothing at the first one.
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

    /// The session has its settings now, which it had not at the first look: all begins anew, since nobody was told of
    /// that.
    ///
    /// Not so if something was lost: that is still to be told, to an app that comes back from an interruption.
    package mutating func sessionActivated(present: Set<String>, at now: Double) {
        if !hasLost(present: present, at: now) { self = RouteHistory() }
    }

    /// Whether something of the route is lost.
    package func hasLost(present: Set<String>, at now: Double) -> Bool {
        !lost(of: route?.ports ?? [], present: present, at: now).isEmpty
    }

    /// The outputs of the route that are lost.
    package func lostOutputs(present: Set<String>, at now: Double) -> [RoutePort] {
        lost(of: route?.outputs ?? [], present: present, at: now)
    }

    private func lost(of ports: [RoutePort], present: Set<String>, at now: Double) -> [RoutePort] {
        // What is only said to have been pulled may be built in: many machines have nothing else.
        let isPretended = present.contains(RouteFacts.pretendedSpeaker)
        return ports.filter { port in
            guard isPretended || !port.kind.isBuiltIn, !port.isPresent(among: present) else { return false }
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
    /// Where something is plugged in: a source has one name for all its connectors.
    fileprivate var place: String { connector ?? uid }
}
