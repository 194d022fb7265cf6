import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// An app that uses `MediaPlayer`, in a process of its own, and a remote control for it on the same bus.
struct RemoteApp {
    static let path = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let properties = "org.freedesktop.DBus.Properties"

    let bus: PrivateBus
    let peer: Peer
    let client: SessionBus
    let name: String

    /// Starts `remote-peer`; it is on the bus once it has said something.
    static func start(
        on bus: PrivateBus, server: HeadlessServer? = nil, name: String = "remote-peer",
        environment: [String: String] = [:]
    ) async throws -> RemoteApp {
        let variables = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": bus.folder.path]
            .merging(environment) { $1 }
        let process = try ChildProcess("remote-peer", on: server, environment: variables, input: true)
        try await process.event("ready", timeout: hangLimit)
        return RemoteApp(bus: bus, peer: Peer(process, name), client: bus.client, name: "\(root).\(name)")
    }

    /// An app on a bus of its own that says what it plays, and takes all commands of these names.
    static func playing(_ info: String = #"{"title":"One","playbackDuration":100}"#, _ commands: String...) async throws
        -> RemoteApp
    {
        let app = try await start(on: PrivateBus.start())
        for command in commands { try await app.peer.send("target \(command)") }
        try await app.peer.send("info \(info)")
        try await app.waitForName()
        return app
    }

    /// Waits until it has its name.
    func waitForName() async throws {
        try await waitUntil("\(name) on the bus", timeout: hangLimit) { await names().contains(name) }
    }

    /// The players' names on the bus.
    func names() async -> [String] {
        await withCheckedContinuation { continuation in
            client.playerAddresses { continuation.resume(returning: $0.map(\.name)) }
        }
    }

    // MARK: As a remote control

    func call(_ method: String, _ arguments: BusArgument..., interface: String = player) async -> SessionBus.Answer {
        await client.call(name, path: Self.path, interface: interface, method: method, arguments)
    }

    func get(_ property: String, of interface: String = player) async -> BusValue? {
        let answer = await call("Get", .text(interface), .text(property), interface: Self.properties)
        guard case .values(let values) = answer else { return nil }
        return values.first
    }

    func set(_ property: String, _ value: BusArgument, of interface: String = player) async -> SessionBus.Answer {
        await call("Set", .text(interface), .text(property), .variant(value), interface: Self.properties)
    }

    func all(of interface: String = player) async -> [String: BusValue] {
        guard case .values(let values) = await call("GetAll", .text(interface), interface: Self.properties) else {
            return [:]
        }
        return values.first?.table ?? [:]
    }

    func metadata() async -> [String: BusValue] { await get("Metadata")?.table ?? [:] }

    /// Waits until a property has a value.
    func wait(for property: String, _ value: BusValue) async throws {
        try await waitUntil("\(property) \(value)", timeout: hangLimit) { await get(property) == value }
    }

    /// What it tells from now on.
    func listen() async -> Signals {
        let signals = Signals()
        client.listen(path: Self.path) { sender, member, values in signals.all.add((member, values)) }
        // An answer from the bus means that it knows of the wish.
        _ = await names()
        return signals
    }

    /// What an app was asked for: `name` or `name value`.
    ///
    /// What it prints and what it answers on the bus arrive in any order: an answer to a command comes after both.
    func commands() async throws -> [String] {
        try await peer.send("sync")
        return printedCommands
    }

    /// What it was asked for, as far as it has arrived.
    var printedCommands: [String] {
        peer.events("command").map { line in
            (line.string("name") ?? "?") + (line.number("value").map { " \($0)" } ?? "")
        }
    }

    /// What a player told.
    final class Signals: Sendable {
        let all = Collection<(member: String, values: [BusValue])>()

        /// The values that a property took, in order.
        func changes(of property: String) -> [BusValue] {
            all.all.compactMap { $0.member == "PropertiesChanged" ? $0.values[1].table?[property] : nil }
        }

        /// The properties that have no value any more.
        var invalidated: [String] {
            all.all.flatMap { $0.member == "PropertiesChanged" ? $0.values[2].texts ?? [] : [] }
        }

        /// Where jumps ended, in microseconds.
        var jumps: [Int64] { all.all.compactMap { $0.member == "Seeked" ? $0.values.first?.integer : nil } }
    }
}
