import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("player and routes", .serialized, .limited)
struct RouteTests {
    private static let speakers = HeadlessServer.NullSink(name: "speakers")

    /// Headphones that can be pulled: a sink of a module, which becomes the default one.
    private func plug(_ pactl: Pactl) async throws -> Int {
        let module = try await pactl.loadModule(
            "module-null-sink", ["sink_name=phones", "rate=44100", "norewinds=1"])
        try await waitUntil("the sink") { try await pactl.sink("phones") != nil }
        try await pactl.setDefault(sink: "phones")
        return module
    }

    @Test(
        "pauses when its headphones are pulled, whether or not it is interrupted, and is not heard elsewhere",
        .judges(.time(seconds: 0.01)), arguments: HeadlessServer.Kind.allCases, [[], ["--option", "mixWithOthers"]])
    func unplugged(kind: HeadlessServer.Kind, options: [String]) async throws {
        let folder = try Folder()
        let file = try folder.tone(20)
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let pactl = Pactl(server)
            let module = try await plug(pactl)
            let player = try ChildProcess("player", ["--json"] + options + [file], on: server)
            try await player.event("progress") { ($0.number("position") ?? 0) > 0.3 }
            let monitor = try await MonitorRecording.start(on: server, sink: Self.speakers)
            try await pactl.unloadModule(module)
            let paused = try await player.event("paused")
            #expect(paused.string("reason") == (options.isEmpty ? "interruption" : "oldDeviceUnavailable"))
            let change = try await player.event("routeChange") { $0.string("reason") == "oldDeviceUnavailable" }
            #expect(change.strings("previous") == ["phones"] && change.strings("current") == ["speakers"])
            try await monitor.wait(seconds: 0.5)
            // A block that the server rendered before it could be told; see `scripts/bench-unplug`.
            let heard = try await monitor.stop()
            #expect((heard.soundRange(threshold: -90)?.count ?? 0) * 100 <= heard.sampleRate)
            let again = try await plug(pactl)
            let back = try await player.event("routeChange") { $0.string("reason") != "oldDeviceUnavailable" }
            #expect(back.string("reason") == "newDeviceAvailable" && back.strings("current") == ["phones"])
            try await pactl.unloadModule(again)
            player.send(SIGTERM)
            try await player.wait()
        }
    }

    @Test("S55: what changes when the machine has woken up is put down to that")
    func wakes() async throws {
        let folder = try Folder()
        let file = try folder.tone(20)
        try await withServer(.pulseAudio, sinks: [Self.speakers, .init(name: "desk")]) { server in
            let address = "unix:path=\(folder.path("machine-bus"))"
            let bus = try await SessionBusDaemon.start(at: address, in: folder.url) { _ in [:] }
            let machine = ["DBUS_SYSTEM_BUS_ADDRESS": address]
            let login = try ChildProcess("mock-bus", ["login"], environment: machine, input: true)
            try await login.line { $0 == "ready" }
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "speakers")
            let player = try ChildProcess("player", ["--json", file], on: server, environment: machine)
            try await player.event("progress")
            try login.write(line: "sleep")
            try await login.line { $0 == "done sleep" }
            try login.write(line: "wake")
            try await login.line { $0 == "done wake" }
            // Its news and those of the sound server come by different ways.
            var target = "speakers"
            try await waitUntil("a change after the news") {
                target = target == "desk" ? "speakers" : "desk"
                try await pactl.setDefault(sink: target)
                let change = try await player.event("routeChange") { $0.strings("current") == [target] }
                return change.string("reason") == "wakeFromSleep"
            }
            player.send(SIGTERM)
            try await player.wait()
            bus.send(SIGKILL)
        }
    }
}
