internal import AudioSession
internal import Foundation

/// Says when a session's route, volumes, outputs or inputs may be others: after news from the sound server and from the
/// session, for as long as it lives.
// SAFETY: everything mutable is guarded by `lock`.
package final class SessionDevices: @unchecked Sendable {
    /// After these the session's route, category or server may be another one.
    private static let occasions = [
        AVAudioSession.routeChangeNotification, AVAudioSession.availableInputsChangeNotification,
        AVAudioSession.didBecomeActiveNotification, AVAudioSession.didBecomeInactiveNotification,
        AVAudioSession.mediaServicesWereResetNotification,
    ]

    private let server: String?
    private let changed: @Sendable () -> Void
    private let lock = NSLock()
    private var observer: (any DeviceWatching)?
    /// Whether there was an occasion since `observer` was made: then a server may be there, though it found none, and
    /// is not looked for later only.
    private var isWorthAnother = false
    private var tokens: [any NSObjectProtocol] = []

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
            lock.withLock { isWorthAnother = true }
            self.look()
        }
        let center = NotificationCenter.default
        lock.withLock {
            tokens = Self.occasions.map { center.addObserver(forName: $0, object: session, queue: nil, using: look) }
            observe()
        }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    /// A connection ends with its server: one that has is made again, once for each time that something happened.
    private func look() {
        lock.withLock {
            if observer?.lacksServer == true, isWorthAnother { observe() }
        }
        changed()
    }

    /// With the lock held.
    private func observe() {
        isWorthAnother = false
        observer = Session.watchDevices(of: server) { [weak self] in self?.look() }
    }
}
