internal import Glibc
internal import PulseClient
internal import SessionPolicy

extension SessionError {
    /// A failed call to the server, in the session's words.
    init(_ error: PulseError) {
        switch error.code {
        case .noSuchEntity: self.init(.resourceNotAvailable, "No such device: \(error)")
        case .access: self.init(.mediaServicesFailed, "The sound server refuses: \(error)", errno: EACCES)
        default: self.init(.mediaServicesFailed, "No sound server: \(error)")
        }
    }
}
