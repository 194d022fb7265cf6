internal import Glibc
internal import PulseClient
internal import SessionPolicy

extension SessionError {
    /// The session's error for a failed call to the server.
    init(_ error: PulseError) {
        switch error.code {
        case .noSuchEntity: self.init(.resourceNotAvailable, "No such device: \(error)")
        case .access: self.init(.mediaServicesFailed, "The sound server refuses: \(error)", errno: EACCES)
        default:
            let problem = error.isOfServer ? "No sound server" : "The sound server refuses"
            self.init(.mediaServicesFailed, "\(problem): \(error)")
        }
    }
}
