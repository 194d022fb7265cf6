import Foundation
import HeadlessServer
import TestSupport

/// Programs in C over `avaudiosession.h`: linked with the package, or with the library of a release where
/// `AVFAUDIO_C_PROGRAMS` names a folder with such programs (scripts/check-library).
enum CProgram {
    /// The folder with the programs of a release; nil for those of the package.
    static let releaseFolder = ProcessInfo.processInfo.environment["AVFAUDIO_C_PROGRAMS"]

    /// The examples that do the same in different loops: GLib's is there in a release that was built with its headers.
    static let examples = ["c-poll"] + (releaseFolder.map { isThere("c-glib", in: $0) } == true ? ["c-glib"] : [])

    /// Whether there is `c-load`, which loads and unloads the library of a release.
    static let hasLoader = releaseFolder.map { isThere("c-load", in: $0) } == true

    private static func isThere(_ program: String, in folder: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)")
    }

    /// The path of a program.
    static func url(_ program: String) throws -> URL {
        try releaseFolder.map { URL(fileURLWithPath: $0).appendingPathComponent(program) }
            ?? ChildProcess.executable(program)
    }

    /// Starts a program, which can be written to.
    static func start(
        _ program: String, _ arguments: [String] = [], on server: HeadlessServer? = nil,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            url(program), arguments, environment: (server?.environment ?? [:]).merging(environment) { $1 },
            input: true)
    }

    /// Starts `c-peer`, an app that takes commands, with an open handle.
    static func peer(
        _ name: String, on server: HeadlessServer? = nil, environment: [String: String] = [:], at program: URL? = nil
    ) async throws -> Peer {
        let process = try ChildProcess(
            program ?? url("c-peer"), ["org.example.\(name)", name, "book"],
            environment: (server?.environment ?? [:]).merging(environment) { $1 }, input: true)
        try await process.event("ready", timeout: hangLimit)
        return Peer(process, name)
    }
}
