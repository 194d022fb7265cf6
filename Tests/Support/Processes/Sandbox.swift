internal import Foundation

/// What Flatpak does to its programs' numbers: their processes are counted anew, the machine's name is as it was.
package enum Sandbox {
    private static let unshare = URL(fileURLWithPath: "/usr/bin/unshare")
    private static let options = ["-Urpf", "--kill-child", "--mount-proc"]

    /// Whether this kernel lets this user make one, and tells it from a container.
    package static let isPossible: Bool = {
        let names = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/uts")
        guard names == "uts:[4026531838]" else { return false }
        let process = Process()
        process.executableURL = unshare
        process.arguments = options + ["true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Starts a program as process 2.
    package static func start(
        _ command: [String], environment: [String: String], input: Bool = false
    ) throws -> ChildProcess {
        // The shell is process 1, and would be replaced by the program if that were its last command.
        try ChildProcess(
            unshare, options + ["sh", "-c", "\"$@\"; exit $?", "sh"] + command, environment: environment,
            input: input)
    }
}
