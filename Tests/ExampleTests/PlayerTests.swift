import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("player", .serialized, .limited) struct PlayerTests {
    @Test(
        "is heard, and says what it does in order", .judges(.time(seconds: 0.05)),
        arguments: HeadlessServer.Kind.allCases)
    func playsAndTells(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = try folder.tone(1.3)
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let result = try await run("player", ["--json", file], on: server)
            #expect(result.exit.status == 0)
            #expect(result.errors.isEmpty, "\(result.errors)")
            #expect(result.order == ["active", "started", "finished", "inactive"])
            expectClock(result.events)
            let progress = result.events.filter { $0.string("event") == "progress" }
            #expect((1...3).contains(progress.count))
            #expect(progress.allSatisfy { abs(($0.number("duration") ?? 0) - 1.3) < 0.01 })
            #expect(result.events.first { $0.string("event") == "finished" }?.bool("successfully") == true)
            let heard = try await monitor.stop()
            let range = try #require(heard.soundRange())
            #expect(abs(Double(range.count) / Double(heard.sampleRate) - 1.3) < 0.05)
            #expect(abs((heard.frequency(range) ?? 0) - 1_000) < 2)
            #expect(abs(heard.peakLevel(range) + 12) < 0.5)
        }
    }

    @Test("a short sound is over soon, and nothing is drawn where stdout is no terminal", .judges(.time(seconds: 2)))
    func isQuick() async throws {
        let folder = try Folder()
        let file = try folder.tone(0.2)
        try await withServer(.pulseAudio) { server in
            let result = try await run("player", [file], on: server)
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(result.output.isEmpty)
            #expect(result.exit.wallTime < .seconds(2))
        }
    }

    @Test("plays several files one after the other, under one activation")
    func severalFiles() async throws {
        let folder = try Folder()
        let files = [
            try folder.tone(0.3, frequency: 500, name: "a.wav"), try folder.tone(0.3, frequency: 2_000, name: "b.wav"),
        ]
        try await withServer(.pulseAudio) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let result = try await run("player", ["--json"] + files, on: server)
            #expect(result.order == ["active", "started", "finished", "started", "finished", "inactive"])
            let names = result.events.filter { $0.string("event") == "started" }.compactMap { $0.string("file") }
            #expect(names == files)
            let heard = try await monitor.stop()
            let range = try #require(heard.soundRange())
            let first = range.lowerBound + 1_000..<range.lowerBound + 11_000
            let last = range.upperBound - 11_000..<range.upperBound - 1_000
            #expect(abs((heard.frequency(first) ?? 0) - 500) < 2)
            #expect(abs((heard.frequency(last) ?? 0) - 2_000) < 5)
        }
    }

    @Test("--loops, --start-at, --volume and --pan do what they say", .judges(.time(seconds: 0.05)))
    func options() async throws {
        let folder = try Folder()
        let file = try folder.tone(0.5)
        try await withServer(.pulseAudio) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let arguments = ["--loops", "1", "--start-at", "0.3", "--volume", "0.5", "--pan", "-1", file]
            #expect(try await run("player", arguments, on: server).exit.status == 0)
            let heard = try await monitor.stop()
            let range = try #require(heard.soundRange())
            #expect(abs(Double(range.count) / Double(heard.sampleRate) - 0.7) < 0.05)
            // −12 dB, halved, and 3 dB more at the edge: panning keeps the power.
            #expect(abs(heard.peakLevel(range) + 15) < 0.7)
            #expect(heard.peakLevel(range, channel: 1) < -60)
        }
    }

    @Test("SIGTERM and SIGINT end it in good order", arguments: [SIGTERM, SIGINT])
    func signals(number: Int32) async throws {
        let folder = try Folder()
        let file = try folder.tone(20)
        try await withServer(.pulseAudio) { server in
            let player = try ChildProcess("player", ["--json", file], on: server)
            try await player.event("progress")
            player.send(number)
            let result = try await finish(player, timeout: .seconds(5))
            #expect(result.exit.status == 0)
            #expect(result.order.last == "inactive")
        }
    }

    @Test("categories that cannot play fail with 1, forbidden combinations with 64")
    func categories() async throws {
        let folder = try Folder()
        let file = try folder.tone(0.1)
        try await withServer(.pulseAudio) { server in
            let wrong = try await run(
                "player", ["--category", "playback", "--option", "defaultToSpeaker", file], on: server)
            expectFailure(wrong, 64, of: "player")
            let silent = try await run("player", ["--category", "record", file], on: server)
            expectFailure(silent, 1, of: "player", saying: "category")
        }
    }

    /// Times never run backwards and are close to those of this process's own monotonic clock.
    private func expectClock(_ events: [JSONLine]) {
        let times = events.compactMap { $0.number("t") }
        #expect(times.count == events.count)
        #expect(times == times.sorted())
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        #expect(abs(Double(now.tv_sec) - (times.last ?? 0)) < 10)
    }
}

