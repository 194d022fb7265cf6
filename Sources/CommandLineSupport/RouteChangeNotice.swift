package import AVFAudio
package import Foundation

/// The contents of a route change notification.
package struct RouteChangeNotice: Sendable {
    /// The reason for the change.
    package let reason: AVAudioSession.RouteChangeReason
    /// The uids of the previous ports, inputs first.
    package let previous: [String]
    /// The uids of the current ports, inputs first.
    package let current: [String]
    /// The names of the current outputs, to display.
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
