internal import Glibc
internal import PulseClient
internal import SessionPolicy

/// Who we are, for mixers and for the server's memory of volumes.
package struct AppIdentity: Hashable, Sendable {
    /// Such as `org.example.Player`: `PULSE_PROP_application.id` or the program's name.
    package let id: String
    /// The name that people see.
    package let name: String

    /// The running program, overridden by what the environment says for any PulseAudio client.
    package static let current: AppIdentity = {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "unknown"
        return AppIdentity(
            id: environment("PULSE_PROP_application.id") ?? program,
            name: environment("PULSE_PROP_application.name") ?? program)
    }()

    /// A client's properties.
    var clientProperties: PropertyList {
        let icon = AppIdentity.environment("PULSE_PROP_application.icon_name") ?? id
        return ["application.id": id, "application.icon_name": icon]
    }

    /// The properties of a stream with the given role.
    ///
    /// The restore id keeps PulseAudio from sharing one remembered volume among all apps of the same role.
    func streamProperties(role: StreamRole?, name: String) -> PropertyList {
        var list = clientProperties
        list["application.name"] = self.name
        list["media.name"] = name
        list["module-stream-restore.id"] = "avaudiosession:\(id):\(role?.rawValue ?? "none")"
        list["media.role"] = role?.rawValue
        // In both directions, or PulseAudio finds no pair: echo is what the one brings of the other.
        if role == .phone { list["filter.want"] = EchoCancellation.filter }
        return list
    }

    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