/// The sound server's own policy: a call silences music, and lets it go on when it ends.
@Suite("A call while player plays", .serialized, .limited) struct CallTests {
    private static let modules = ["module-role-cork"]

    @Test("interrupts it, and it resumes after the call")
    func interruptAndResume() async throws {
        let folder = try Folder()
        let file = try folder.tone(3)
        try await withServer(.pulseAudio, modules: Self.modules) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let player = try ChildProcess("player", ["--json", file], on: server)
            try await player.event("progress")
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await player.event("paused") { $0.string("reason") == "interruption" }
            try await monitor.waitForSilence(from: monitor.frames)
            try await call.stop()
            let result = try await finish(player)
            #expect(result.exit.status == 0, "\(result.errors)")
            // The call's sound ends with the interruption: its end is told to whoever is active again by then.
            #expect(
                result.order.filter { $0 != "secondaryAudioHint" } == [
                    "active", "started", "interruption", "paused", "interruption", "active", "resumed", "finished",
                    "inactive",
                ])
            let hints = result.events.filter { $0.string("event") == "secondaryAudioHint" }
            #expect(hints.allSatisfy { $0.string("type") == "end" } && hints.count < 2)
            let interruptions = result.events.filter { $0.string("event") == "interruption" }
            #expect(interruptions.map { $0.string("type") } == ["began", "ended"])
            #expect(interruptions.first?.string("reason") == "default")
            #expect(interruptions.last?.bool("shouldResume") == true)
            expectWhole(result, duration: 3)
        }
    }

    @Test("--no-resume stays paused")
    func noResume() async throws {
        let folder = try Folder()
        let file = try folder.tone(20)
        try await withServer(.pulseAudio, modules: Self.modules) { server in
            let player = try ChildProcess("player", ["--json", "--no-resume", file], on: server)
            try await player.event("progress")
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await player.event("paused")
            try await call.stop()
            try await player.event("interruption") { $0.string("type") == "ended" }
            // Asking it to leave shows what came until then.
            player.send(SIGTERM)
            let result = try await finish(player)
            #expect(result.order == ["active", "started", "interruption", "paused", "interruption", "inactive"])
        }
    }

    @Test("what the person had paused stays paused")
    func pausedByPerson() async throws {
        let folder = try Folder()
        let file = try folder.tone(60)
        try await withServer(.pulseAudio, modules: Self.modules) { server in
            let player = try TerminalProcess("player", [file], on: server)
            try await player.wait(for: "sound") { $0.line.hasPrefix("> 0:01") }
            player.type(" ")
            try await player.wait(for: "the pause") { $0.line.hasPrefix("=") }
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await call.stop()
            // A later key shows that the end of the call has been dealt with and changed nothing.
            player.type("\u{1B}[B")
            try await player.wait(for: "less volume") { $0.line.contains("vol 95%") }
            #expect(player.line.hasPrefix("="))
            player.type(" ")
            try await player.wait(for: "sound again") { $0.line.hasPrefix(">") }
            player.type("q")
            #expect(try await player.waitForExit() == 0)
        }
    }

    /// The pause took nothing from the sound: the time between start and end is its length, but for the pause.
    private func expectWhole(_ result: Run, duration: Double) {
        func time(_ event: String) -> Double { result.events.last { $0.string("event") == event }?.number("t") ?? 0 }
        let played = (time("finished") - time("started")) - (time("resumed") - time("paused"))
        #expect(abs(played - duration) < 0.5, "\(played) s were played")
    }
}
