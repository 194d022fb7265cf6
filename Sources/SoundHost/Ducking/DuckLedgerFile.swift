internal import AudioHost
internal import Glibc
package import SessionPolicy

/// The ledger of one running server, in the user's runtime directory: the copy that counts among processes of one user.
///
/// Whoever changes it says which revision the change follows from, and is told off if another came in between. The file
/// is locked (`flock`) only while it is compared and replaced, for some microseconds and without a wait in between, so
/// that a process that is stopped or killed holds nobody up. It stays when it has become empty: a revision must never
/// come again.
package final class DuckLedgerFile: Sendable {
    /// What became of a change.
    package enum Outcome: Hashable, Sendable {
        /// It is written.
        case done
        /// Somebody else has written since: look again.
        case outdated
        /// Somebody else is writing: try again soon.
        case busy
        /// The file cannot be written: go on without it.
        case failed
    }

    /// `$XDG_RUNTIME_DIR/avaudiosession`, or the like under `/tmp` where that is not set.
    package static var defaultDirectory: String {
        if let runtime = AppIdentity.environment("XDG_RUNTIME_DIR") { return runtime + "/avaudiosession" }
        return "/tmp/avaudiosession-\(getuid())"
    }

    private let directory: String
    private let path: String
    private let lockPath: String

    /// The file for a server, by its random number; `nil` if there is no directory that is ours alone.
    package init?(server: UInt32, directory: String = defaultDirectory) {
        mkdir(directory, 0o700)
        var status = stat()
        // Under /tmp anybody could have made it, or a link to elsewhere.
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
            status.st_mode & 0o022 == 0
        else { return nil }
        self.directory = directory
        path = directory + "/ducked-" + String(server, radix: 16)
        lockPath = directory + "/lock"
    }

    /// The ledger as it is; `nil` if there never was one.
    package func load() -> DuckLedger? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: DuckLedger.longestText + 1)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return DuckLedger(String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// Replaces the ledger, if its revision is still the expected one (0 for none); the ledger's own must be higher.
    package func commit(_ ledger: DuckLedger, expecting revision: UInt64) -> Outcome {
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { return .failed }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return errno == EWOULDBLOCK ? .busy : .failed }
        // Unlocked by name as well: a child that was forked at this moment has a copy of the descriptor.
        defer { flock(lock, LOCK_UN) }
        guard isCurrent(lock) else { return .busy }
        guard load()?.revision ?? 0 == revision else { return .outdated }
        return replace(with: ledger.text) ? .done : .failed
    }

    /// Takes the lock away from a process that was stopped while it had it, which it will notice.
    package func breakLock() { unlink(lockPath) }

    /// Whether the lock that we have is still the one that others look for.
    private func isCurrent(_ lock: Int32) -> Bool {
        var ours = stat()
        var named = stat()
        return fstat(lock, &ours) == 0 && stat(lockPath, &named) == 0 && ours.st_ino == named.st_ino
    }

    /// Whole or not at all: a reader sees the old text or the new one.
    private func replace(with text: String) -> Bool {
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let bytes = Array(text.utf8)
        let written = write(file, bytes, bytes.count)
        close(file)
        guard written == bytes.count, rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        return true
    }
}
