internal import AudioHost
internal import PulseClient
internal import SessionPolicy

// The program in the server's words.
extension AppIdentity {
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
}
