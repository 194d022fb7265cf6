internal import AudioHost
internal import PulseClient
internal import SessionPolicy

// The properties of the program on the sound server.
extension AppIdentity {
    /// A client's properties.
    var clientProperties: PropertyList {
        ["application.id": id, "application.icon_name": icon]
    }

    /// The properties of a stream with the given role.
    ///
    /// The restore id keeps PulseAudio from sharing one remembered volume among all apps of the same role.
    func streamProperties(role: StreamRole?, name: String) -> PropertyList {
        var list = clientProperties
        list["application.name"] = self.name
        list["media.name"] = name
        list[Self.restoreID] = "avaudiosession:\(id):\(role?.rawValue ?? "none")"
        list["media.role"] = role?.rawValue
        // Set in both directions: PulseAudio cancels the echo of a playback stream in the recording only if both ask
        // for it.
        if role == .phone { list["filter.want"] = EchoCancellation.filter }
        return list
    }

    /// The properties of a recording that the library has moved to another source.
    ///
    /// PulseAudio remembers the source under this restore id, with which no stream begins.
    var movedProperties: PropertyList { [Self.restoreID: "avaudiosession:\(id):moved"] }

    private static let restoreID = "module-stream-restore.id"
}
