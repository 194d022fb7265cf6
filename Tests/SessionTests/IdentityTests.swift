import HeadlessServer
import TestSupport
import Testing

/// The names under which an app is known to mixers and to other apps.
@Suite("What an app says of itself", .limited)
struct IdentityTests {
    private static let keys = ["application.id", "application.name", "application.icon_name"]

    /// An app that names itself, in an environment that does not.
    private func app(
        _ name: String..., on server: HeadlessServer, environment: [String: String] = [:]
    ) async throws -> Peer {
        let process = try ChildProcess("session-peer", ["as"] + name, on: server, environment: environment, input: true)
        try await process.event("ready", timeout: hangLimit)
        return Peer(process, "app")
    }

    @Test("A chosen identity is that of the client and of its streams", arguments: HeadlessServer.Kind.allCases)
    func chosen(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await app("org.example.Reader", "Reader", "book", on: server)
            try await app.send("category playback")
            try await app.send("play 440")
            let wanted = ["org.example.Reader", "Reader", "book"]
            try await waitUntil("the stream") {
                let stream = try await Pactl(server).sinkInputs(of: app.processID).first
                return Self.keys.map { stream?.properties[$0] } == wanted
            }
            let clients = try await Pactl(server).clients().filter { $0.processID == app.processID }
            #expect(!clients.isEmpty)
            for client in clients { #expect(Self.keys.map { client.properties[$0] } == wanted) }
            // Others know it already.
            #expect(try await app.attempt("identity org.example.Other").string("fourCC") == "!act")
            for wrong in ["identity", "identity org.example.Reader Read\u{7}er"] {
                #expect(try await app.attempt(wrong).number("code") == -50, "\(wrong)")
            }
        }
    }

    @Test("The user's environment has precedence")
    func environment() async throws {
        try await withServer(.pulseAudio) { server in
            let own = ["PULSE_PROP_application.name": "Bed time"]
            let app = try await app("org.example.Reader", "Reader", on: server, environment: own)
            try await app.send("activate")
            let client = try await Pactl(server).clients().first { $0.processID == app.processID }
            let wanted = ["org.example.Reader", "Bed time", "org.example.Reader"]
            #expect(Self.keys.map { client?.properties[$0] } == wanted)
        }
    }
}
