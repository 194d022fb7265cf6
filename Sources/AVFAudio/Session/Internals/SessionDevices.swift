internal import AudioSession
internal import Foundation
internal import Locks

/// Says when a session's route, volumes, outputs or inputs may be others: after news from the sound server and from the
/// session, for as long as it lives.
package final class SessionDevices: Sendable {
    /// After these the session's route, category or server may be another one.
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
        /// Whether there was an occasion since `observer` was made: then a server may be there, though it found none,
        /// and is not looked for later only.
        var isWorthAnother = false
        var tokens: [any NSObjectProtocol] = []
    }

    /// Begins to listen, in the background.
    ///
    /// - Parameters:
    ///   - session: Whose news are of interest.
    ///   - server: The address of the session's server; nil looks where every client looks.
    ///   - changed: Told on any thread, once at the beginning as well.
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

    /// A connection ends with its server: one that has is made again, once for each time that something happened.
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
