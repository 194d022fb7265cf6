internal import Foundation
internal import SoundHost

/// Who observes properties of a session, and what says that these may have changed: the sound server and the session.
///
/// Listens only while somebody observes.
// SAFETY: everything mutable is guarded by `lock`.
final class SessionProperties: @unchecked Sendable {
    /// After these the session's route, category or server may be another one.
    private static let occasions = [
        AVAudioSession.routeChangeNotification, AVAudioSession.availableInputsChangeNotification,
        AVAudioSession.didBecomeActiveNotification, AVAudioSession.didBecomeInactiveNotification,
        AVAudioSession.mediaServicesWereResetNotification,
    ]

    private let server: String?
    private let observers = PropertyObservers(readingOn: DispatchQueue(label: "AVAudioSession.observe"))
    private let lock = NSLock()
    private var devices: DeviceObserver?
    /// Whether there was an occasion since `devices` began: then a server may be there, though it found none.
    private var isWorthAnother = false
    private var tokens: [any NSObjectProtocol] = []

    /// - Parameter server: The session's; nil looks where every client looks.
    init(server: String?) { self.server = server }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    func observe<Value>(
        _ keyPath: KeyPath<AVAudioSession, Value>, of session: AVAudioSession, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (AVAudioSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let ended = { @Sendable [weak self] in self?.stopListening() ?? () }
        let observation = observers.observe(keyPath, of: session, options, ended: ended, handler)
        listen(to: session.shell.session ?? session)
        // What changed after the first look, and before there was somebody to be told.
        observers.changed()
        return observation
    }

    /// A property may be another one.
    func changed() { observers.changed() }

    private func listen(to session: AVAudioSession) {
        lock.withLock {
            guard tokens.isEmpty else { return }
            let look: @Sendable (Notification) -> Void = { [weak self] _ in
                guard let self else { return }
                lock.withLock { isWorthAnother = true }
                devicesChanged()
            }
            let center = NotificationCenter.default
            tokens = Self.occasions.map { center.addObserver(forName: $0, object: session, queue: nil, using: look) }
            observeDevices()
        }
    }

    private func stopListening() {
        let old = lock.withLock { () -> (tokens: [any NSObjectProtocol], devices: DeviceObserver?) in
            // Somebody else observes, or has come meanwhile and found us listening.
            guard observers.isEmpty else { return ([], nil) }
            defer { (tokens, devices) = ([], nil) }
            return (tokens, devices)
        }
        old.tokens.forEach(NotificationCenter.default.removeObserver)
    }

    /// A connection ends with its server: one that has is made again, once for each time that something happened.
    private func devicesChanged() {
        lock.withLock {
            if devices?.isOver == true, isWorthAnother { observeDevices() }
        }
        changed()
    }

    /// With the lock held.
    private func observeDevices() {
        isWorthAnother = false
        devices = DeviceObserver(server: server, watchesInputs: true) { [weak self] in self?.devicesChanged() }
    }
}
