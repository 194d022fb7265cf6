import DesktopBus
import Foundation
import TestSupport
import Testing

/// What remote controls ask of an app, and what they are answered.
@Suite(.limited)
struct RemoteCommandTests {
    private static let done = SessionBus.Answer.values([])
    private static func error(_ name: String) -> SessionBus.Answer { .error("org.freedesktop.DBus.Error." + name) }

    @Test("Each method calls its command's targets, on the main queue, and returns when they have")
    func methods() async throws {
        let methods = [
            ("Play", "play"), ("Pause", "pause"), ("PlayPause", "toggle"), ("Stop", "stop"), ("Next", "next"),
            ("Previous", "previous"),
        ]
        let app = try await RemoteApp.playing(
            #"{"title":"One"}"#, "play", "pause", "toggle", "stop", "next", "previous")
        for (method, command) in methods {
            #expect(await app.call(method) == Self.done)
            #expect(try await app.commands().last == command)
        }
        #expect(try await app.commands() == methods.map(\.1))
        #expect(app.peer.events("command").allSatisfy { $0.bool("main") == true && $0.number("timestamp") ?? 0 > 0 })
    }

    @Test("What has no targets, or is disabled, is not offered, and an error where it is asked for all the same")
    func offers() async throws {
        let app = try await RemoteApp.playing()
        let signals = await app.listen()
        let offers = [
            ("CanPlay", "Play", "play"), ("CanPause", "Pause", "pause"), ("CanGoNext", "Next", "next"),
            ("CanGoPrevious", "Previous", "previous"),
        ]
        for (property, method, command) in offers {
            // What would change nothing stays on offer, see `redundant`.
            try await app.peer.send("state \(command == "pause" ? 1 : 2)")
            try await app.wait(for: "PlaybackStatus", .text(command == "pause" ? "Playing" : "Paused"))
            #expect(await app.get(property) == .flag(false))
            #expect(await app.call(method) == Self.error("NotSupported"))
            try await app.peer.send("target \(command)")
            try await waitUntil { signals.changes(of: property) == [.flag(true)] }
            #expect(await app.call(method) == Self.done)
            try await app.peer.send("enable \(command) false")
            try await waitUntil { signals.changes(of: property) == [.flag(true), .flag(false)] }
            #expect(await app.call(method) == Self.error("NotSupported"))
            try await app.peer.send("enable \(command) true")
            try await app.wait(for: property, .flag(true))
            try await app.peer.send("untarget \(command)")
            try await app.wait(for: property, .flag(false))
        }
        #expect(try await app.commands() == offers.map(\.2))
        #expect(await app.get("CanControl") == .flag(true))
    }

    @Test("Play stays on offer while the app plays and pause while it does not, also where the app disables them")
    func redundant() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One"}"#, "play", "pause")
        try await app.peer.send("state 1")
        try await app.wait(for: "PlaybackStatus", .text("Playing"))
        try await app.peer.send("enable play false")
        try await app.peer.send("enable pause false")
        try await app.wait(for: "CanPause", .flag(false))
        #expect(await app.get("CanPlay") == .flag(true))
        #expect(await app.call("Play") == Self.done)
        try await app.peer.send("state 2")
        try await app.wait(for: "CanPause", .flag(true))
        #expect(await app.get("CanPlay") == .flag(false))
        #expect(await app.call("Pause") == Self.done)
        #expect(try await app.commands() == [], "nothing was to be done")
        try await app.peer.send("enable play true")
        try await app.wait(for: "CanPlay", .flag(true))
    }

