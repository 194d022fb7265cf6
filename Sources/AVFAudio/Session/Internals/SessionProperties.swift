internal import Foundation
internal import Locks

/// The observers of a session's properties; listens to the sound server and the session while there are any.
final class SessionProperties: Sendable {
    private let server: String?
    private let observers = PropertyObservers(readingOn: DispatchQueue(label: "AVAudioSession.observe"))
    private let devices = Guarded<SessionDevices?>(nil)

    /// - Parameter server: The session's server; nil means libpulse's default.
    init(server: String?) { self.server = server }

    func observe<Value>(
        _ keyPath: KeyPath<AVAudioSession, Value>, of session: AVAudioSession, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (AVAudioSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let ended = { @Sendable [weak self] in self?.stopListening() ?? () }
        let observation = observers.observe(keyPath, of: session, options, ended: ended, handler)
        listen(to: session.relay.session ?? session)
        // The property may have changed between its first reading and the beginning of the watch.
        observers.changed()
        return observation
    }

    /// Reads all observed properties again.
    func changed() { observers.changed() }

    private func listen(to session: AVAudioSession) {
        devices.withLock { devices in
            guard devices == nil else { return }
            devices = SessionDevices(of: session, server: server) { [observers] in observers.changed() }
        }
    }

    private func stopListening() {
        // The watch is released outside the lock. Another observer may exist, or have come in between and found the
        // watch.
        let old = devices.withLock { devices -> SessionDevices? in
            guard observers.isEmpty else { return nil }
            defer { devices = nil }
            return devices
        }
        withExtendedLifetime(old) {}
    }
}
