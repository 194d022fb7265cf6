import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

/// Foreign programs are lowered wherever a session runs: on ordinary desktops, in sandboxes, beside a policy of the
/// server's.
@Suite(.serialized, .limited) struct DuckingPlacesTests {
    /// The server is at `$XDG_RUNTIME_DIR/pulse/native`, and libpulse calls it just that, without `unix:`.
    @Test("on a desktop, where no variable says where the server is", arguments: HeadlessServer.Kind.allCases)
    func desktop(kind: HeadlessServer.Kind) async throws {
        let absent = ["PULSE_SERVER", "PULSE_RUNTIME_PATH", "PIPEWIRE_RUNTIME_DIR", "DISPLAY"]
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let ducker = try await stage.session("Prompt", DuckStage.ducking, without: absent)
            try await stage.wait(Tone.music, at: Tone.lowered)
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: Tone.level, "after the duck")
            // Its guard is told the same address.
            let killed = try await stage.session("Killed", DuckStage.ducking, without: absent)
            try await stage.wait(Tone.music, at: Tone.lowered, "again")
            killed.send(SIGKILL)
            try await killed.wait()
            try await stage.wait(Tone.music, at: Tone.level, "after the kill")
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music)
        }
    }

    /// Null sinks stand in for WirePlumber's, with the properties that it gives them, and lower nothing themselves.
    ///
    /// Version 0.5 would act on them; `PolicyTests` has its own sinks.
    @Test("What the sink of a prompt's role lowers is left to the server, and nothing else is")
    func rolePolicy() async throws {
        try await withStage(.pipeWire) { stage in
            guard stage.server.isPipeWire(before: "1.0") else { return }
            for (name, priority, action) in [("role_music", 10, "mix"), ("role_prompt", 30, "duck")] {
                try await addRoleSink(name, priority: priority, action: action, on: stage)
            }
            let music = try await stage.foreign(sink: "role_music")
            let stream = try await stage.stream(of: music)
            func waitUntilLowered(_ isLowered: Bool, _ when: String) async throws {
                try await waitUntil("lowered: \(isLowered), \(when)", timeout: hangLimit) {
                    stage.ledger()?.entries[UInt32(stream)] != nil ? isLowered : !isLowered
                }
            }
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await waitUntilLowered(true, "while the prompt has no sink of its role's")
            let prompt = try await ForeignStream.start(
                on: stage.server, role: "a11y", sink: "role_prompt",
                properties: ["application.process.id": "\(ducker.processID)"])
            try await waitUntilLowered(false, "once it has one")
            try await prompt.stop()
            try await waitUntilLowered(true, "without it")
            try await stage.end(ducker, music)
            try await waitUntilLowered(false, "at last")
        }
    }

    /// As where the one that lowered it lives in a container, with a runtime directory of its own.
    @Test("What no file says is lowered, but a client that was there before, is given back")
    func ledgerOfAClient() async throws {
        try await withStage(.pulseAudio) { stage in
            let music = try await stage.foreign()
            let stream = try await stage.stream(of: music)
            let server = try await stage.observer.serverInfo()
            let input = try #require(try await stage.observer.sinkInputs().first { $0.index == UInt32(stream) })
            let volumeSteps = try #require(DuckVolumeSteps(from: input.volume.values, by: 30_419))
            try await stage.pactl.setVolume(30_419 / 65_536, sinkInput: stream)
            try await stage.wait(Tone.music, at: Tone.lowered)
            var ledger = DuckLedger(server: server.cookie, owner: 0, revision: 1)
            let key = input.properties["module-stream-restore.id"] ?? ""
            ledger.enter(.lowered(.init(key: key, volumeSteps: volumeSteps)), for: input.index)
            let text = ledger.text
            stage.observer.sync { $0.updateProperties(["avaudiosession.ducked": text]) }
            try await waitUntil("what the client says") {
                try await stage.observer.clients().contains { $0.properties["avaudiosession.ducked"] == text }
            }
            let session = try await stage.session("Late", DuckStage.mixing)
            try await stage.wait(Tone.music, at: Tone.level, "when a session came")
            try await stage.end(session, music)
        }
    }

    /// PulseAudio 16.1 and 17.0 abort when a stream that the module has lowered is moved: nothing is moved here.
    @Test(
        "module-role-ducking, which some distributions load, has the field to itself: a session lowers nothing",
        .judges(.level(decibels: 1)))
    func roleDucking() async throws {
        try await withStage(.pulseAudio, modules: ["module-role-ducking"]) { stage in
            let music = try await stage.foreign(role: "music")
            try await stage.wait(Tone.music, at: Tone.level)
            let before = try await stage.currentVolumes()
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            let heard = try await stage.listen(seconds: 1)
            #expect(abs(heard.steadyLevel(Tone.music) - Tone.level) < 1, "beside the module")
            #expect(try await stage.currentVolumes().isLike(before))
            #expect(stage.guards() == [] && stage.ledger()?.isEmpty ?? true)
            // The module does its work, and what it lowers is not lowered twice.
            let call = try await stage.foreign(Tone.player, role: "phone")
            try await stage.wait(Tone.music, at: Tone.level - 20, "under a call, by the module")
            try await stage.end(call)
            try await stage.wait(Tone.music, at: Tone.level, "after the call")
            try await stage.end(ducker, music)
        }
    }

    /// Adds a sink like those that WirePlumber's configuration makes for roles.
    private func addRoleSink(_ name: String, priority: Int, action: String, on stage: DuckStage) async throws {
        let key = "policy.role-based."
        let properties = "\(key)target=true \(key)priority=\(priority) \(key)action.lower-priority=\(action)"
        _ = try await stage.pactl.loadModule(
            "module-null-sink", ["sink_name=\(name)", "sink_properties='\(properties)'"])
        try await waitUntil("a sink for a role", timeout: hangLimit) {
            try await stage.pactl.sink(name)?.properties[key + "target"] == "true"
        }
        try await stage.pactl.setDefault(sink: "test_out")
    }

    @Test("who cannot load libpipewire leaves it to others, and lowers once it can", arguments: [true, false])
    func withoutLibrary(besideAnother: Bool) async throws {
        try await withStage(.pipeWire) { stage in
            let folder = stage.server.directory.appendingPathComponent("broken")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let library = folder.appendingPathComponent("libpipewire-0.3.so.0")
            try "no library".write(to: library, atomically: false, encoding: .utf8)
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let elected = try await stage.session(
                "Elected", besideAnother ? DuckStage.mixing : DuckStage.ducking,
                environment: ["LD_LIBRARY_PATH": folder.path])
            let ducker = besideAnother ? try await stage.session("Prompt", DuckStage.ducking) : nil
            try await stage.waitForClaim(of: elected) { !$0.canDuck }
            if let ducker {
                try await stage.wait(Tone.music, at: Tone.lowered, "by the other")
                try await stage.end(ducker)
                try await stage.wait(Tone.music, at: Tone.level)
            } else {
                try FileManager.default.removeItem(at: library)
                try await stage.waitForClaim(of: elected) { $0.canDuck }
                try await stage.wait(Tone.music, at: Tone.lowered, "by itself")
            }
            try await stage.end(elected, music)
        }
    }

    /// Its ledger is a property of its connection only, which whoever comes next must not forget while its guard
    /// starts.
    @Test("what a killed executor had lowered comes back, where nobody can read its file", .judges(.level(decibels: 1)))
    func privateFile() async throws {
        try await withStage(.pulseAudio) { stage in
            let folder = stage.server.directory.appendingPathComponent("sandbox")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let before = try await stage.currentVolumes()
            let elected = try await stage.session(
                "Elected", DuckStage.mixing, environment: ["XDG_RUNTIME_DIR": folder.path])
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            #expect(stage.ledger()?.isEmpty ?? true, "the first one is elected")
            elected.send(SIGKILL)
            try await elected.wait()
            try await waitUntil("another executor", timeout: hangLimit) { stage.ledger()?.isEmpty == false }
            let heard = try await stage.listen(seconds: 1)
            #expect(abs(heard.steadyLevel(Tone.music) - Tone.lowered) < 1, "under the other executor")
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: Tone.level, "after the duck")
            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music)
        }
    }

    /// The music and the session are process 2 each, of the same machine.
    @Test(
        "in sandboxes that number their processes anew, others are lowered, and the session's command is not",
        .enabled(if: Sandbox.isPossible, "a container, or a kernel that lets no user make namespaces"),
        arguments: HeadlessServer.Kind.allCases)
    func equalNumbers(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let paplay = try #require(HeadlessServer.findBinary("paplay")).path
            let music = try Sandbox.start(
                [paplay, Tone.file(Tone.music, seconds: 60, in: stage.server.directory).path],
                environment: stage.server.toolEnvironment)
            try await stage.wait(Tone.music, at: Tone.level)
            let tools = ["env"] + stage.server.toolEnvironment.map { "\($0)=\($1)" }
            let prompt = try Tone.file(Tone.prompt, seconds: 60, in: stage.server.directory).path
            let run = [try ChildProcess.executable("audiosession").path, "run"]
            let session = try Sandbox.start(
                run + DuckStage.ducking + ["--"] + tools + [paplay, prompt], environment: stage.server.environment)
            try await stage.wait(Tone.music, at: Tone.lowered)
            try await stage.wait(Tone.prompt, at: Tone.level)
            let claims = try await stage.observer.clients().compactMap { $0.properties[Claim.property] }
            #expect(claims.compactMap { Claim($0)?.pid } == [0])
            #expect(try await stage.pactl.sinkInputs(of: 2).count == 1, "the music has the session's number")
            for process in [session, music] {
                process.send(SIGKILL)
                try await process.wait()
            }
        }
    }
}
