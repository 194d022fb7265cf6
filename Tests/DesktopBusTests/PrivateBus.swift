import DesktopBus
import Foundation
import HeadlessServer
import TestSupport

/// A session bus of a test's own, without any services, gone with its last reference.
final class PrivateBus: Sendable {
    let address: String
    let folder: URL
    let daemon: ChildProcess
    /// Players live as long as their bus, whether or not the test has a use for them.
    private let players = Collection<Player>()

    private init(folder: URL, daemon: ChildProcess) {
        self.folder = folder
        self.daemon = daemon
        address = Self.address(in: folder)
    }

    deinit {
        daemon.send(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts one in a folder of its own, or again in the folder of one that died.
    static func start(in old: URL? = nil) async throws -> PrivateBus {
        let folder = old ?? URL(fileURLWithPath: "/tmp/avfaudio-bus-\(UUID().uuidString.prefix(8))")
        if old == nil { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
        let daemon = try await SessionBusDaemon.start(at: address(in: folder), in: folder, libraries: libraries)
        return PrivateBus(folder: folder, daemon: daemon)
    }

    private static func address(in folder: URL) -> String { "unix:path=\(folder.path)/bus" }

    /// For a program that was unpacked instead of installed.
    private static func libraries(of program: URL) -> [String: String] {
        let root = program.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        guard root != "/" else { return [:] }
        let folders = ["/usr/lib", "/lib"].flatMap { base in
            ((try? FileManager.default.contentsOfDirectory(atPath: root + base)) ?? [])
                .filter { $0.contains("-linux-") }.map { root + base + "/" + $0 }
        }
        return ["LD_LIBRARY_PATH": folders.joined(separator: ":")]
    }

    /// Kills it as a crash would, and returns when it is dead.
    func kill() async throws {
        daemon.send(SIGKILL)
        try await daemon.wait()
    }

    /// A client of it.
    var client: SessionBus { SessionBus(address: address) }

    /// Starts a mock player, and returns when it is on the bus.
    func player(
        _ name: String = "mock", quirks: [String] = [], command: [String] = [], environment: [String: String] = [:]
    ) async throws -> Player {
        let player = try await Player(self, name, quirks, command, environment)
        players.add(player)
        return player
    }

    /// A mock player on the bus, in a process of its own.
    final class Player: Sendable {
        let process: ChildProcess
        let owner: String
        private let pipe: String

        fileprivate init(
            _ bus: PrivateBus, _ name: String, _ quirks: [String], _ command: [String], _ environment: [String: String]
        ) async throws {
            pipe = "\(bus.folder.path)/\(name)-\(UUID().uuidString.prefix(8))"
            guard mkfifo(pipe, 0o600) == 0 else { throw SupportError("no pipe at \(pipe)") }
            process = try ChildProcess(
                "mock-bus", ["player", name, pipe] + quirks + (command.isEmpty ? [] : ["--"] + command),
                environment: environment.merging(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { $1 })
            owner = String(try await process.line { $0.hasPrefix("ready ") }.text.dropFirst(6))
        }

        var pid: Int32 { process.processID }
        var lines: [String] { process.outputLines }
        /// Whether it plays, by its own word.
        var isPlaying: Bool { (lines.last { $0.hasPrefix("status ") } ?? "status Playing") == "status Playing" }

        /// Does what a user could do, and returns when it is done.
        func order(_ order: String) async throws {
            let first = lines.count
            // For reading too: a player that is stopped or dead must not block the test.
            let file = open(pipe, O_RDWR | O_NONBLOCK)
            defer { close(file) }
            let bytes = Array((order + "\n").utf8)
            guard write(file, bytes, bytes.count) == bytes.count else { throw SupportError("no order for \(pipe)") }
            try await process.line(from: first) { $0 == "done \(order)" }
        }

        /// Waits until it has been told to do something, for the so-manyth time.
        func told(_ method: String, times: Int = 1) async throws {
            try await waitUntil("\(method), not \(lines)") { count(of: method) >= times }
        }

        func count(of method: String) -> Int { lines.count { $0 == method } }
    }
}
