import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A private server, what is heard on it, and apps that are started as the test wants them.
struct Scene {
    let server: HeadlessServer
    let monitor: MonitorRecording
    private let apps = Apps()
    var pactl: Pactl { Pactl(server) }

    /// Starts an app, and says what it is if `category` does: `playback spokenAudio duckOthers`.
    func peer(_ name: String, _ category: String? = nil) async throws -> Peer {
        let peer = try await Peer.start(on: server, name: name)
        await apps.add(peer)
        if let category { try await peer.send("category \(category)") }
        return peer
    }

    /// How loud a tone is just now, as its peak level in dBFS, over the next 50 ms.
    func level(of frequency: Double) async throws -> Double { try await monitor.level(of: frequency) }

    /// Waits until a tone is heard (at `level`, in dBFS, give or take 1.5), or no more where `level` is nil.
    func wait(for frequency: Double, at level: Double?) async throws {
        do { try await monitor.wait(for: frequency, at: level) } catch let error as SupportError {
            let claims = try await pactl.clients().compactMap { $0.properties["avaudiosession.claim"] }
            let streams = try await pactl.sinkInputs().map { stream in
                "\(stream.processID ?? 0) on \(stream.device ?? -1), volume \(stream.volume), "
                    + "muted \(stream.isMuted), corked \(stream.isCorked)"
            }
            let lines = ["\(error); claims:"] + claims + ["streams:"] + streams + ["apps:"] + (await apps.conditions)
            // In one line, which a search of a log finds whole.
            throw SupportError(lines.joined(separator: "; "))
        }
    }

    /// Lets a while of the sound's own time pass, in which something must not happen.
    func letPass(_ seconds: Double = 0.5) async throws { try await monitor.wait(seconds: seconds) }

    /// What an app says of itself to the others, as the server shows it to everybody: the fields of its claim.
    func claim(of peer: Peer) async throws -> [String: String] {
        try await claim { $0.processID == peer.processID }
    }

    /// The fields of the first client's claim of which that is so.
    func claim(where isMeant: (Pactl.Object) -> Bool) async throws -> [String: String] {
        let client = try await pactl.clients().first {
            $0.properties["avaudiosession.claim"] != nil && isMeant($0)
        }
        let fields = client?.properties["avaudiosession.claim"]?.split(separator: ";") ?? []
        let pairs = fields.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    /// The folder of this test, which goes with its server.
    func file(_ name: String) -> URL { server.directory.appendingPathComponent(name) }
}

/// The apps that a scene has started, for messages; it keeps none of them alive.
private actor Apps {
    private struct App { weak var peer: Peer? }
    private var apps: [App] = []

    func add(_ peer: Peer) { apps.append(App(peer: peer)) }

    /// For each app, whether its process runs, and what it was told and wrote.
    var conditions: [String] {
        apps.compactMap(\.peer).map { peer in
            let end = peer.process.exit.map { "ended with status \($0.status ?? 0), signal \($0.signal ?? 0)" }
            let told = peer.events("interruption", "servicesLost", "servicesReset")
            let words = told.compactMap { $0.string("type") ?? $0.string("event") }
            return "\(peer.name), \(peer.processID), \(end ?? "runs"): \(words) \(peer.process.errorText.suffix(500))"
        }
    }
}

/// Runs a test on a private server of its own.
func withScene(
    _ kind: HeadlessServer.Kind, modules: [String] = [], _ body: (Scene) async throws -> Void
) async throws {
    try await withServer(kind, modules: modules) { server in
        let monitor = try await MonitorRecording.start(on: server)
        try await body(Scene(server: server, monitor: monitor))
        _ = try await monitor.stop()
    }
}
