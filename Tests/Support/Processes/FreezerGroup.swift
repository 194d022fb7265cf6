import Foundation

/// A control group whose processes can be frozen: they stand still, and `/proc` calls them asleep.
///
/// To make one takes root, or a group that was delegated to the user.
package struct FreezerGroup: Sendable {
    /// The kernel's two kinds of control groups.
    package enum Version: Sendable { case one, two }

    /// The kinds of which this process can make groups.
    package static let available = [Version.one, .two].filter { version in
        guard let group = try? FreezerGroup(version) else { return false }
        defer { group.remove() }
        return FileManager.default.isWritableFile(atPath: group.directory + "/" + group.control.file)
    }

    private let directory: String
    private let version: Version

    private var control: (file: String, frozen: String, thawed: String) {
        version == .one ? ("freezer.state", "FROZEN", "THAWED") : ("cgroup.freeze", "1", "0")
    }

    /// Makes an empty group within our own.
    package init(_ version: Version) throws {
        let lines = try String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8).split(separator: "\n")
        let line = lines.first { version == .one ? $0.contains(":freezer:") : $0.hasPrefix("0::") }
        guard let path = line?.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last else {
            throw CocoaError(.fileNoSuchFile)
        }
        let roots = version == .one ? ["freezer"] : ["unified", "."]
        let root = roots.map { "/sys/fs/cgroup/" + $0 }.first {
            FileManager.default.fileExists(atPath: $0 + "/cgroup.procs")
        }
        guard let root else { throw CocoaError(.fileNoSuchFile) }
        self.version = version
        directory = "\(root)\(path == "/" ? "" : path)/avaudiosession-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    /// Takes a process in, and freezes it.
    package func freeze(_ process: Int32) throws {
        try write("\(process)", to: directory + "/cgroup.procs")
        try write(control.frozen, to: directory + "/" + control.file)
    }

    /// Lets the processes go on.
    package func thaw() throws { try write(control.thawed, to: directory + "/" + control.file) }

    /// Lets the processes go on in our own group.
    package func remove() {
        try? thaw()
        let processes = try? String(contentsOfFile: directory + "/cgroup.procs", encoding: .utf8)
        let parent = (directory as NSString).deletingLastPathComponent
        for process in processes?.split(separator: "\n") ?? [] {
            try? write(String(process), to: parent + "/cgroup.procs")
        }
        rmdir(directory)
    }

    private func write(_ text: String, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}
