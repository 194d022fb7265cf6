import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("simulate", .serialized, .limited) struct SimulateTests {
    @Test("a call and an alarm are streams of a program outside", arguments: HeadlessServer.Kind.allCases)
    func calls(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            for (event, role) in [("call", "phone"), ("alarm", "alarm")] {
                let process = try ChildProcess("audiosession", ["simulate", event, "--json"], on: server)
                let index = try await process.event("started").number("stream")
                let status = try await audiosession("status", "--json", on: server)
                let stream = try #require(status.event("stream", app: "Simulated \(event)"))
                #expect(stream.string("role") == role && stream.bool("corked") == false)
                #expect(stream.number("stream") == index)
                process.send(SIGINT)
                #expect(try await process.wait().status == 0)
                try await process.event("finished")
            }
        }
    }

    @Test(
        "a call from a shell that runs in a session is a stranger's all the same",
        arguments: HeadlessServer.Kind.allCases)
    func fromWithin(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let program = try ChildProcess.executable("audiosession").path
            let held = try ChildProcess(
                "audiosession", ["run", "--", program, "simulate", "call", "--json"], on: server)
            try await held.event("started")
            let status = try await audiosession("status", "--json", on: server)
            let stream = try #require(status.event("stream", app: "Simulated call"))
            #expect(stream.string("session") == nil && stream.string("role") == "phone")
            held.send(SIGINT)
            try await held.wait()
        }
    }

    @Test("somebody who kills its stream ends it in good order", arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let process = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: server)
            let index = try #require(try await process.event("started").number("stream"))
            // `pactl` cannot.
            let mixer = try PulseConnection(name: "mixer")
            try await mixer.connect(to: server.address, timeout: .seconds(2))
            try await waitUntil("the end of the stream") {
                // PipeWire 0.3.65 now and then does nothing about one that has just begun, and says that it has.
                try? await mixer.killSinkInput(at: UInt32(index))
                return try await Pactl(server).sinkInputs().isEmpty
            }
            await mixer.close()
            #expect(try await process.wait().status == 0, "\(process.errorText)")
            try await process.event("finished")
            #expect(process.errorText.isEmpty)
        }
    }

    @Test("--seconds ends it, and --tone is heard")
    func tone() async throws {
        try await withServer(.pulseAudio) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let run = try await audiosession("simulate", "call", "--seconds", "1.5", "--tone", on: server)
            #expect(run.exit.status == 0)
            let heard = try await monitor.stop()
            let range = try #require(heard.soundRange())
            #expect(abs((heard.frequency(range.prefix(12_000)) ?? 0) - 440) < 5)
            #expect(heard.peakLevel(range) < -20)
        }
    }

    @Test(
        "seconds that are none, or too many, are bad usage",
        arguments: ["0", "nan", "inf", "1e10", "1e19", "1e30"], ["call", "alarm"])
    func badSeconds(seconds: String, event: String) async throws {
        expectFailure(try await audiosession("simulate", event, "--seconds", seconds), 64, saying: "--seconds")
    }

    @Test("without --tone it is silent")
    func silent() async throws {
        try await withServer(.pulseAudio) { server in
            let monitor = try await MonitorRecording.start(on: server)
            #expect(try await audiosession("simulate", "alarm", "--seconds", "0.5", on: server).exit.status == 0)
            #expect(try await monitor.stop().soundRange() == nil)
        }
    }

    @Test(
        "a reset is announced to one process, and to nobody without a session", arguments: HeadlessServer.Kind.allCases)
    func reset(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            expectFailure(
                try await audiosession("simulate", "reset", "--pid", "1", on: server), 1, saying: "no session")
            let music = try await session(named: "Music", on: server)
            let reset = try ChildProcess(
                "audiosession", ["simulate", "reset", "--pid", "\(music.processID)", "--json"], on: server)
            var told: String?
            try await waitUntil("the announcement") {
                told = try await Pactl(server).clients().compactMap { $0.properties["avaudiosession.simulate"] }.first
                return told != nil
            }
            #expect(told?.hasPrefix("reset;pid=\(music.processID);host=") == true)
            #expect(try await reset.wait().status == 0)
        }
    }

    @Test(
        "unplug and plug do to one process what the real events do", arguments: HeadlessServer.Kind.allCases)
    func unplug(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let file = server.directory.appendingPathComponent("tone.wav")
            try TestSignal.sine(level: -12, seconds: 20).wavData.write(to: file)
            let player = try ChildProcess("player", ["--json", file.path], on: server)
            try await player.event("progress")
            let id = "\(player.processID)"
            #expect(try await audiosession("simulate", "unplug", "--pid", id, on: server).exit.status == 0)
            let paused = try await player.event("interruption") { $0.string("type") == "began" }
            #expect(paused.string("reason") == "routeDisconnected")
            let change = try await player.event("routeChange")
            #expect(change.string("reason") == "oldDeviceUnavailable")
            #expect(change.strings("current") == ["simulated.speaker"])
            #expect(try await audiosession("simulate", "plug", "--pid", id, on: server).exit.status == 0)
            let back = try await player.event("routeChange") { $0.string("reason") == "newDeviceAvailable" }
            #expect(back.strings("current") == change.strings("previous"))
            player.send(SIGTERM)
            try await player.wait()
        }
    }

    @Test(
        "unplug leaves a command heard, which could not ask for its sound again",
        arguments: HeadlessServer.Kind.allCases)
    func unplugCommand(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let music = try await session(named: "Music", on: server, playing: try CommandTests.tone(500, on: server))
            func claims(_ field: String) async throws -> Bool {
                try await Pactl(server).clients().contains {
                    $0.properties["avaudiosession.claim"]?.contains(";" + field) == true
                }
            }
            try await waitUntil("a claim that plays", timeout: hangLimit) { try await claims("playing=1") }
            let id = "\(music.processID)"
            #expect(try await audiosession("simulate", "unplug", "--pid", id, on: server).exit.status == 0)
            try await monitor.wait(seconds: 1)
            #expect(try await claims("state=active"))
            try await monitor.wait(for: 500, at: -12)
            music.send(SIGTERM)
            try await music.wait()
            _ = try await monitor.stop()
        }
    }

    @Test("suspend interrupts one process until it ends", arguments: HeadlessServer.Kind.allCases)
    func suspend(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let file = server.directory.appendingPathComponent("tone.wav")
            try TestSignal.sine(level: -12, seconds: 20).wavData.write(to: file)
            let player = try ChildProcess("player", ["--json", file.path], on: server)
            try await player.event("progress")
            let suspension = try ChildProcess(
                "audiosession", ["simulate", "suspend", "--pid", "\(player.processID)", "--json"], on: server)
            try await player.event("interruption") { $0.string("type") == "began" }
            suspension.send(SIGINT)
            #expect(try await suspension.wait().status == 0)
            let end = try await player.event("interruption") { $0.string("type") == "ended" }
            #expect(end.bool("shouldResume") == true)
            try await player.event("resumed")
            player.send(SIGTERM)
            try await player.wait()
        }
    }
}
