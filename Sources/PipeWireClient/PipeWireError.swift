internal import Glibc

/// An error of the connection to PipeWire's daemon.
package struct PipeWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason of a failure.
    package enum Reason: Hashable, Sendable {
        /// libpipewire is not installed, or lacks a needed symbol.
        case libraryMissing
        /// There is no daemon: none runs, or the sound server is PulseAudio.
        case noDaemon
        /// This process may not connect to the daemon's socket, or not change streams, as in some sandboxes.
        case permissionDenied
        /// The daemon did not answer in time.
        case noAnswer
        /// The connection ended: the daemon ended, or it disconnected this client.
        case connectionLost
        /// Anything else, with its `errno`.
        case failed(Int32)
    }

    /// The reason.
    package let reason: Reason
    /// A description in one line, for people.
    package let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// The error of a failed attempt to connect.
    init(connecting remote: String?, errno code: Int32) {
        let daemon = remote ?? "PipeWire"
        switch code {
        // libpipewire says "host is down" when it finds no socket.
        case EHOSTDOWN, ENOENT, ECONNREFUSED: self.init(.noDaemon, "no daemon listens at \(daemon)")
        case EACCES, EPERM: self.init(.permissionDenied, "no permission to connect to \(daemon)")
        case ELIBACC:
            self.init(.libraryMissing, "libpipewire lacks its modules (libpipewire-0.3-modules on Debian and Ubuntu)")
        default: self.init(.failed(code), "\(daemon): \(String(cString: strerror(code)))")
        }
    }
}
