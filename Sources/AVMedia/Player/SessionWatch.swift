internal import AVFAudio
internal import Foundation

/// An observer that passes the session's notifications to a player.
final class SessionWatch {
    private var tokens: [any NSObjectProtocol] = []

    init(_ session: AVAudioSession, of core: AVPlayerCore) {
        observe(AVAudioSession.didBecomeInactiveNotification, session) { [weak core] _ in core?.sessionStopped() }
        observe(AVAudioSession.mediaServicesWereLostNotification, session) { [weak core] _ in core?.sessionLost() }
        observe(AVAudioSession.routeChangeNotification, session) { [weak core] notification in
            let number = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? NSNumber
            switch number.flatMap({ AVAudioSession.RouteChangeReason(rawValue: $0.uintValue) }) {
            case .oldDeviceUnavailable: core?.deviceLost()
            // A category without output stops playback.
            case .categoryChange: core?.sessionChanged()
            default: break
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    private func observe(
        _ name: Notification.Name, _ session: AVAudioSession, _ tell: @escaping @Sendable (Notification) -> Void
    ) {
        tokens.append(NotificationCenter.default.addObserver(forName: name, object: session, queue: nil, using: tell))
    }
}
