import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Streams that SDL or OpenAL opened in the process of an app: they belong to its session, which cannot stop them.
@Suite("What other libraries play in an app's process", .limited)
struct OtherLibrariesTests {
    private func stream(of peer: Peer, in scene: Scene, frequency: Double = 1500) async throws -> ForeignStream {
        try await ForeignStream.start(
            on: scene.server, playing: .tone(frequency: frequency),
            properties: ["application.process.id": "\(peer.processID)"])
    }

    /// An app that is heard, with a tone of its session's and one of another library's.
    private func withApp(
        _ kind: HeadlessServer.Kind, _ category: String, _ body: (Scene, Peer, ForeignStream) async throws -> Void
    ) async throws {
        try await withScene(kind) { scene in
            let app = try await scene.peer("first", category)
            try await app.send("play 440")
            let other = try await stream(of: app, in: scene)
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: -12) }
            try await body(scene, app, other)
        }
    }

    @Test("is silent while its session is interrupted, and comes back", arguments: HeadlessServer.Kind.allCases)
    func interrupted(kind: HeadlessServer.Kind) async throws {
        try await withApp(kind, "playback") { scene, first, other in
            let outsider = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 2500))
            try await scene.wait(for: 2500, at: -12)
            let second = try await scene.peer("second", "playback")
            try await second.send("activate")
            try await first.waitForInterruption()
            try await scene.wait(for: 1500, at: nil)
            let born = try await stream(of: first, in: scene, frequency: 3500)
            try await scene.wait(for: 3500, at: nil)
            try await scene.wait(for: 2500, at: -12)
            try await second.send("deactivate notify")
            try await first.waitForEnd()
            try await scene.wait(for: 1500, at: -12)
            try await first.send("resume")
            for frequency in [440.0, 1500, 2500, 3500] { try await scene.wait(for: frequency, at: -12) }
            for stream in [other, outsider, born] { try await stream.stop() }
        }
    }

    @Test("is silent while another session's recording mutes its own", arguments: HeadlessServer.Kind.allCases)
    func muted(kind: HeadlessServer.Kind) async throws {
        try await withApp(kind, "ambient") { scene, first, other in
            let second = try await scene.peer("second", "record")
            try await second.send("activate")
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: nil) }
            try await second.send("deactivate")
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: -12) }
            try await other.stop()
        }
    }

    @Test("is silent while a call of a program outside interrupts", arguments: HeadlessServer.Kind.allCases)
    func foreignCall(kind: HeadlessServer.Kind) async throws {
        try await withApp(kind, "playback") { scene, first, other in
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await first.waitForInterruption()
            try await scene.wait(for: 1500, at: nil)
            try await call.stop()
            try await first.waitForEnd()
            // Before the app is given up, after 5 s; and nothing else happens on the server.
            try await scene.monitor.wait(for: 1500, at: -12, timeout: .seconds(4))
            #expect(try await first.send("resume").bool("value") == true)
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: -12) }
            try await other.stop()
        }
    }

    @Test(
        "counts as its session's sound while it runs and the session is active",
        arguments: HeadlessServer.Kind.allCases)
    func counted(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let (first, game) = (try await scene.peer("first", "playback"), try await scene.peer("game", "ambient"))
            let other = try await stream(of: first, in: scene)
            for peer in [game, first] { try await peer.send("activate") }
            func waitUntilPlaying(_ isPlaying: Bool) async throws {
                try await waitUntil("playing: \(isPlaying)", timeout: hangLimit) {
                    try await scene.claim(of: first)["playing"] == (isPlaying ? "1" : "0")
                }
            }
            try await waitUntilPlaying(true)
            try await game.wait(for: "hint") { $0.number("type") == 1 }
            #expect(try await first.send("other").bool("value") == false)
            let second = try await scene.peer("second", "playback")
            try await second.send("activate")
            try await first.waitForInterruption()
            try await waitUntilPlaying(false)
            try await second.send("deactivate notify")
            try await first.waitForEnd()
            try await first.send("activate")
            try await waitUntilPlaying(true)
            try await other.stop()
            try await waitUntilPlaying(false)
        }
    }

    @Test("makes an unplug interrupt its session", arguments: HeadlessServer.Kind.allCases)
    func unplugged(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let phones = try await scene.pactl.loadModule(
                "module-null-sink",
                ["sink_name=phones", "sink_properties=\"device.bus=usb device.form_factor=headphone\""])
            try await waitUntil("the headphones") { try await scene.pactl.sink("phones") != nil }
            try await scene.pactl.setDefault(sink: "phones")
            let app = try await scene.peer("app", "playback")
            try await app.send("watch-routes")
            try await app.send("activate")
            let other = try await stream(of: app, in: scene)
            try await waitUntil("the claim", timeout: hangLimit) { try await scene.claim(of: app)["playing"] == "1" }
            try await scene.pactl.unloadModule(phones)
            #expect(try await app.waitForInterruption().number("reason") == 4, "routeDisconnected")
            try await app.wait(for: "route") { $0.number("reason") == 2 }
            // Where the server has no other place for the stream, it ends with its sink.
            try await other.kill()
        }
    }

    /// Starts a stream that names the session with this claim as its owner, as a child does that the app has told.
    private func stream(ownedBy claim: [String: String], in scene: Scene) async throws -> ForeignStream {
        let uid = try #require(claim["uid"])
        return try await ForeignStream.start(
            on: scene.server, playing: .tone(frequency: 1500), properties: ["avaudiosession.owner": uid])
    }

    @Test("in a child that names the session belongs to it as well", arguments: HeadlessServer.Kind.allCases)
    func child(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let app = try await scene.peer("app", "playback")
            try await app.send("activate")
            let child = try await stream(ownedBy: scene.claim(of: app), in: scene)
            try await scene.wait(for: 1500, at: -12)
            try await waitUntil("the claim", timeout: hangLimit) { try await scene.claim(of: app)["playing"] == "1" }
            #expect(try await app.send("other").bool("value") == false)
            let second = try await scene.peer("second", "playback")
            try await second.send("activate")
            try await scene.wait(for: 1500, at: nil)
            try await second.send("deactivate notify")
            try await scene.wait(for: 1500, at: -12)
            try await child.stop()
        }
    }

    @Test(
        "in a sandbox belongs to the session that it names",
        .enabled(if: Sandbox.isPossible, "a container, or a kernel that lets no user make namespaces"),
        arguments: HeadlessServer.Kind.allCases)
    func sandbox(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let program = try ChildProcess.executable("session-peer").path
            let process = try Sandbox.start([program], environment: scene.server.environment, input: true)
            try await process.event("ready", timeout: hangLimit)
            let app = Peer(process, "app")
            try await app.send("category playback")
            try await app.send("activate")
            func claim() async throws -> [String: String] { try await scene.claim { $0.processID == 2 } }
            #expect(try await claim()["pid"] == "0")
            let other = try await stream(ownedBy: claim(), in: scene)
            try await scene.wait(for: 1500, at: -12)
            try await waitUntil("the claim", timeout: hangLimit) { try await claim()["playing"] == "1" }
            let second = try await scene.peer("second", "playback default duckOthers")
            try await second.send("activate")
            try await scene.wait(for: 1500, at: -32)
            try await second.send("category playback")
            try await app.waitForInterruption()
            try await scene.wait(for: 1500, at: nil)
            try await second.send("deactivate notify")
            try await app.waitForEnd()
            try await scene.wait(for: 1500, at: -12)
            try await other.stop()
            try await app.exit()
        }
    }

    @Test("comes back when the app that silenced it is killed", arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            try await first.send("activate")
            let other = try await stream(of: first, in: scene)
            try await scene.wait(for: 1500, at: -12)
            let second = try await scene.peer("second", "playback")
            try await second.send("activate")
            try await scene.wait(for: 1500, at: nil)
            // What is held down is not heard.
            #expect(try await second.send("other").bool("value") == false)
            try await second.kill()
            try await first.kill()
            try await scene.wait(for: 1500, at: -12)
            try await other.stop()
        }
    }

    @Test(
        "stays silent while the process that silences it is stopped, and that one can leave",
        arguments: HeadlessServer.Kind.allCases)
    func executorGoes(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            // Who came first lowers streams for all, though it plays nothing itself.
            let (first, second) = (try await scene.peer("first", "ambient"), try await scene.peer("second", "ambient"))
            for peer in [first, second] {
                try await peer.send("activate")
                try await peer.send("deactivate")
            }
            let music = try await scene.peer("music", "playback")
            try await music.send("activate")
            let other = try await stream(of: music, in: scene)
            try await scene.wait(for: 1500, at: -12)
            let game = try await scene.peer("game", "playback")
            try await game.send("activate")
            try await scene.wait(for: 1500, at: nil)
            first.stop()
            // Its guard gives back what a stopped process holds down; another one takes its place.
            try await scene.letPass(2.5)
            try await scene.wait(for: 1500, at: nil)
            try await scene.letPass(1)
            #expect(try await scene.level(of: 1500) < -60)
            // What happens on the server meanwhile must not keep the one that leaves.
            let outsider = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 2500))
            let (pactl, index) = (scene.pactl, outsider.index)
            let mixer = Task {
                var step = 0
                while !Task.isCancelled {
                    step += 1
                    try await pactl.setVolume(step % 2 == 0 ? 0.5 : 0.6, sinkInput: index)
                }
            }
            let left = ContinuousClock.now
            try await second.exit()
            #expect(left.duration(to: .now) < .seconds(6))
            mixer.cancel()
            try await scene.wait(for: 1500, at: nil)
            first.continue()
            for stream in [other, outsider] { try await stream.stop() }
        }
    }
}
