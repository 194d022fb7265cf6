internal import Foundation
internal import Locks

/// Who observes properties of a session, and what says that these may have changed: the sound server and the session.
///
/// Listens only while somebody observes.
final class SessionProperties: Sendable {
    private let server: String?
    private let observers = PropertyObservers(readingOn: DispatchQueue(label: "AVAudioSession.observe"))
    private let devices = Guarded<SessionDevices?>(nil)

    /// - Parameter server: The session's; nil looks where every client looks.
    init(server: String?) { self.server = server }

    func observe<Value>(
        _ keyPath: KeyPath<AVAudioSession, Value>, of session: AVAudioSession, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (AVAudioSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let ended = { @Sendable [weak self] in self?.stopListening() ?? () }
        let observation = observers.observe(keyPath, of: session, options, ended: ended, handler)
        listen(to: session.relay.session ?? session)
        // What changed after the first look, and before there was somebody to be told.
        observers.changed()
        return observation
    }

    /// A property may be another one.
    func changed() { observers.changed() }

    private func listen(to session: AVAudioSession) {
        devices.withLock { devices in
            guard devices == nil else { return }
            devices = SessionDevices(of: session, server: server) { [observers] in observers.changed() }
        }
    }

    private func stopListening() {
        // Let go of beside the lock. Somebody else may observe, or have come meanwhile and found us listening.
        let old = devices.withLock { devices -> SessionDevices? in
            guard observers.isEmpty else { return nil }
            defer { devices = nil }
            return devices
        }
        withExtendedLifetime(old) {}
    }
}
