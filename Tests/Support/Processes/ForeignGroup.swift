package import Foundation

/// Programs with the rights of another group than their caller's (setgid), which must not trust their environment.
package enum ForeignGroup {
    /// A group that the tests do not run as.
    private static let group: gid_t = 1

    /// Whether this user may make such programs, and the file system of temporary files lets them be.
    package static let isPossible: Bool = {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("id-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        let id = URL(fileURLWithPath: "/usr/bin/id")
        guard getegid() != group, (try? run(install, arguments(id, copy))) != nil else { return false }
        return (try? run(copy, ["-g"])) == "\(group)\n"
    }()

    /// Copies a program, and gives the copy the rights of the group.
    ///
    /// By way of another process: one that another test forks while this one writes would hold the copy open, which
    /// could not be started then.
    package static func makeCopy(of program: URL, at copy: URL) async throws {
        let installation = try ChildProcess(install, arguments(program, copy))
        guard try await installation.wait().status == 0 else {
            throw SupportError("\(copy.path): \(installation.errorText)")
        }
    }

    private static let install = URL(fileURLWithPath: "/usr/bin/install")

    private static func arguments(_ program: URL, _ copy: URL) -> [String] {
        ["--mode=2755", "--group=\(group)", program.path, copy.path]
    }

    /// Runs a program to its end; returns its standard output, and throws if it fails.
    private static func run(_ program: URL, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SupportError("\(program.path) failed") }
        return text
    }
}
