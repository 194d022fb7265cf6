import HeadlessServer
import TestSupport
import Testing

/// A stopped process (Ctrl-Z, a debugger) does not hold others down.
@Suite("Stopped processes", .limited)
struct StoppedPeerTests {
    @Test(
        "Two stopped interrupters at once free those behind them, and are interrupted when they go on",
        arguments: HeadlessServer.Kind.allCases)
    func interrupters(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            var apps: [Peer] = []
            for name in ["a", "b", "c"] {
                let app = try await Peer.start(on: server, name: name)
                try await app.send("category playback")
                try await app.send("activate")
                apps.append(app)
            }
            try await apps[0].waitForInterruption()
            try await apps[1].waitForInterruption()
            apps[1].stop()
            apps[2].stop()
            #expect(try await apps[0].waitForEnd().number("option") == 1)
            try await apps[0].send("activate")
            apps[2].continue()
            try await apps[2].waitForInterruption()
            apps[1].continue()
            #expect(try await apps[1].state().bool("active") == false)
            #expect(apps[0].interruptions == ["began", "ended 1"])
        }
    }

    @Test(
        "A stopped call refuses nobody, not even those that were idle all the time",
        arguments: HeadlessServer.Kind.allCases)
    func call(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let call = try await Peer.start(on: server, name: "call")
            try await call.send("category playAndRecord voiceChat")
            try await call.send("activate")
            let memo = try await Peer.start(on: server, name: "memo")
            try await memo.send("category record")
            #expect(try await memo.attempt("activate").bool("ok") == false)
            call.stop()
            try await waitUntil("an activation", timeout: hangLimit) {
                try await memo.attempt("activate").bool("ok") == true
            }
            call.continue()
        }
    }
}
