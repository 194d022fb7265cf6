package import AudioHost
internal import DesktopBus
internal import SessionPolicy
internal import SoundHost

extension Session {
    /// A session on a PulseAudio or PipeWire server.
    ///
    /// - Parameters:
    ///   - server: An address; nil looks where every client looks.
    ///   - meetsDesktop: Whether the locked screen and the silent switch count, which are those of the process's user.
    ///   - microphone: The permission to record; nil asks nobody.
    package convenience init(server: String?, meetsDesktop: Bool, microphone: (any MicrophonePermission)?) {
        self.init(microphone: microphone) { events throws(SessionError) in
            try PulseHost(server: server, meetsDesktop: meetsDesktop, microphone: microphone, events: events)
        }
    }

    /// The permission of this process to record, by its user's settings and desktop.
    ///
    /// - Parameter reason: The app's reason for recording, asked for when the desktop's user is asked.
    package static func userMicrophone(reason: @escaping @Sendable () -> String?) -> any MicrophonePermission {
        MicrophoneAccess(bus: DesktopSession.bus, policy: UserSettings.current.policy, reason: reason)
    }

    /// Whether the user wants to hear sounds of the user interface.
    package static var playsUISounds: Bool { UserSettings.current.policy.playsUISounds }

    /// Watches the server's devices, on a connection of its own.
    ///
    /// - Parameter changed: Called on any thread after news of sinks, sources and cards, once at the beginning as well.
    package static func watchDevices(
        of server: String?, changed: @escaping @Sendable () -> Void
    ) -> any DeviceWatching {
        DeviceObserver(server: server, watchesInputs: true, changed: changed)
    }
}

/// What watches a server's devices for as long as it lives.
package protocol DeviceWatching: AnyObject, Sendable {
    /// Whether there is no server.
    var lacksServer: Bool { get }
}

extension DeviceObserver: DeviceWatching {}
