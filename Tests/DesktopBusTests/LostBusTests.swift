import DesktopBus
import Foundation
import TestSupport
import Testing

/// An app whose bus is not there, goes, keeps it waiting or refuses it, and that has no more to say.
@Suite(.limited)
struct LostBusTests {
    @Test("A bus that comes back finds the app again, whether it says one word more or none", arguments: [0, 1])
    func comesBack(words: Int) async throws {
        let app = try await RemoteApp.playing()
        try await app.bus.kill()
        let again = try await restart(app)
        for _ in 0..<words { try await app.peer.send("state 2") }
        try await waitForReturn(of: again)
        #expect(await again.metadata()["xesam:title"] == .text("One"))
        withExtendedLifetime(app) {}
    }

    @Test(
        "An app that looked for a bus too early is on it once there is one, whether it says one word more or none",
        arguments: [0, 1])
    func comesLate(words: Int) async throws {
        let app = try await RemoteApp.start(on: PrivateBus.start())
        try await app.bus.kill()
        // It looks at once, and to start a bus takes longer.
        try await app.peer.send("state 1")
        let again = try await restart(app)
        for _ in 0..<words { try await app.peer.send("state 2") }
        try await waitForReturn(of: again)
        #expect(await again.get("PlaybackStatus") == .text(words == 0 ? "Playing" : "Paused"))
        withExtendedLifetime(app) {}
    }

    @Test("Whoever watches for what asks for quiet, or for waking up, does so once there is a bus")
    func watchesLate() async throws {
        let bus = try await PrivateBus.start()
        try await bus.kill()
        let client = bus.client
        let told = Collection<String>()
        client.watchScreenSavers { witness, isActive in told.add("\(witness) \(isActive)") }
        client.watchFeedbackProfile { told.add($0 ?? "none") }
        client.watchLockedHint { told.add("locked \($0)") }
        client.onWake { told.add("awake") }
        // They have looked when this is answered.
        let nobody = "org.example.Nobody"
        if case .values = await client.call(nobody, path: "/", interface: nobody, method: "None") {
            Issue.record("there is a bus")
        }
        let again = try await PrivateBus.start(in: bus.folder)
        let desktop = try ChildProcess(
            "mock-bus", ["desktop"], environment: ["DBUS_SESSION_BUS_ADDRESS": again.address], input: true)
        for service in ["saver", "feedback", "login"] { try desktop.write(line: "own \(service)") }
        for word in ["freedesktop false", "full", "locked false"] {
            try await waitUntil(word, timeout: hangLimit) { told.all.contains(word) }
        }
        try await waitUntil("waking up", timeout: hangLimit) {
            try desktop.write(line: "sleep 0")
            return told.all.contains("awake")
        }
    }

    @Test("A bus that let the app wait for too long is asked again")
    func isSlow() async throws {
        let app = try await RemoteApp.start(on: PrivateBus.start())
        try await app.bus.kill()
        let path = app.bus.folder.appendingPathComponent("bus").path
        unlink(path)
        let listener = try listeningSocket(at: path)
        defer { close(listener) }
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        try await app.peer.send("state 2")
        // Whoever asks again has to wait again: to start a bus in time may be too much for a busy machine.
        for visit in ["its visit", "its second visit"] {
            var visitor: Int32 = -1
            try await waitUntil(visit, timeout: hangLimit) {
                visitor = accept(listener, nil, nil)
                return visitor >= 0
            }
            defer { close(visitor) }
            var bytes = [UInt8](repeating: 0, count: 1024)
            try await waitUntil("the end of \(visit)", timeout: hangLimit) {
                recv(visitor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 0
            }
        }
        withExtendedLifetime(app) {}
    }

    @Test("An app that was refused its name has it as soon as the bus lets it")
    func isRefused() async throws {
        let app = try await RemoteApp.start(on: PrivateBus.start())
        try await setNaming(allowed: false, on: app)
        let others = await ask(app, "ListNames").count
        try await app.peer.send("state 2")
        try await waitUntil("the app on the bus", timeout: hangLimit) { await ask(app, "ListNames").count > others }
        try await setNaming(allowed: true, on: app)
        try await waitForReturn(of: app)
    }

    /// The app on a bus that is started where its own was killed.
    private func restart(_ app: RemoteApp) async throws -> RemoteApp {
        let bus = try await PrivateBus.start(in: app.bus.folder)
        return RemoteApp(bus: bus, peer: app.peer, client: bus.client, name: app.name)
    }

    private func waitForReturn(of app: RemoteApp) async throws {
        try await waitUntil("\(app.name) on the bus", timeout: hangLimit) { await app.names() == [app.name] }
    }

    /// Has the bus give names to those who ask, or not.
    private func setNaming(allowed: Bool, on app: RemoteApp) async throws {
        let file = app.bus.folder.appendingPathComponent("bus.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        let (old, new) = allowed ? ("deny", "allow") : ("allow", "deny")
        try text.replacingOccurrences(of: "<\(old) own=", with: "<\(new) own=")
            .write(to: file, atomically: true, encoding: .utf8)
        _ = await ask(app, "ReloadConfig")
    }

    /// What the bus itself answers, which are texts or nothing.
    private func ask(_ app: RemoteApp, _ method: String) async -> [String] {
        let bus = "org.freedesktop.DBus"
        let answer = await app.client.call(bus, path: "/org/freedesktop/DBus", interface: bus, method: method)
        guard case .values(let values) = answer else {
            Issue.record("\(method): \(answer)")
            return []
        }
        return values.first?.texts ?? []
    }
}
