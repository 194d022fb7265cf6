package import AVFAudio
package import Foundation

/// What a route change notification says, taken out of its dictionary.
package struct RouteChangeNotice: Sendable {
    /// Why the route changed.
    package let reason: AVAudioSession.RouteChangeReason
    /// The uids of the ports that were in use, inputs first.
    package let previous: [String]
    /// The uids of the ports in use now, inputs first.
    package let current: [String]
    /// The names of the outputs in use now, for people.
    package let outputs: String

    /// Reads a notification named `AVAudioSession.routeChangeNotification`.
    package init(_ notification: Notification) {
        let value = (notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? NSNumber)?.uintValue
        reason = value.flatMap(AVAudioSession.RouteChangeReason.init(rawValue:)) ?? .unknown
        let old = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
        let new = (notification.object as? AVAudioSession ?? .sharedInstance()).currentRoute
        previous = old.map(Self.ports) ?? []
        current = Self.ports(new)
        outputs = new.outputs.map(\.portName).joined(separator: ", ")
    }

    private static func ports(_ route: AVAudioSessionRouteDescription) -> [String] {
        (route.inputs + route.outputs).map(\.uid)
    }

    /// The event of the command-line contract.
    package func emit(to events: EventPrinter) {
        events.emit(
            "routeChange", ["reason": .string(word), "previous": .list(previous), "current": .list(current)])
    }

    private var word: String {
        switch reason {
        case .newDeviceAvailable: "newDeviceAvailable"
        case .oldDeviceUnavailable: "oldDeviceUnavailable"
        case .categoryChange: "categoryChange"
        case .override: "override"
        case .wakeFromSleep: "wakeFromSleep"
        case .noSuitableRouteForCategory: "noSuitableRouteForCategory"
        case .routeConfigurationChange: "routeConfigurationChange"
        default: "unknown"
        }
    }
}
