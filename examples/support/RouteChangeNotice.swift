package import AVFAudio
package import Foundation

/// What a route change notification says, taken out of its dictionary.
package struct RouteChangeNotice: Sendable {
    /// Why the route changed.
    package let reason: AVAudioSession.RouteChangeReason

    /// Reads a notification named `AVAudioSession.routeChangeNotification`.
    package init(_ notification: Notification) {
        let value = (notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? NSNumber)?.uintValue
        reason = value.flatMap(AVAudioSession.RouteChangeReason.init(rawValue:)) ?? .unknown
    }

    /// The event of the command-line contract.
    package func emit(to events: EventPrinter) { events.emit("routeChange", ["reason": .string(word)]) }

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
