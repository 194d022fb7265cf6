internal import Glibc
internal import PulseClient
internal import SessionPolicy

extension SessionError {
    /// The session's error for a failed call to the server.
    init(_ error: PulseError) {
        switch error.code {
        case .noSuchEntity: self.init(.resourceNotAvailable, "No such device: \(error)")
        case .access: self.init(.mediaServicesFailed, "The sound server refuses: \(error)", errno: EACCES)
        default: self.init(.mediaServicesFailed, "No sound server: \(error)")
        }
    }
}
