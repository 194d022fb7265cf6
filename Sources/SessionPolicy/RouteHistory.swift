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
}

/// The route as it was told last: what is new is what differs from that.
///
/// The first of these that holds is the reason:
///
/// | what is so | reason |
/// |---|---|
/// | the app changed category or mode | `categoryChange`, whether or not the ports differ |
/// | a port of the old route that is not built in is not there any more | `oldDeviceUnavailable`: after a sleep, too, or nobody would pause |
/// | the machine woke up, and the ports differ | `wakeFromSleep` |
/// | a port of the new route was not there before, or came a moment ago | `newDeviceAvailable` |
/// | the category records, and there is no input any more | `noSuitableRouteForCategory` |
/// | the ports differ otherwise | `override`: somebody chose |
/// | only details of the ports differ | `routeConfigurationChange` |
package struct RouteHistory: Sendable {
    /// The route that was told last; nil before the first look.
    package private(set) var route: Route?
    private var present: Set<String> = []
    /// When each port came that was in no route since, in seconds of the caller's clock.
    private var arrivals: [String: Double] = [:]

    /// How long a port that came counts as new, in seconds: servers, and desktops above them, take their time to choose it.
    package static let novelty = 2.0

    package init() {}

    /// Takes a look over; returns what the app is to be told, which is nothing at the first one.
    package mutating func observe(
        _ new: Route, present nowPresent: Set<String>, cause: RouteCause, at now: Double
    ) -> RouteChange? {
        defer {
            route = new
            present = nowPresent
            for port in new.ports { arrivals[port.uid] = nil }
        }
        guard let old = route else { return nil }
        for uid in nowPresent.subtracting(present) { arrivals[uid] = now }
        arrivals = arrivals.filter { nowPresent.contains($0.key) && now - $0.value < Self.novelty }
        return reason(from: old, to: new, present: nowPresent, cause: cause).map {
            RouteChange(reason: $0, previous: old, current: new)
        }
    }

    private func reason(
        from old: Route, to new: Route, present nowPresent: Set<String>, cause: RouteCause
    ) -> RouteChangeReason? {
        if cause == .category { return .categoryChange }
        guard !new.isSame(as: old) else { return new == old ? nil : .routeConfigurationChange }
        if old.hasLost(present: nowPresent) { return .oldDeviceUnavailable }
        if cause == .wake { return .wakeFromSleep }
        if new.ports.contains(where: { !present.contains($0.uid) || arrivals[$0.uid] != nil }) {
            return .newDeviceAvailable
        }
        return new.inputs.isEmpty && !old.inputs.isEmpty ? .noSuitableRouteForCategory : .override
    }
}
