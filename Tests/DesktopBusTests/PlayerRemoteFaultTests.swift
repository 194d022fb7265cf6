import AudioFiles
import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The program `player`, with somebody at a remote control, when files are bad and servers go.
@Suite("player and remote controls, when something goes wrong", .limited)
struct PlayerRemoteFaultTests {
    /// `player` on a bus of its own.
    private struct Stage {
        let app: RemoteApp
        let process: ChildProcess
        let server: HeadlessServer

        func press(_ method: String) async { #expect(await app.call(method) == .values([])) }

        func go(to seconds: Double) async {
            let track = await app.metadata()["mpris:trackid"]?.text ?? ""
            #expect(await app.call("SetPosition", .path(track), .long(Int64(seconds * 1e6))) == .values([]))
        }

        func position() async -> Double { Double(await app.get("Position")?.integer ?? -1) / 1e6 }

        func title() async -> String? { await app.metadata()["xesam:title"]?.text }

        /// Waits for the end of the file, and for what comes after it.
        func waitForRepetition() async throws {
            try await waitUntil("the beginning again", timeout: hangLimit) { await position() < 50 }
        }
    }

    private static func withPlayer(
        _ arguments: [String] = [], _ files: (URL) throws -> [String],
        environment: (URL) throws -> [String: String] = { _ in [:] },
        _ body: (Stage) async throws -> Void
    ) async throws {
        try await withServer(.pulseAudio) { server in
            let bus = try await PrivateBus.start()
            let variables = ["DBUS_SESSION_BUS_ADDRESS": bus.address].merging(try environment(bus.folder)) { $1 }
            let process = try ChildProcess(
                "player", ["--json"] + arguments + files(bus.folder), on: server, environment: variables)
            try await process.event("started", timeout: hangLimit)
            let app = RemoteApp(
                bus: bus, peer: Peer(process, "player"), client: bus.client, name: "org.mpris.MediaPlayer2.player")
            try await app.waitForName()
            try await body(Stage(app: app, process: process, server: server))
            process.send(SIGTERM)
            try await process.wait()
        }
    }

    /// Writes minutes of sines, by their frequencies.
    private static func tones(_ frequencies: Int...) -> (URL) throws -> [String] {
        { folder in
            try frequencies.map { frequency in
                try TestSignal.sine(frequency: Double(frequency), level: -20, seconds: 60)
                    .writeWAV(to: folder.appendingPathComponent("\(frequency) Hz.wav")).path
            }
        }
    }

    @Test("what is repeated is repeated in the next file too, and after the server was lost")
    func repeating() async throws {
        try await Self.withPlayer([], Self.tones(500, 1000, 2000)) { stage in
            #expect(await stage.app.set("LoopStatus", .text("Track")) == .values([]))
            try await stage.app.wait(for: "LoopStatus", .text("Track"))
            await stage.press("Next")
            try await waitUntil("the next file", timeout: hangLimit) { await stage.title() == "1000 Hz" }
            #expect(await stage.app.get("LoopStatus") == .text("Track"))
            await stage.go(to: 59.5)
            try await stage.waitForRepetition()
            #expect(await stage.title() == "1000 Hz")
            let before = stage.process.outputLines.count
            try await offPool { try stage.server.restart() }
            try await stage.process.event("started", from: before, timeout: hangLimit)
            #expect(await stage.app.get("LoopStatus") == .text("Track"))
            await stage.go(to: 59.5)
            try await stage.waitForRepetition()
            #expect(await stage.title() == "1000 Hz")
        }
    }

    @Test("a server that restarts leaves a paused player where it was last taken to", arguments: ["seek", "next"])
    func position(after: String) async throws {
        try await Self.withPlayer([], Self.tones(500, 1000)) { stage in
            await stage.go(to: 30)
            try await stage.process.event("progress", timeout: hangLimit) { $0.number("position") ?? 0 >= 30 }
            await stage.press("Pause")
            try await stage.app.wait(for: "PlaybackStatus", .text("Paused"))
            if after == "next" {
                await stage.press("Next")
                await stage.press("Pause")
                try await waitUntil("the next file", timeout: hangLimit) { await stage.title() == "1000 Hz" }
                try await stage.app.wait(for: "PlaybackStatus", .text("Paused"))
            } else {
                await stage.go(to: 10)
            }
            let before = stage.process.outputLines.count
            try await offPool { try stage.server.restart() }
            try await stage.process.event("mediaServicesWereReset", from: before, timeout: hangLimit)
            await stage.press("Play")
            let next = try await stage.process.event("progress", from: before, timeout: hangLimit)
            #expect((after == "next" ? 0..<9 : 10..<19).contains(next.number("position") ?? -1), "\(next)")
        }
    }

