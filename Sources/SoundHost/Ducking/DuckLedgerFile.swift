internal import AudioHost
internal import Glibc
package import SessionPolicy

/// The ledger file of one running server in the user's runtime directory, the authoritative copy of the ledger.
///
/// A writer names the revision that its change is based on, and is refused if the file has another one. The lock
/// (`flock`) is held only while the file is compared and replaced, for microseconds, so that a stopped process does not
/// block others. An empty ledger stays on disk, because a revision must not repeat.
package final class DuckLedgerFile: Sendable {
    /// The outcome of a write.
    package enum Outcome: Hashable, Sendable {
        /// The ledger is written.
        case done
        /// The file has another revision: read it again.
        case outdated
        /// Another process holds the lock: retry soon.
        case busy
        /// The file cannot be written: continue without it.
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

    /// The file for a server, by its cookie; nil if there is no directory that only this user can write.
    package init?(server: UInt32, directory: String = defaultDirectory) {
        mkdir(directory, 0o700)
        var status = stat()
        // Under /tmp another user could have made it, or a link.
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
            status.st_mode & 0o022 == 0
        else { return nil }
        self.directory = directory
        path = directory + "/ducked-" + String(server, radix: 16)
        lockPath = directory + "/lock"
    }

    /// Reads the ledger; nil if there never was one.
    package func load() -> DuckLedger? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: DuckLedger.longestText + 1)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return DuckLedger(String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// Replaces the ledger if the file still has the expected revision (0 for no file); the new one must be higher.
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

    /// Removes the lock file of a process that was stopped while it held the lock; it notices that when it continues.
    package func breakLock() { unlink(lockPath) }

    /// Whether the locked file is still the one at the lock's path.
    private func isCurrent(_ lock: Int32) -> Bool {
        var ours = stat()
        var named = stat()
        return fstat(lock, &ours) == 0 && stat(lockPath, &named) == 0 && ours.st_ino == named.st_ino
    }

    /// Replaces the file atomically: a reader sees the old text or the new one.
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
