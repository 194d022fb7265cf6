import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What sessions do beside the sound server's own policies, scene by scene.
@Suite("Policies of the server", .limited)
struct PolicyTests {
    @Test(
        "Beside each policy of PulseAudio's, scenes sound and are told as docs/policies.md says",
        arguments: ServerPolicy.allCases.filter { $0.kind == .pulseAudio })
    func scenes(policy: ServerPolicy) async throws {
        try await play(policy)
    }

    @Test(
        "Beside WirePlumber's role-based policy, scenes sound and are told as docs/policies.md says",
        .enabled(if: RoleBasedPolicy.isAvailable, RoleBasedPolicy.requirement))
    func roleBased() async throws {
        try await play(.roleBased)
    }

    @Test(
        "Beside it the app's device is the one behind its role's sink, and explain names the rule and the setting",
        .enabled(if: RoleBasedPolicy.isAvailable, RoleBasedPolicy.requirement))
    func roleBasedDevice() async throws {
        try await withServer(.pipeWire, policy: ServerPolicy.roleBased.configuration) { server in
            let pactl = Pactl(server)
            try await RoleBasedPolicy.waitUntilReady(pactl)
            let app = try await Peer.start(on: server, name: "app")
            try await app.send("category playback")
            try await app.send("play 2000")
            let stream = try await pactl.waitForSinkInput(of: app.processID, timeout: hangLimit) { $0.device != nil }
            let sink = try #require(try await pactl.sinks().first { $0.index == stream.device })
            #expect(sink.name == "input.loopback.sink.role.multimedia", "the policy is there")
            try await app.send("volume 0.5")
            try await waitUntil("the device's volume", timeout: hangLimit) {
                try await abs((pactl.sink("test_out")?.volume ?? 1) - 0.5) < 0.01
            }
            #expect(try await pactl.sink(sink.name)?.volume == 1)
            let music = try await ForeignStream.start(on: server, role: "music")
            let status = try await Self.audiosession("status", on: server)
            #expect(status.contains("test_out") && !status.contains("loopback"), "\(status)")
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await app.waitForInterruption()
            let explanation = try await Self.audiosession("explain", on: server)
            #expect(
                explanation.contains("cuts it off while") && explanation.contains("in \"Communication\"")
                    && explanation.contains("(policy.role-based.action.lower-priority = cork)"), "\(explanation)")
            try await call.stop()
            try await app.waitForEnd()
            try await music.stop()
        }
    }

    @Test(
        "Where the role of prompts has a sink that lowers, the server lowers a stranger's music, and no session does",
        .enabled(if: RoleBasedPolicy.isAvailable, RoleBasedPolicy.requirement))
    func roleBasedPrompt() async throws {
        try await withServer(.pipeWire, policy: RoleBasedPolicy.configurationWithPrompts) { server in
            try await RoleBasedPolicy.waitUntilReady(Pactl(server))
            let monitor = try await MonitorRecording.start(on: server)
            let music = try await ForeignStream.start(on: server, playing: .tone(frequency: 1000), role: "music")
            try await monitor.wait(for: 1000, at: -12)
            let prompt = try await Peer.start(on: server, name: "prompt")
            try await prompt.send("category playback voicePrompt duckOthers")
            try await prompt.send("play 2000")
            // `linking.role-based.duck-level` is 0.3.
            try await monitor.wait(for: 1000, at: -12 - 10.5)
            try await monitor.wait(seconds: 0.5)
            try await monitor.wait(for: 1000, at: -12 - 10.5)
            try await prompt.send("stop")
            try await prompt.send("deactivate notify")
            try await monitor.wait(for: 1000, at: -12)
            try await music.stop()
        }
    }

    @Test(
        "module-role-ducking: a move of what it lowers ends PulseAudio, and the app is told of the server's loss",
        .oneSlot)
    func moveUnderDucking() async throws {
        let server = try await offPool {
            try HeadlessServer.start(.pulseAudio, modules: ServerPolicy.roleDucking.modules)
        }
        defer { server.stop() }
        let pactl = Pactl(server)
        let call = try await ForeignStream.start(on: server, role: "phone")
        let app = try await Peer.start(on: server, name: "app")
        try await app.send("category playback")
        try await app.send("play 2000")
        let stream = try await pactl.waitForSinkInput(of: app.processID, timeout: hangLimit)
        _ = try await pactl.loadModule("module-null-sink", ["sink_name=aside"])
        // It is lowered a second time when it comes back, and PulseAudio ends before it answers.
        try await pactl.move(sinkInput: stream.index, to: "aside")
        try? await pactl.move(sinkInput: stream.index, to: "test_out")
        try await app.wait(for: "servicesLost")
        try await call.stop()
        try await offPool { try server.restart() }
        try await app.wait(for: "servicesReset")
        #expect(app.interruptions == [])
        try await app.send("category playback")
        #expect(try await app.send("play 2000").bool("value") == true)
    }

    private static func audiosession(_ command: String, on server: HeadlessServer) async throws -> String {
        let process = try ChildProcess("audiosession", [command], on: server)
        try await process.wait()
        return process.outputLines.joined(separator: "\n")
    }

    @Test("docs/policies.md has the tables that these tests prove")
    func document() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/policies.md")
            .standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasSuffix(PolicyTable.text), "the tables are:\n\(PolicyTable.text)")
    }

    private func play(_ policy: ServerPolicy) async throws {
        try await withServer(policy.kind, modules: policy.modules, policy: policy.configuration) { server in
            try await PolicyStage(policy, on: server).playAll()
        }
    }
}
