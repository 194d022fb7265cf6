package import AudioHost
internal import DesktopBus
internal import SessionPolicy
internal import SoundHost

extension Session {
    /// A session on a PulseAudio or PipeWire server.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil means libpulse's default.
    ///   - meetsDesktop: Whether the user's locked screen and silent switch silence the session.
    ///   - microphone: The permission to record; nil skips the check.
    ///   - process: The process ID in the claim; 0 if others cannot tell the session's process, as in a Flatpak.
    package convenience init(
        server: String?, meetsDesktop: Bool, microphone: (any MicrophonePermission)?,
        process: Int32 = AppIdentity.claimedProcess
    ) {
        self.init(microphone: microphone) { events throws(SessionError) in
            try PulseHost(
                server: server, meetsDesktop: meetsDesktop, microphone: microphone, process: process, events: events)
        }
    }

    /// The permission of this process to record, by its user's settings and desktop.
    ///
    /// - Parameter reason: Returns the app's reason for recording, which the desktop shows when it asks the user.
    package static func userMicrophone(reason: @escaping @Sendable () -> String?) -> any MicrophonePermission {
        MicrophoneAccess(bus: DesktopSession.bus, policy: UserSettings.current.policy, reason: reason)
    }

    /// Whether streams are to carry roles, by the user's settings.
    package static var setsRoles: Bool { UserSettings.current.policy.setsRoles }

    /// Whether the user's settings allow sounds of the user interface.
    package static var playsUISounds: Bool { UserSettings.current.policy.playsUISounds }

    /// Watches the server's devices, on a separate connection.
    ///
    /// - Parameter changed: Called on any thread after changes of sinks, sources and cards, and once at the beginning.
    package static func watchDevices(
        of server: String?, changed: @escaping @Sendable () -> Void
    ) -> any DeviceWatching {
        DeviceObserver(server: server, watchesInputs: true, changed: changed)
    }
}

/// A watch over a server's devices; it ends with its last reference.
package protocol DeviceWatching: AnyObject, Sendable {
    /// Whether there is no server.
    var lacksServer: Bool { get }
}

extension DeviceObserver: DeviceWatching {}
