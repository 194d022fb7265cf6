internal import AudioSession
internal import Foundation
internal import Locks

/// A watch over a session's route, volumes, outputs and inputs, by news of the sound server and of the session; it ends
/// with its last reference.
package final class SessionDevices: Sendable {
    /// The notifications after which the session's route, category or server may be another.
    private static let occasions = [
        AVAudioSession.routeChangeNotification, AVAudioSession.availableInputsChangeNotification,
        AVAudioSession.didBecomeActiveNotification, AVAudioSession.didBecomeInactiveNotification,
        AVAudioSession.mediaServicesWereResetNotification,
    ]

    private let server: String?
    private let changed: @Sendable () -> Void
    private let state = Guarded(State())

    private struct State {
        var observer: (any DeviceWatching)?
        /// Whether a notification came after `observer` was made: a server may exist then, although the observer found
        /// none.
        var isWorthAnother = false
        var tokens: [any NSObjectProtocol] = []
    }

    /// Starts the watch, in the background.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - server: The address of the session's server; nil means libpulse's default.
    ///   - changed: Called on any thread after each change, and once at the beginning.
    package init(of session: AVAudioSession, server: String?, changed: @escaping @Sendable () -> Void) {
        self.server = server
        self.changed = changed
        let look: @Sendable (Notification) -> Void = { [weak self] _ in
            guard let self else { return }
            state.withLock { $0.isWorthAnother = true }
            self.look()
        }
        let center = NotificationCenter.default
        state.withLock {
            $0.tokens = Self.occasions.map { center.addObserver(forName: $0, object: session, queue: nil, using: look) }
            observe(&$0)
        }
    }

    deinit { state.withLock { $0.tokens.forEach(NotificationCenter.default.removeObserver) } }

    /// Calls `changed`, and replaces an observer whose server is gone, once for each notification.
    private func look() {
        state.withLock {
            if $0.observer?.lacksServer == true, $0.isWorthAnother { observe(&$0) }
        }
        changed()
    }

    private func observe(_ state: inout State) {
        state.isWorthAnother = false
        state.observer = Session.watchDevices(of: server) { [weak self] in self?.look() }
    }
}