    @Test(
        "A pause by the sound server's session manager is answered, and not carried out; calls keep their order",
        arguments: [("wireplumber", ["play", "next"]), ("remote-control", ["pause", "play", "pause", "next"])])
    func sessionManager(_ program: String, _ commands: [String]) async throws {
        let app = try await RemoteApp.playing(
            #"{"title":"One","playbackDuration":100}"#, "play", "pause", "next")
        // The session manager is known by the name of its process.
        let link = app.bus.folder.appendingPathComponent(program)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: ChildProcess.executable("mock-bus"))
        let control = try ChildProcess(
            link, ["call", "remote-peer", "Pause", "Play", "Pause", "Next"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": app.bus.address])
        try await control.wait()
        #expect(control.outputLines == ["answered", "answered", "answered", "answered"])
        #expect(try await app.commands() == commands)
    }

    @Test("A command that fails is an error; one target that succeeds is enough")
    func failures() async throws {
        let app = try await RemoteApp.playing()
        try await app.peer.send("target next 100")
        try await app.wait(for: "CanGoNext", .flag(true))
        #expect(await app.call("Next") == Self.error("Failed"))
        try await app.peer.send("target next 0")
        #expect(await app.call("Next") == Self.done)
        #expect(try await app.commands() == ["next", "next", "next"])
    }

    @Test("A toggle stands in for play and pause, and is pressed only where it does what was asked")
    func toggle() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One"}"#, "toggle")
        for (state, method, presses) in [
            (1, "Play", 0), (1, "Pause", 1), (2, "Pause", 1), (2, "Play", 2), (1, "Stop", 3), (2, "PlayPause", 4),
        ] {
            try await app.peer.send("state \(state)")
            #expect(await app.call(method) == Self.done)
            #expect(try await app.commands().count == presses, "\(method) in state \(state)")
        }
        // And the other way round.
        let other = try await RemoteApp.playing(#"{"title":"One"}"#, "play", "pause")
        try await other.peer.send("state 1")
        #expect(await other.call("PlayPause") == Self.done)
        try await other.peer.send("state 2")
        #expect(await other.call("PlayPause") == Self.done)
        #expect(try await other.commands() == ["pause", "play"])
    }

    @Test("Seek and SetPosition become positions within the track")
    func positions() async throws {
        let info =
            #"{"title":"One","playbackDuration":100,"MPNowPlayingInfoPropertyElapsedPlaybackTime":10,"#
            + #""MPNowPlayingInfoPropertyPlaybackRate":0}"#
        let app = try await RemoteApp.playing(info, "position")
        #expect(await app.get("CanSeek") == .flag(true))
        let track = BusArgument.path("/org/avaudiosession/track/1")
        // From where it was asked to be, though the app has said nothing since.
        for (offset, position) in [(5.0, "15.0"), (-10, "5.0"), (-50, "0.0"), (200, "100.0")] {
            #expect(await app.call("Seek", .long(Int64(offset * 1e6))) == Self.done)
            #expect(try await app.commands().last == "position \(position)")
        }
        #expect(await app.call("Seek", .long(.max)) == Self.done)
        #expect(await app.call("Seek", .long(.min)) == Self.done)
        #expect(try await app.commands().suffix(2) == ["position 100.0", "position 0.0"])
        #expect(await app.call("SetPosition", track, .long(20_500_000)) == Self.done)
        #expect(try await app.commands().last == "position 20.5")
        // MPRIS: another track's, or no place in this one, is ignored.
        let before = try await app.commands()
        for (path, position) in [("/org/avaudiosession/track/9", Int64(1)), ("/x", 1)] {
            #expect(await app.call("SetPosition", .path(path), .long(position)) == Self.done)
        }
        #expect(await app.call("SetPosition", track, .long(-1)) == Self.done)
        #expect(await app.call("SetPosition", track, .long(100_000_001)) == Self.done)
        #expect(try await app.commands() == before)
        // MPRIS: beyond the end is the next track.
        try await app.peer.send("target next")
        try await app.wait(for: "CanGoNext", .flag(true))
        #expect(await app.call("Seek", .long(200_000_000)) == Self.done)
        #expect(try await app.commands().last == "next")
    }

    @Test("Where there is no track there is no position in it")
    func noTrack() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One","playbackDuration":100}"#, "position")
        try await app.peer.send("info nil")
        try await app.wait(for: "PlaybackStatus", .text("Stopped"))
        _ = await app.call("SetPosition", .path("/org/mpris/MediaPlayer2/TrackList/NoTrack"), .long(1_000_000))
        #expect(try await app.commands().isEmpty)
    }

    @Test("Seeks that wait for a busy app add up")
    func waitingSeeks() async throws {
        let app = try await RemoteApp.playing(
            #"{"title":"One","playbackDuration":100,"MPNowPlayingInfoPropertyPlaybackRate":0}"#, "position")
        try await app.peer.send("block")
        await withDiscardingTaskGroup { group in
            for _ in 0..<3 { group.addTask { #expect(await app.call("Seek", .long(5_000_000)) == .silence) } }
        }
        try app.peer.process.write(line: "0 unblock")
        try await waitUntil { app.printedCommands == ["position 5.0", "position 10.0", "position 15.0"] }
    }

    @Test("A position is not gone to in another track, nor one that the app refused counted from")
    func positionsThatDoNotHold() async throws {
        var player = OfferedPlayer()
        player.abilities = [.position]
        player.track.number = 1
        #expect(PlayerRequest.position(5, track: 1).resolved(for: player, at: 0) == .position(5, track: 1))
        player.track.number = 2
        #expect(PlayerRequest.position(5, track: 1).resolved(for: player, at: 0) == nil)

        let app = try await RemoteApp.playing(#"{"title":"One","MPNowPlayingInfoPropertyPlaybackRate":0}"#)
        try await app.peer.send("target position 200")
        try await app.wait(for: "CanSeek", .flag(true))
        for _ in 0..<2 { #expect(await app.call("Seek", .long(5_000_000)) == Self.error("Failed")) }
        #expect(try await app.commands() == ["position 5.0", "position 5.0"])
        #expect(await app.get("Position")?.integer == 0)
    }

    @Test("Where no position can be gone to, Seek skips")
    func skips() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One"}"#, "skipForward", "skipBackward")
        #expect(await app.get("CanSeek") == .flag(true))
        #expect(await app.call("Seek", .long(30_000_000)) == Self.done)
        #expect(await app.call("Seek", .long(-15_000_000)) == Self.done)
        #expect(try await app.commands() == ["skipForward 30.0", "skipBackward 15.0"])
        let track = BusArgument.path("/org/avaudiosession/track/1")
        #expect(await app.call("SetPosition", track, .long(1)) == Self.error("NotSupported"))
    }

    @Test("Rate, volume, loop and shuffle can be set where the app takes them, and are told when it changes them")
    func settings() async throws {
        let app = try await RemoteApp.playing()
        let signals = await app.listen()
        #expect(Set(await app.all().keys).isDisjoint(with: ["LoopStatus", "Shuffle"]))
        typealias Setting = (
            name: String, value: BusArgument, command: String, event: String, told: String, now: BusValue
        )
        let settings: [Setting] = [
            ("Rate", .real(1.6), "rate", "rate 1.5", "", .real(1)),
            ("Volume", .real(0.25), "volume", "volume 0.25", "volume 0.5", .real(0.5)),
            ("LoopStatus", .text("Track"), "repeat", "repeat 1.0", "repeat 2", .text("Playlist")),
            ("Shuffle", .flag(true), "shuffle", "shuffle 1.0", "shuffle 2", .flag(true)),
        ]
        for setting in settings {
            #expect(await app.set(setting.name, setting.value) == Self.error("NotSupported"))
            try await app.peer.send("target \(setting.command)")
            if setting.name == "Rate" { try await app.peer.send("rates 0.75 1 1.5") }
            try await waitUntil(setting.name) { await app.set(setting.name, setting.value) == Self.done }
            #expect(try await app.commands().last == setting.event)
            guard !setting.told.isEmpty else { continue }
            try await app.peer.send(setting.told)
            try await waitUntil { signals.changes(of: setting.name).last == setting.now }
        }
        #expect(await app.get("MinimumRate") == .real(0.75))
        #expect(await app.get("MaximumRate") == .real(1.5))
        #expect(await app.set("Rate", .real(9)) == Self.done)
        #expect(try await app.commands().last == "rate 1.5")
        #expect(await app.set("Volume", .real(-1)) == Self.done)
        #expect(await app.set("Volume", .number(7)) == Self.done)
        #expect(try await app.commands().suffix(2) == ["volume 0.0", "volume 1.0"])
        // MPRIS: a rate of 0 is a pause.
        #expect(await app.set("Rate", .real(0)) == Self.error("NotSupported"))
        try await app.peer.send("target pause")
        try await app.wait(for: "CanPause", .flag(true))
        #expect(await app.set("Rate", .real(0)) == Self.done)
        #expect(try await app.commands().last == "pause")
        try await app.peer.send("untarget repeat")
        try await waitUntil { signals.invalidated == ["LoopStatus"] }
    }

    /// Calls that make no sense: to which interface, the method, what it is given, and the error that fits.
    private static let nonsense: [(interface: String, method: String, arguments: [BusArgument], error: String)] = {
        let (player, root, properties) = (RemoteApp.player, RemoteApp.root, RemoteApp.properties)
        let methods: [(String, String, [BusArgument], String)] = [
            (player, "Play", [.text("now")], "InvalidArgs"), (player, "Seek", [], "InvalidArgs"),
            (player, "Seek", [.real(1)], "InvalidArgs"), (player, "SetPosition", [.long(1)], "InvalidArgs"),
            (player, "SetPosition", [.text("/x"), .long(1)], "InvalidArgs"), (player, "OpenUri", [], "InvalidArgs"),
            (player, "OpenUri", [.text("file:///x")], "NotSupported"), (player, "Dance", [], "UnknownMethod"),
            ("org.example.X", "Play", [], "UnknownInterface"), (root, "Dance", [], "UnknownMethod"),
            (root, "Quit", [], "NotSupported"), (root, "Raise", [], "NotSupported"),
            (properties, "Get", [.text(player)], "InvalidArgs"), (properties, "Change", [], "UnknownMethod"),
            (properties, "Get", [.text(player), .text("X")], "UnknownProperty"),
            (properties, "Get", [.text("org.example.X"), .text("X")], "UnknownInterface"),
            (properties, "GetAll", [.text("org.example.X")], "UnknownInterface"),
        ]
        let values: [(String, String, BusArgument, String)] = [
            (player, "Position", .long(1), "PropertyReadOnly"), (player, "CanPlay", .flag(true), "PropertyReadOnly"),
            (player, "X", .flag(true), "UnknownProperty"), (player, "Rate", .text("fast"), "InvalidArgs"),
            (player, "Rate", .real(.nan), "InvalidArgs"), (player, "Rate", .real(-1), "InvalidArgs"),
            (player, "Volume", .real(.infinity), "InvalidArgs"), (player, "Volume", .table([:]), "InvalidArgs"),
            (player, "LoopStatus", .text("Sometimes"), "InvalidArgs"), (player, "Shuffle", .number(1), "InvalidArgs"),
            (root, "Identity", .text("Other"), "PropertyReadOnly"), (root, "X", .text("Other"), "UnknownProperty"),
        ]
        return methods
            + values.map { (properties, "Set", [.text($0.0), .text($0.1), .variant($0.2)], $0.3) }
    }()

    @Test("Calls that make no sense are answered with the error that fits")
    func malformedCalls() async throws {
        let app = try await RemoteApp.playing(
            #"{"title":"One"}"#, "play", "position", "rate", "volume", "repeat", "shuffle")
        for call in Self.nonsense {
            let answer = await app.client.call(
                app.name, path: RemoteApp.path, interface: call.interface, method: call.method, call.arguments)
            #expect(answer == Self.error(call.error), "\(call)")
        }
        #expect(try await app.commands().isEmpty)
        // It lives, and says who it is.
        #expect(await app.call("Play") == Self.done)
        let root = await app.all(of: RemoteApp.root)
        #expect(root["Identity"] == .text("remote-peer") && root["HasTrackList"] == .flag(false))
        let description = await app.call("Introspect", interface: "org.freedesktop.DBus.Introspectable")
        guard case .values(let words) = description else { throw SupportError("no description") }
        #expect(words.first?.text?.contains("org.mpris.MediaPlayer2.Player") == true)
        #expect(await app.call("Ping", interface: "org.freedesktop.DBus.Peer") == Self.done)
    }

    @Test("Thousands of calls cost little, are all answered, and what waits for an app that hangs is bounded")
    func floods() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One"}"#, "next")
        try await app.peer.send("block")
        async let waiting = withTaskGroup(of: SessionBus.Answer.self) { group in
            for _ in 0..<200 { group.addTask { await app.call("Next") } }
            return await group.reduce(into: [SessionBus.Answer]()) { $0.append($1) }
        }
        // Others may read meanwhile.
        #expect(await app.get("CanGoNext") == .flag(true))
        let answers = await waiting
        #expect(answers.count { $0 == Self.error("LimitsExceeded") } == 200 - 64)
        #expect(answers.count { $0 == .silence } == 64, "they wait for as long as they like")
        try app.peer.process.write(line: "0 unblock")
        try await waitUntil { app.printedCommands.count == 64 }
        #expect(await app.call("Next") == Self.done)

        // Changes come faster than anybody can look at them: what is told is bounded, and the last one is told.
        let signals = await app.listen()
        let started = ContinuousClock.now
        for number in 1...500 { try app.peer.process.write(line: "9\(number) volume \(Double(number) / 1024)") }
        try await waitUntil("the last", timeout: .seconds(60)) {
            signals.changes(of: "Volume").last == .real(500.0 / 1024)
        }
        let (told, seconds) = (signals.changes(of: "Volume").count, (ContinuousClock.now - started) / .seconds(1))
        #expect(Double(told) <= seconds * 20 + 2, "\(told) signals in \(seconds) s for 500 changes")
    }
}
