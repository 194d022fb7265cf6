import AudioFiles
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("simple-play and simple-record", .serialized, .limited) struct SimpleProgramsTests {
    @Test("simple-play is heard whole", .judges(.time(seconds: 0.03)), arguments: HeadlessServer.Kind.allCases)
    func plays(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = try folder.tone(0.8)
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let result = try await run("simple-play", ["--json", file], on: server)
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(result.order == ["active", "started", "finished", "inactive"])
            let heard = try await monitor.stop()
            let range = try #require(heard.soundRange())
            #expect(abs(Double(range.count) / Double(heard.sampleRate) - 0.8) < 0.03)
            #expect(abs((heard.frequency(range) ?? 0) - 1_000) < 2)
        }
    }

    @Test("files whose names are not UTF-8, in folders of such names, are recorded and played")
    func anyName() async throws {
        // In Latin-1, as old disks have them; named from the current folder, and from the root.
        let script = """
            cd "$1"; mkdir "$(printf 'M\\374sik')"; cd M*; name=$(printf 'caf\\351.wav')
            "$0/recorder" --duration 0.2 "$name" || exit
            "$0/player" --json "$PWD/$name" && "$0/player" "$name" && "$0/simple-play" "$name" || exit
            "$0/simple-record" --duration 0.1 "$PWD/$name" && rm "$name" && rmdir "$PWD" || exit
            "$0/player" "$name"
            """
        let programs = try ChildProcess.executable("player").deletingLastPathComponent().path
        try await withServer(.pulseAudio) { server in
            let folder = try Folder()
            let shell = try ChildProcess(tool: "sh", ["-c", script, programs, folder.url.path], on: server)
            let result = try await finish(shell)
            expectFailure(result, 66, of: "player", saying: "cannot read caf\u{FFFD}.wav: No such file or directory")
            #expect(result.order == ["active", "started", "finished", "inactive"])
        }
    }

    @Test("simple-record records what is heard", arguments: HeadlessServer.Kind.allCases)
    func records(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let (file, out) = (try folder.tone(20), folder.path("out.wav"))
        try await withServer(kind) { server in
            let player = try ChildProcess("player", ["--json", "--option", "mixWithOthers", file], on: server)
            try await player.event("progress")
            let result = try await run(
                "simple-record", ["--option", "mixWithOthers", "--duration", "0.7", out], on: server)
            #expect(result.exit.status == 0, "\(result.errors)")
            let recording = try contents(ofFile: out)
            #expect(recording.frames == 30_870)
            let range = try #require(recording.soundRange())
            #expect(abs((recording.frequency(range) ?? 0) - 1_000) < 2)
        }
    }

    @Test("a call ends the blocking write; after it the file goes on where it was")
    func interruption() async throws {
        let folder = try Folder()
        let counter = try folder.write(TestSignal.counter(seconds: 2).wavData, "counter.wav")
        try await withServer(.pulseAudio, modules: ["module-role-cork"]) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let program = try ChildProcess("simple-play", ["--json", counter], on: server)
            try await monitor.waitForSound()
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await program.event("paused")
            try await monitor.waitForSilence(from: monitor.frames)
            try await call.stop()
            let result = try await finish(program)
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(
                result.order == [
                    "active", "started", "interruption", "paused", "interruption", "active", "resumed", "finished",
                    "inactive",
                ])
            // The null sink passes 16 bits through unchanged, so the numbers show what was skipped: only what the
            // server muted by itself before its request arrived.
            let positions = try await monitor.stop().counterPositions().filter { $0 > 0 }
            let skipped = zip(positions, positions.dropFirst()).reduce(0) { $0 + max(0, $1.1 - $1.0 - 1) }
            #expect(skipped < 4_410, "\(skipped) frames were never heard")
            #expect(positions.max() == 2 * 44_100 - 1)
        }
    }

    @Test(
        "continued while another session has the floor, they take it from nobody",
        arguments: ["simple-play", "simple-record"])
    func continued(program: String) async throws {
        let folder = try Folder()
        let file = program == "simple-play" ? try folder.tone(60) : folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let first = try ChildProcess(program, ["--json", file], on: server)
            try await first.event("started")
            let film = try ChildProcess("player", ["--json", try folder.tone(60, name: "film.wav")], on: server)
            try await first.event("paused")
            try await film.event("progress")
            first.send(SIGCONT)
            try await waitUntil("the signal's arrival") {
                try String(contentsOfFile: "/proc/\(first.processID)/status", encoding: .utf8)
                    .contains("ShdPnd:\t0000000000000000")
            }
            first.send(SIGTERM)
            let result = try await finish(first)
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(!result.order.contains("resumed"), "\(result.order)")
            film.send(SIGTERM)
            #expect(!(try await finish(film)).order.contains("interruption"))
        }
    }

    @Test("a stream that somebody kills is 1: the server is well", arguments: ["simple-play", "simple-record"])
    func killed(program: String) async throws {
        let folder = try Folder()
        let file = program == "simple-play" ? try folder.tone(60) : folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let process = try ChildProcess(program, ["--json", file], on: server)
            try await process.event("started")
            // `pactl` cannot.
            let mixer = try PulseConnection(name: "mixer")
            try await mixer.connect(to: server.address, timeout: .seconds(2))
            let isPlayer = program == "simple-play"
            var stream: UInt32?
            try await waitUntil("the stream") {
                let pactl = Pactl(server)
                let streams = isPlayer ? try await pactl.sinkInputs() : try await pactl.sourceOutputs()
                stream = streams.first { $0.processID == process.processID }.map { UInt32($0.index) }
                return stream != nil
            }
            let index = try #require(stream)
            isPlayer ? try await mixer.killSinkInput(at: index) : try await mixer.killSourceOutput(at: index)
            await mixer.close()
            expectFailure(try await finish(process), 1, of: program, saying: "ended")
        }
    }

    @Test("more channels than a server carries are 1, with the file and its channels")
    func manyChannels() async throws {
        let folder = try Folder()
        let file = try folder.write(TestSignal.sine(seconds: 0.1, channels: 40).wavData, "many.wav")
        try await withServer(.pulseAudio) { server in
            expectFailure(
                try await run("simple-play", [file], on: server), 1, of: "simple-play", saying: "40 channels")
        }
    }

    @Test("SIGINT closes simple-record's file")
    func interruptedRecording() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let recorder = try ChildProcess("simple-record", ["--json", out], on: server)
            try await recorder.event("started")
            try await waitUntil("some sound in the file") { (try? seconds(ofFile: out)) ?? 0 > 0.2 }
            recorder.send(SIGINT)
            #expect(try await finish(recorder, timeout: .seconds(5)).exit.status == 0)
            #expect(try seconds(ofFile: out) > 0.2)
        }
        expectFailure(
            try await run("simple-record", [folder.path("missing/out.wav")]), 73, of: "simple-record",
            saying: "missing")
    }

    @Test(
        "a FLAC file that was cut off: what is there is played, then 1 and one line",
        arguments: ["player", "simple-play"])
    func truncated(program: String) async throws {
        let folder = try Folder()
        let sound = TestSignal.sine(seconds: 1)
        let path = folder.path("cut.flac")
        let writer = try AudioFileWriter(
            path: path, container: .flac, encoding: .pcm16, sampleRate: 44_100, channels: 2)
        try writer.write(int16: sound.samples, frames: sound.frames)
        try writer.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
        try await withServer(.pulseAudio) { server in
            let monitor = try await MonitorRecording.start(on: server)
            expectFailure(try await run(program, [path], on: server), 1, of: program, saying: path)
            let heard = try await monitor.stop()
            #expect((heard.soundRange()?.count ?? 0) > 10_000)
        }
    }
}
