package import PulseClient

extension ForeignDucking {
    /// The implementation for a server: soft volumes on PipeWire, the streams' own volumes on PulseAudio.
    ///
    /// Nil where PipeWire's own socket is out of reach, as over a network. `connection` must be ready; call it with the
    /// main loop's lock held.
    package static func volume(
        on server: ServerInfo, connection: PulseConnection, file: DuckLedgerFile?
    ) -> (any ForeignVolume)? {
        guard server.isPipeWire else { return PulseDucker(connection: connection, server: server.cookie, file: file) }
        return SoftVolumes(connection: connection, server: server.cookie, file: file)
    }
}