    @Test("a next file that cannot begin ends it as when its turn comes, with what is wrong")
    func nextCannotBegin() async throws {
        let files: (URL) throws -> [String] = { folder in
            let first = try Self.tones(500)(folder)
            // Its rate has to be converted, and the library for that is hidden below.
            let second = try TestSignal.sine(seconds: 1, sampleRate: 22_050)
                .writeWAV(to: folder.appendingPathComponent("other.wav"))
            return first + [second.path]
        }
        let hidden: (URL) throws -> [String: String] = { folder in
            try Data("no library".utf8).write(to: folder.appendingPathComponent("libsoxr.so.0"))
            return ["LD_LIBRARY_PATH": folder.path]
        }
        try await Self.withPlayer([], files, environment: hidden) { stage in
            _ = await stage.app.call("Next")
            let exit = try await stage.process.wait()
            #expect(exit.status == 1)
            #expect(stage.process.errorText.contains("other.wav"))
            #expect(stage.process.errorText.split(separator: "\n").count == 1)
        }
    }

    @Test("what is no sound is passed over in both directions, and ends nothing where no sound is behind it")
    func passesOver() async throws {
        let files: (URL) throws -> [String] = { folder in
            let covers = try (1...3).map { number in
                let cover = folder.appendingPathComponent("cover \(number).jpg")
                try Data("no sound".utf8).write(to: cover)
                return cover.path
            }
            let songs = try Self.tones(500, 1000)(folder)
            return [covers[0], songs[0], covers[1], songs[1], covers[2]]
        }
        try await Self.withPlayer([], files) { stage in
            #expect(await stage.title() == "500 Hz")
            for (key, title) in [("Next", "1000 Hz"), ("Previous", "500 Hz")] {
                await stage.press(key)
                try await waitUntil("the other song", timeout: hangLimit) { await stage.title() == title }
            }
            for (key, title) in [("Previous", "500 Hz"), ("Next", "1000 Hz"), ("Next", "1000 Hz")] {
                let before = stage.process.outputLines.count
                _ = await stage.app.call(key)
                try await stage.process.event("started", from: before, timeout: hangLimit)
                try await waitUntil("the song", timeout: hangLimit) { await stage.title() == title }
            }
            #expect(await stage.app.get("PlaybackStatus") == .text("Playing"))
        }
    }

    @Test("a next file during a call that forbids it stands, as is shown, and plays after the call")
    func nextIsRefused() async throws {
        try await Self.withPlayer(["--category", "playAndRecord"], Self.tones(500, 1000)) { stage in
            let call = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: stage.server)
            try await stage.process.event("paused", timeout: hangLimit)
            _ = await stage.app.call("Next")
            try await waitUntil("the next file", timeout: hangLimit) { await stage.title() == "1000 Hz" }
            #expect(await stage.app.get("PlaybackStatus") == .text("Paused"))
            call.send(SIGINT)
            try await call.wait()
            try await stage.process.event("resumed", timeout: hangLimit)
            try await stage.app.wait(for: "PlaybackStatus", .text("Playing"))
        }
    }

    @Test("what was wrong with a file that was skipped is not said of the next one")
    func damageIsForgotten() async throws {
        let files: (URL) throws -> [String] = { folder in
            let (path, whole) = (folder.appendingPathComponent("cut.flac").path, TestSignal.sine(seconds: 6))
            let writer = try AudioFileWriter(
                path: path, container: .flac, encoding: .pcm16, sampleRate: 44_100, channels: 2)
            try writer.write(int16: whole.samples, frames: whole.frames)
            try writer.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            // All that is left of it is decoded ahead.
            try bytes.prefix(bytes.count * 2 / 5).write(to: URL(fileURLWithPath: path))
            let good = try TestSignal.sine(seconds: 0.3).writeWAV(to: folder.appendingPathComponent("good.wav"))
            return [path, good.path]
        }
        try await Self.withPlayer([], files) { stage in
            await stage.press("Next")
            let exit = try await stage.process.wait()
            #expect(exit.status == 0, "\(stage.process.errorText)")
            #expect(stage.process.errorText.isEmpty)
        }
    }
}
