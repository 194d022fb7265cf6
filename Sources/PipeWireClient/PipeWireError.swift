internal import Glibc

/// What went wrong between this process and PipeWire's daemon.
package struct PipeWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure that call for different answers.
    package enum Reason: Hashable, Sendable {
        /// libpipewire is not installed, or lacks what we need of it.
        case libraryMissing
        /// No daemon listens: none runs, or the sound server is PulseAudio.
        case noDaemon
        /// The daemon's socket is not for us, as in some sandboxes.
        case permissionDenied
        /// The daemon did not answer in time.
        case noAnswer
        /// The connection ended: the daemon did, or it threw us out.
        case connectionLost
        /// Anything else, with its `errno`.
        case failed(Int32)
    }

    /// What kind of failure it is.
    package let reason: Reason
    /// One line for people.
    package let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// A connection that was not made.
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
