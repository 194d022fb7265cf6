import Foundation

/// The locations of the servers' programs and libraries: on the system, or unpacked in the build folder.
enum ServerPrograms {
    /// The folder that `scripts/setup` unpacks into, if there is one; looked up once.
    static let root: String? = {
        if let named = ProcessInfo.processInfo.environment["AVFAUDIO_SERVERS"], isFolder(named + "/usr/bin") {
            return named
        }
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/"
        let starts = [program, FileManager.default.currentDirectoryPath]
        return starts.lazy.flatMap(ancestors).map { $0 + "/.build/servers/root" }.first { isFolder($0 + "/usr/bin") }
    }()

    /// The path of a program: on the system, whose libraries fit it best, else the unpacked one.
    static func find(_ name: String) -> URL? {
        let system = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let unpacked = root.map { [$0 + "/usr/bin"] } ?? []
        return (system + ["/usr/bin", "/bin"] + unpacked)
            .map { $0 + "/" + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0) }
    }

    /// The path of a required program; throws if it is missing.
    static func require(_ name: String) throws -> String {
        guard let found = find(name) else { throw HeadlessServerError.missing(name) }
        return found.path
    }

    /// The data folder of a program, `/usr/share/<name>`, on the system or in the unpacked tree, like the program.
    static func sharedFolder(_ name: String, of program: String) throws -> String {
        try (isUnpacked(program) ? root ?? "" : "") + "/usr/share/" + name
    }

    /// Whether a program comes from the unpacked tree.
    static func isUnpacked(_ program: String) throws -> Bool {
        guard let root else { return false }
        return try require(program).hasPrefix(root)
    }

    /// Folders with unpacked libraries, in the order of the linker's search.
    ///
    /// Programs and modules contain absolute paths to their libraries, which do not exist for an unpacked tree.
    static let libraryFolders: [String] = {
        guard let root else { return [] }
        let base = root + "/usr/lib"
        let machine = contents(of: base).filter { $0.contains("-linux-") }.map { base + "/" + $0 }
        let modules = contents(of: base).filter { $0.hasPrefix("pulse-") }.map { base + "/" + $0 + "/modules" }
        let own = machine.flatMap { [$0, $0 + "/pulseaudio", $0 + "/pipewire-0.3"] }
        return (own + modules).filter(isFolder)
    }()

    /// A folder of plug-ins in the unpacked tree, such as `spa-0.2`.
    static func pluginFolder(_ prefix: String) -> String? {
        libraryFolders.lazy
            .flatMap { folder in contents(of: folder).filter { $0.hasPrefix(prefix) }.map { folder + "/" + $0 } }
            .first(where: isFolder)
    }

    /// The unpacked PulseAudio's modules.
    static var pulseModules: String? { libraryFolders.first { $0.hasSuffix("/modules") } }

    static func isFolder(_ path: String) -> Bool {
        var folder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &folder) && folder.boolValue
    }

    private static func contents(of folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private static func ancestors(of path: String) -> [String] {
        Array(sequence(first: path) { $0 == "/" || $0.isEmpty ? nil : ($0 as NSString).deletingLastPathComponent })
    }
}
