internal import Glibc

/// The freezer of control groups: whether it holds a process of this machine.
///
/// `systemctl freeze`, a paused container, or a desktop that suspends background apps uses it. A frozen process looks
/// asleep in `/proc/PID/stat`; only its control group shows the difference.
///
/// | hierarchy | in `/proc/PID/cgroup` | frozen if |
/// |---|---|---|
/// | version 2 | `0::/path` | `cgroup.events` says `frozen 1` |
/// | version 1 | `7:freezer:/path` | `freezer.state` says `FROZEN` |
///
/// Both count groups further up. A group that cannot be seen from here, as from within a container, is not frozen.
enum ProcessFreezer {
    /// The mount points of the hierarchy of version 2: alone, or beside those of version 1.
    private static let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
    private static let oldRoot = "/sys/fs/cgroup/freezer"

    /// Whether a process is frozen; one that does not exist is not.
    static func holds(_ pid: Int32) -> Bool {
        read("/proc/\(pid)/cgroup").map { isFrozen(groups: $0) { read($0) } } ?? false
    }

    /// Whether one of a process's groups is frozen.
    ///
    /// - Parameters:
    ///   - groups: The process's `/proc/PID/cgroup`.
    ///   - file: The contents of a file; nil if it does not exist.
    static func isFrozen(groups: String, file: (String) -> String?) -> Bool {
        groups.split(separator: "\n").contains { line in
            // The path is last, and can contain colons.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return false }
            if fields[0] == "0", fields[1].isEmpty {
                return roots.contains { root in
                    file("\(root)\(fields[2])/cgroup.events")?.split(separator: "\n").contains("frozen 1") ?? false
                }
            }
            guard fields[1].split(separator: ",").contains("freezer") else { return false }
            return file("\(oldRoot)\(fields[2])/freezer.state")?.hasPrefix("FROZEN") ?? false
        }
    }

    /// The contents of a small file; nil if it does not exist.
    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let length = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<length], as: UTF8.self)
    }
}
