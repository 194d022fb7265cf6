import AVFAudio
import Foundation

/// What a session tells of its route.
// SAFETY: `all` is guarded by `lock`; the observer is only set by `init`.
final class RouteEvents: @unchecked Sendable {
    struct Event: Equatable {
        let reason: AVAudioSession.RouteChangeReason?
        let previous: [String]
        let current: [String]
        let previousInput: AVAudioSession.Port?
        let isOnMainThread: Bool
    }

    private let lock = NSLock()
    private var events: [Event] = []
    private var observer: (any NSObjectProtocol)?

    init(of session: AVAudioSession, then react: @escaping @Sendable (AVAudioSession) -> Void = { _ in }) {
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { [weak self, weak session] note in
            guard let self, let session else { return }
            let info = note.userInfo ?? [:]
            let reason = (info[AVAudioSessionRouteChangeReasonKey] as? UInt)
                .flatMap(AVAudioSession.RouteChangeReason.init(rawValue:))
            let previous = info[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            let event = Event(
                reason: reason, previous: previous?.outputs.map(\.uid) ?? [],
                current: session.currentRoute.outputs.map(\.uid), previousInput: previous?.inputs.first?.portType,
                isOnMainThread: Thread.isMainThread)
            lock.withLock { events.append(event) }
            react(session)
        }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    var all: [Event] { lock.withLock { events } }
}
