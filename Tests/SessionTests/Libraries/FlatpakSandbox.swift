import Foundation
import HeadlessServer
import TestSupport

/// A sandbox as a Flatpak's, made by bubblewrap, as Flatpak's are.
///
/// Its processes are counted anew, it has `/.flatpak-info` and the sound server's socket, and no bus.
enum FlatpakSandbox {
    private static let program = HeadlessServer.findBinary("bwrap")

    /// Whether bubblewrap is there and may make a sandbox.
    static let isPossible: Bool = {
        guard let program else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = options + ["true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// The machine's folders but those of a user's session; the root folder is the sandbox's own.
    private static let options: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/")) ?? []
        let shared = names.sorted().filter { !["proc", "dev", "run", "tmp"].contains($0) }.flatMap { name in
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/" + name) {
                return ["--symlink", target, "/" + name]
            }
            return ["--ro-bind", "/" + name, "/" + name]
        }
        let own = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run"]
        return ["--unshare-pid", "--die-with-parent"] + shared + own
    }()

    /// Starts a program, which reaches the server and these files.
    static func start(
        _ command: [String], on server: HeadlessServer, environment: [String: String], files: [URL] = [],
        input: Bool = false
    ) throws -> ChildProcess {
        guard let program else { throw SupportError("no bwrap: run `make setup`") }
        let information = server.directory.appendingPathComponent("flatpak-info")
        try Data("[Application]\nname=org.example.Player\n".utf8).write(to: information)
        // The socket of PulseAudio's protocol alone, as with --socket=pulseaudio, and what a program plays.
        let folder = server.directory.path
        let socket = String(server.address.dropFirst("unix:".count))
        let reached = [socket] + files.map(\.path)
        let places =
            [
                "--tmpfs", "/tmp", "--tmpfs", folder, "--ro-bind", information.path, "/.flatpak-info",
                "--unsetenv", "DBUS_SESSION_BUS_ADDRESS", "--unsetenv", "DBUS_SYSTEM_BUS_ADDRESS",
            ] + reached.flatMap { ["--ro-bind", $0, $0] }
        return try ChildProcess(program, options + places + command, environment: environment, input: input)
    }
}
