import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

/// A private PulseAudio that remembers the volumes of streams, as every desktop's does.
func withDesktop(
    sinks: [HeadlessServer.NullSink] = [.init()], _ body: (DuckDesk) async throws -> Void
) async throws {
    let modules = ["module-stream-restore restore_device=false"]
    try await withServer(.pulseAudio, sinks: sinks, modules: modules) { server in
        let observer = try PulseConnection(name: "observer")
        try await observer.connect(to: server.address, timeout: .seconds(5))
        try await body(DuckDesk(server: server, observer: observer))
    }
}

/// A server with everything that the tests of ducking do on it.
struct DuckDesk {
    let server: HeadlessServer
    let observer: PulseConnection
    var pactl: Pactl { Pactl(server) }

    /// The volume of a stream lowered by 20 dB from 100 %, in the server's scale.
    static let lowered: UInt32 = 30_419
    static let full: UInt32 = 0x10000

    // MARK: Processes

    /// A process that takes part, once its connection stands.
    func peer(_ arguments: String..., environment: [String: String] = [:]) async throws -> ChildProcess {
        let peer = try ChildProcess("session-peer", ["duck"] + arguments, on: server, environment: environment)
        try await peer.line { $0.hasPrefix("ready") }
        return peer
    }

    /// The path of the program that has the argument `guard`.
    static var guardProgram: String { get throws { try ChildProcess.executable("session-peer").path } }

    // MARK: Looking

    func volume(of stream: ForeignStream) async throws -> [UInt32]? {
        try await observer.sinkInputs().first { $0.index == UInt32(stream.index) }?.volume.values
    }

    func wait(for value: UInt32, of stream: ForeignStream, _ what: String = "a volume") async throws {
        var last: [UInt32]?
        do {
            try await waitUntil(what) {
                last = try await volume(of: stream)
                return last?.allSatisfy { $0 == value } ?? false
            }
        } catch { throw SupportError("\(what): \(value) expected, \(last.map { "\($0)" } ?? "no stream") found") }
    }

    /// What the server remembers of every kind of stream.
    func memory() async throws -> [String: [UInt32]] {
        var entries: [StreamRestoreEntry]?
        await observer.mainloopRestoreEntries { entries = $0 }
        return Dictionary(uniqueKeysWithValues: (entries ?? []).map { ($0.name, $0.volume?.values ?? []) })
    }

    /// Waits until the server remembers nothing but these volumes: what we set must not stay.
    func waitForMemory(_ allowed: UInt32...) async throws {
        var last: [String: [UInt32]] = [:]
        do {
            try await waitUntil("clean memory") {
                last = try await memory()
                return last.values.allSatisfy { $0.allSatisfy(allowed.contains) }
            }
        } catch { throw SupportError("\(allowed) should be remembered, but it is \(last)") }
    }

    /// Everything is as before: volumes, memory, the ledger's file, and the level of the program's next stream.
    func expectEverythingAsBefore(_ stream: ForeignStream, at value: UInt32 = full) async throws {
        try await wait(for: value, of: stream, "the volume from before")
        try await waitForMemory(value)
        try await waitUntil("an empty ledger") { ledger().map(\.isEmpty) ?? true }
        let next = try await ForeignStream.start(on: server)
        #expect(try await volume(of: next)?.allSatisfy { $0 == value } ?? false)
        try await next.stop()
    }

    /// The ledger that a process shows to the others; nil if it never had an entry.
    func published(by process: ChildProcess) async throws -> DuckLedger? {
        let clients = try await observer.clients()
        let own = clients.first { $0.properties["application.process.id"] == String(process.processID) }
        return own?.properties["avaudiosession.ducked"].flatMap { DuckLedger($0) }
    }

    /// The ledger in the runtime directory.
    func ledger() -> DuckLedger? {
        guard let runtime = server.environment["XDG_RUNTIME_DIR"] else { return nil }
        let folder = URL(fileURLWithPath: runtime + "/avaudiosession")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.first { $0.lastPathComponent.hasPrefix("ducked-") && $0.pathExtension.isEmpty }
            .flatMap { try? String(contentsOf: $0, encoding: .utf8) }.flatMap { DuckLedger($0) }
    }
}

extension PulseConnection {
    /// What the server remembers of streams; nothing if it does not answer.
    func mainloopRestoreEntries(_ store: ([StreamRestoreEntry]) -> Void) async {
        let entries: [StreamRestoreEntry] = await withCheckedContinuation { continuation in
            restoreEntries { continuation.resume(returning: (try? $0.get()) ?? []) }
        }
        store(entries)
    }
}
