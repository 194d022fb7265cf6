internal import Foundation
internal import Glibc

/// The bounds of a history.
package struct HistoryLimits: Hashable, Sendable {
    /// The most bytes of all files together.
    package let bytes: Int
    /// The age in days after which events are deleted.
    package let days: Double

    /// Creates bounds; by default 10 MB and 30 days.
    package init(bytes: Int = 10_000_000, days: Double = 30) {
        self.bytes = bytes
        self.days = days
    }

    /// The most bytes of one file.
    var fileBytes: Int { max(1, bytes / 10) }
    /// The most seconds between the first and the last event of one file.
    var fileSeconds: Double { days * 86_400 / 30 }
}

/// A reason why a history cannot be written or read.
package struct HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason in words, with the file.
    package let description: String

    /// An error of the system about a file.
    static func system(_ what: String, _ path: String, _ code: Int32 = errno) -> HistoryError {
        HistoryError(description: "\(what) \(path): \(String(cString: strerror(code)))")
    }
}

/// The folder of a history and the names of its files.
///
/// `events.jsonl` is written to, `events-<number>.jsonl` are older ones with rising numbers. `writer.lock` is held by the
/// logger as long as it runs, `files.lock` while files are renamed, deleted or opened for reading.
package struct HistoryFolder: Hashable, Sendable {
    /// The folder's path.
    package let path: String

    /// A folder by its path.
    package init(_ path: String) { self.path = path }

    /// The user's folder: `$XDG_STATE_HOME/avaudiosession/history`, or `~/.local/state/avaudiosession/history`; nil
    /// without a home.
    package static func ofUser(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> HistoryFolder?
    {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return HistoryFolder(state + "/avaudiosession/history")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return HistoryFolder(home + "/.local/state/avaudiosession/history")
    }

    var current: String { path + "/events.jsonl" }
    var writerLock: String { path + "/writer.lock" }
    var filesLock: String { path + "/files.lock" }

    func file(_ number: Int) -> String { path + "/events-\(number).jsonl" }

    /// The numbers of the older files, oldest first.
    var numbers: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { name in
            name.hasPrefix("events-") && name.hasSuffix(".jsonl") ? Int(name.dropFirst(7).dropLast(6)) : nil
        }.sorted()
    }

    /// Creates the folder, which only its owner can enter.
    func create() throws(HistoryError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR { throw .system("cannot create", made) }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system("cannot use", path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .system("cannot use", path, ENOTDIR) }
        guard status.st_mode & 0o077 != 0 else { return }
        if chmod(path, 0o700) != 0 { throw .system("cannot make private", path) }
    }

    /// Runs `body` while no other process renames, deletes or opens files; the lock file is created if need be.
    func withFiles<Result>(_ body: () throws(HistoryError) -> Result) throws(HistoryError) -> Result {
        let lock = open(filesLock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .system("cannot open", filesLock) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            if errno != EINTR { throw .system("cannot lock", filesLock) }
        }
        return try body()
    }

    /// Deletes all events; a logger that runs goes on with an empty file.
    package func clear() throws(HistoryError) {
        guard access(path, F_OK) == 0 else { return }
        try withFiles { () throws(HistoryError) in
            for file in numbers.map(file) + [current] where unlink(file) != 0 && errno != ENOENT {
                throw .system("cannot delete", file)
            }
        }
    }
}
