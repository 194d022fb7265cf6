import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Apps among other apps of the corpus, and among what users do to devices.
@Suite("The corpus: apps in company", .limited)
struct CompanyTests {
    @Test("A call interrupts players of all styles, which go on after it", arguments: Edition.all)
    func call(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let players = [("MusicPlayer", "playing", "quit"), ("AsyncPlayer", "play true", "stop")]
            for (name, first, last) in players {
                let music = try await theatre.start(name).says(first)
                try await theatre.monitor.wait(for: 440, at: -12)
                let call = try await theatre.start("VoiceCall").says("connected")
                if name == "MusicPlayer" { try await music.says("interrupted, playing false") }
                try await theatre.monitor.wait(for: 440, at: nil)
                try await theatre.monitor.wait(for: 1000, at: -12)
                try await call.tap("hang up")
                #expect(try await call.end() == ["connected", "hang up?", "ended"])
                try await theatre.monitor.wait(for: 440, at: -12)
                try await music.tap(last)
                let lines = try await music.end()
                if name == "MusicPlayer" {
                    #expect(lines == ["playing", "quit?", "interrupted, playing false", "playing"])
                } else {
                    #expect(lines == ["play true", "play true, began, play true", "stop?"])
                }
            }
            let said = try Recording(contentsOf: theatre.folder.appendingPathComponent("call.wav"))
            #expect(said.duration > 0.2 && said.sampleRate == 16_000)
        }
    }

    @Test("A prompt lowers music and gives it back; no more after a prompt that cannot play", arguments: Edition.all)
    func prompt(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let music = try await theatre.start("MusicPlayer").says("playing")
            try await theatre.monitor.wait(for: 440, at: -12)
            let prompt = try await theatre.start("TurnByTurn").says("announcing")
            try await theatre.monitor.wait(for: 440, at: -32)
            #expect(try await prompt.end() == ["announcing", "announced", "again 2"])
            #expect(try await prompt.heard().seconds(of: 1000) > 0.9)
            try await theatre.monitor.wait(for: 440, at: -12)
            try await music.tap("quit")
            #expect(try await music.end() == ["playing", "quit?"], "it was lowered, and not interrupted")
        }
    }

    @Test("A prompt pauses a book that is read, which goes on after it", arguments: Edition.all)
    func book(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let book = try theatre.start("AudioBook")
            try await theatre.monitor.wait(for: 440, at: -12)
            let prompt = try await theatre.start("TurnByTurn").says("announcing")
            try await book.says("paused, rate 0.0")
            try await theatre.monitor.wait(for: 440, at: nil)
            _ = try await prompt.end()
            try await book.says("going on true")
            try await theatre.monitor.wait(for: 440, at: -12)
            try await book.tap("quit")
            let lines = try await book.end()
            #expect(lines == ["quit?", "paused, rate 0.0", "going on true"])
        }
    }

    @Test("A game's own music makes room for somebody else's", arguments: Edition.all)
    func game(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let game = try await theatre.start("CasualGame").says("music true")
            try await theatre.monitor.wait(for: 660, at: -12)
            let music = try await theatre.start("MusicPlayer").says("playing")
            try await game.says("music false")
            try await theatre.monitor.wait(for: 660, at: nil)
            try await theatre.monitor.wait(for: 440, at: -12)
            try await music.tap("quit")
            _ = try await music.end()
            try await theatre.monitor.wait(for: 660, at: -12)
            try await game.tap("quit")
            #expect(try await game.end() == ["music true", "music false", "music true", "quit?"])
            #expect(try await game.heard().seconds(of: 1760) > 0.15, "its effects are heard all the same")

            let model = try await theatre.start("ObservablePlayer").says("nothing false").says("second true")
            try await model.says("second false")
            try await model.tap("close")
            #expect(
                try await model.end().filter { $0 != "close?" } == ["nothing false", "second true", "second false"])

            let decks = try await theatre.start("Crossfader").says("first")
            try await theatre.monitor.wait(for: 440, at: -12)
            try await decks.tap("fade")
            try await theatre.monitor.wait(for: 660, at: -12)
            try await theatre.monitor.wait(for: 440, at: nil)
            try await decks.tap("stop")
            #expect(try await decks.end().last == "volumes [0.0, 1.0]")
        }
    }

    @Test("Volume, signals and remote controls reach the app", arguments: Edition.all)
    func controls(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let server = theatre.server
            let volume = try await theatre.start("VolumeObserver").says("volumes 1")
            try await theatre.pactl.setVolume(0.3, sink: "test_out")
            try await volume.says("louder?")
            try await theatre.pactl.setVolume(0.7, sink: "test_out")
            try await volume.tap("louder")
            #expect(try await volume.end() == ["volumes 1", "louder?", "heard 70"])
            try await theatre.pactl.setVolume(1, sink: "test_out")

            let app = try await theatre.start("AppLifecycle").says("playing true")
            try await theatre.monitor.wait(for: 440, at: -12)
            app.process.send(SIGTERM)
            #expect(try await app.end() == ["playing true", "over"])
            try await theatre.monitor.wait(for: 440, at: nil)

            let address = "unix:path=\(server.directory.path)/session-bus"
            let bus = try await SessionBusDaemon.start(at: address, in: server.directory) { _ in server.toolEnvironment
            }
            let player = try await theatre.start("NowPlaying", environment: ["DBUS_SESSION_BUS_ADDRESS": address])
                .says("shown")
            let remote = SessionBus(address: address)
            try await waitUntil("a pause by remote control", timeout: hangLimit) {
                let answer = await remote.call(
                    "org.mpris.MediaPlayer2.\(edition.program)", path: "/org/mpris/MediaPlayer2",
                    interface: "org.mpris.MediaPlayer2.Player", method: "Pause")
                if case .values = answer { return true }
                return false
            }
            try await player.tap("quit")
            #expect(try await player.end() == ["shown", "paused Sine", "quit?"])
            withExtendedLifetime(bus) {}
        }
    }

    @Test("A pulled device pauses the music, and a server's restart makes it anew", arguments: Edition.all)
    func devices(edition: Edition) async throws {
        try await withTheatre(edition) { theatre in
            let headphones = try await theatre.pactl.loadModule("module-null-sink", ["sink_name=headphones"])
            try await theatre.pactl.setDefault(sink: "headphones")
            let watcher = try await theatre.start("RouteWatcher").says("playing")
            try await waitUntil("sound on the headphones", timeout: hangLimit) {
                try await theatre.pactl.sink("headphones")?.state == "RUNNING"
            }
            try await theatre.pactl.unloadModule(headphones)
            #expect(try await watcher.end() == ["playing", "lost headphones, on test_out, playing false"])

            let player = try await theatre.start("ServicesReset").says("playing")
            try await offPool { try theatre.server.restart() }
            try await waitForDevices(of: theatre.server)
            try await player.tap("play")
            let lines = try await player.end()
            let events = ["play true", "lost", "reset from AVAudioSessionCategorySoloAmbient", "play true"]
            #expect(lines.last == events.joined(separator: ", "))
        }
    }
}
