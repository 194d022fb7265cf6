import Foundation
import TestSupport

/// Two machines with a name, a network and process numbers of their own, and a third one with a sound server.
///
/// They are namespaces of the kernel, which any user may make on most systems. Everything ends with this object.
final class TwoHosts: Sendable {
    /// One of the machines, or the one with the server.
    struct Host: Sendable {
        /// What keeps its namespaces: it ends with its input.
        let holder: ChildProcess
        let entrance: [String]

        /// Starts a program there.
        func start(_ command: [String], environment: [String: String] = [:], input: Bool = false) throws -> ChildProcess
        {
            try ChildProcess(
                URL(fileURLWithPath: "/usr/bin/nsenter"), entrance + ["--"] + command,
                environment: environment.merging(TwoHosts.path) { $1 }, input: input)
        }

        /// Runs a program there to its end.
        func run(_ command: String...) async throws {
            let process = try start(command)
            guard try await process.wait().status == 0 else {
                throw SupportError("\(command.joined(separator: " ")): \(process.errorText)")
            }
        }
    }

    private static let path = ["PATH": "/usr/sbin:/sbin:/usr/bin:/bin"]
    private let hub: Host
    private let server: ChildProcess
    private let folder: String
    /// The machines, called `one` and `two` unless said otherwise.
    let hosts: [Host]

    /// Whether this kernel lets this user make namespaces.
    static let isPossible: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-Urnu", "-pf", "--mount-proc", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/nsenter")
    }()

    init(names: [String] = ["one", "two"]) async throws {
        hub = try await Self.makeHub()
        var hosts: [Host] = []
        for (number, name) in names.enumerated() {
            hosts.append(try await Self.makeHost(name, number: number + 1, beside: hub))
        }
        self.hosts = hosts
        let owner = try ChildProcess.executable("session-peer").path
        server = try hub.start([owner, "server", "pulseAudio", "module-native-protocol-tcp auth-anonymous=1"])
        let line = try await server.line(timeout: hangLimit) { !$0.isEmpty }.text
        folder = String(line.prefix { $0 != " " })
    }

    /// Starts an app on a machine, which knows the server by its network address.
    func peer(_ name: String, on number: Int) async throws -> Peer {
        let environment = [
            "PULSE_SERVER": "tcp:10.77.\(number + 1).1", "PULSE_PROP_application.name": name, "HOME": folder,
            "XDG_RUNTIME_DIR": folder, "PULSE_RUNTIME_PATH": folder,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/no-bus",
        ]
        let program = try ChildProcess.executable("session-peer").path
        let process = try hosts[number].start([program], environment: environment, input: true)
        try await process.event("ready", timeout: hangLimit)
        return Peer(process, name)
    }

    private static func makeHub() async throws -> Host {
        let holder = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/unshare"), ["-Urn", "sh", "-c", "ip link set lo up && echo up && exec cat"],
            environment: path, input: true)
        try await holder.line(timeout: hangLimit) { $0 == "up" }
        return Host(holder: holder, entrance: ["-t", "\(holder.processID)", "-U", "-n", "--preserve-credentials"])
    }

    private static func makeHost(_ name: String, number: Int, beside hub: Host) async throws -> Host {
        let holder = try hub.start(
            [
                "unshare", "-nupf", "--kill-child", "--mount-proc", "sh", "-c",
                "hostname \(name) && echo up && exec cat",
            ], input: true)
        try await holder.line(timeout: hangLimit) { $0 == "up" }
        let id = holder.processID
        let entrance = [
            "-t", "\(id)", "-U", "-n", "-u", "-m", "--pid=/proc/\(id)/ns/pid_for_children", "--preserve-credentials",
        ]
        let host = Host(holder: holder, entrance: entrance)
        let near = "to-\(number)"
        try await hub.run("ip", "link", "add", near, "type", "veth", "peer", "name", "eth0", "netns", "\(id)")
        try await hub.run("ip", "address", "add", "10.77.\(number).1/24", "dev", near)
        try await hub.run("ip", "link", "set", near, "up")
        try await host.run("ip", "link", "set", "lo", "up")
        try await host.run("ip", "address", "add", "10.77.\(number).2/24", "dev", "eth0")
        try await host.run("ip", "link", "set", "eth0", "up")
        return host
    }
}
