import Foundation
import TestSupport
import Testing

@testable import DesktopBus

/// What an app says of what it plays, as others on the bus see it.
@Suite(.limited)
struct NowPlayingTests {
    @Test("An app is on the bus only once it has said something, and stays there")
    func appearance() async throws {
        let app = try await RemoteApp.start(on: PrivateBus.start())
        try await app.peer.send("target play")
        try await app.peer.send("enable next false")
        #expect(await app.names().isEmpty)
        #expect(!(try threads(of: app.peer.processID)).contains("desktop-bus"))
        try await app.peer.send(#"info {"title":"One"}"#)
        try await app.waitForName()
        #expect(try threads(of: app.peer.processID).contains("desktop-bus"))
        try await app.peer.send("info nil")
        try await app.wait(for: "PlaybackStatus", .text("Stopped"))
        #expect(await app.metadata() == ["mpris:trackid": .text("/org/mpris/MediaPlayer2/TrackList/NoTrack")])
        try await app.peer.exit()
        try await waitUntil { await app.names().isEmpty }
    }

    @Test("Without a session bus everything works, nothing is printed and nothing is started")
    func noBus() async throws {
        for address in ["", "unix:path=/nonexistent/bus"] {
            let process = try ChildProcess(
                "remote-peer", environment: ["DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": "/nonexistent"],
                input: true)
            try await process.event("ready", timeout: hangLimit)
            let peer = Peer(process, "alone")
            for command in ["target play", #"info {"title":"One"}"#, "state 1", "volume 0.5", "info nil"] {
                try await peer.send(command)
            }
            if address.isEmpty { #expect(!(try threads(of: process.processID)).contains("desktop-bus")) }
            try await peer.exit()
            #expect(process.errorText == "")
            #expect(process.exit?.status == 0)
        }
    }

    @Test("nowPlayingInfo becomes MPRIS metadata, in its types and units")
    func metadata() async throws {
        let app = try await RemoteApp.playing(
            #"""
            {"title":"One","artist":"Two","albumTitle":"Three","albumArtist":"Four","genre":"Five","composer":"Six",
            "playbackDuration":100.5,"albumTrackNumber":7,"discNumber":2,"lyrics":"Seven","rating":5,
            "MPNowPlayingInfoPropertyAssetURL":"https://me:secret@example.org/song.mp3?token=secret#here"}
            """#.replacingOccurrences(of: "\n", with: ""))
        let metadata = await app.metadata()
        #expect(
            metadata == [
                "mpris:trackid": .text("/org/avaudiosession/track/1"), "mpris:length": .integer(100_500_000),
                "xesam:title": .text("One"), "xesam:artist": .texts(["Two"]), "xesam:album": .text("Three"),
                "xesam:albumArtist": .texts(["Four"]), "xesam:genre": .texts(["Five"]),
                "xesam:composer": .texts(["Six"]), "xesam:trackNumber": .integer(7), "xesam:discNumber": .integer(2),
                "xesam:url": .text("https://example.org/song.mp3"), "xesam:asText": .text("Seven"),
                "xesam:userRating": .real(1),
            ])
    }

    @Test("What MPRIS has no words for is told in a namespace of ours")
    func details() async throws {
        let app = try await RemoteApp.playing(
            #"{"title":"One","playbackDuration":200,"MPNowPlayingInfoPropertyPlaybackProgress":0.25,"#
                + #""MPNowPlayingInfoPropertyPlaybackRate":0,"MPNowPlayingInfoPropertyMediaType":1,"#
                + #""MPNowPlayingInfoPropertyChapterNumber":2,"MPNowPlayingInfoPropertyChapterCount":5,"#
                + #""MPNowPlayingInfoPropertyServiceIdentifier":"radio","albumTrackCount":12,"mediaType":2}"#)
        try await app.peer.send("target like")
        try await app.peer.send("target rating")
        try await waitUntil { await app.metadata()["avaudiosession:maximumRating"] != nil }
        let metadata = await app.metadata()
        let details = metadata.filter { $0.key.hasPrefix("avaudiosession:") }
        #expect(
            details == [
                "avaudiosession:mediaType": .text("audio"), "avaudiosession:chapterNumber": .integer(2),
                "avaudiosession:chapterCount": .integer(5), "avaudiosession:service": .text("radio"),
                "avaudiosession:albumTrackCount": .integer(12), "avaudiosession:like": .flag(false),
                "avaudiosession:likeTitle": .text(""), "avaudiosession:likeShortTitle": .text(""),
                "avaudiosession:minimumRating": .real(0), "avaudiosession:maximumRating": .real(5),
                "avaudiosession:itemTypes": .texts(["podcast"]),
            ])
        #expect(await app.get("Position") == .integer(50_000_000), "a quarter of the length")
    }

    @Test("An app that is no candidate for Now Playing is not shown, and what was shown is stopped")
    func candidate() async throws {
        let app = try await RemoteApp.start(on: PrivateBus.start())
        try await app.peer.send("candidate false")
        try await app.peer.send(#"info {"title":"One","MPNowPlayingInfoPropertyPlaybackRate":1}"#)
        #expect(await app.names().isEmpty)
        try await app.peer.send("candidate true")
        try await app.waitForName()
        try await app.wait(for: "PlaybackStatus", .text("Playing"))
        try await app.peer.send("candidate false")
        try await app.wait(for: "PlaybackStatus", .text("Stopped"))
        #expect(await app.metadata()["xesam:title"] == nil)
    }

    @Test("What makes no sense in nowPlayingInfo is left out, and the rest is told")
    func nonsense() async throws {
        let app = try await RemoteApp.playing(
            #"{"title":5,"artist":"A\u0000B","playbackDuration":-1,"albumTrackNumber":1e300,"discNumber":"x","#
                + #""MPNowPlayingInfoPropertyElapsedPlaybackTime":1e300,"MPNowPlayingInfoPropertyPlaybackRate":0,"#
                + #""artwork":5,"genre":"\#(String(repeating: "é", count: 100_000))"}"#)
        let metadata = await app.metadata()
        #expect(Set(metadata.keys) == ["mpris:trackid", "xesam:artist", "xesam:genre"])
        #expect(metadata["xesam:artist"] == .texts(["A"]))
        #expect(metadata["xesam:genre"]?.texts?.first?.count == 2048)
        #expect(await app.get("Position") == .integer(1_000_000_000_000_000_000))
    }

    @Test("A noncharacter costs others neither the rest of its text nor what is told with it")
    func noncharacters() async throws {
        let app = try await RemoteApp.playing(#"{"title":"a\uFFFFb","artist":"\uFDD0c\uD83F\uDFFE"}"#)
        let metadata = await app.metadata()
        #expect(metadata["xesam:title"] == .text("ab"))
        #expect(metadata["xesam:artist"] == .texts(["c"]))
        #expect(await app.all()["PlaybackStatus"] == .text("Paused"))
        let signals = await app.listen()
        // Told at once, with the new track.
        try await app.peer.send(#"info {"title":"c\uFFFE","MPNowPlayingInfoPropertyPlaybackRate":1}"#)
        try await waitUntil { signals.changes(of: "PlaybackStatus") == [.text("Playing")] }
        #expect(signals.changes(of: "Metadata").last?.table?["xesam:title"] == .text("c"))
    }

    @Test("Another item is another track, the same one with other facts is not")
    func tracks() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One"}"#)
        let signals = await app.listen()
        func track(_ info: String, _ title: String, duration: Int64?) async throws -> String? {
            try await app.peer.send("info \(info)")
            try await waitUntil {
                let metadata = await app.metadata()
                return metadata["xesam:title"]?.text == title && metadata["mpris:length"]?.integer == duration
            }
            return await app.metadata()["mpris:trackid"]?.text
        }
        let first = await app.metadata()["mpris:trackid"]?.text
        #expect(try await track(#"{"title":"One","playbackDuration":9}"#, "One", duration: 9_000_000) == first)
        let second = try await track(#"{"title":"Two"}"#, "Two", duration: nil)
        #expect(second != first)
        #expect(try await track(#"{"title":"One"}"#, "One", duration: nil) != first)
        // Each change is told, with the whole of it.
        try await waitUntil { signals.changes(of: "Metadata").last?.table?["xesam:title"] == .text("One") }
        #expect(signals.jumps.isEmpty)
    }

    @Test("playbackState and the rate say whether it plays, and each change is told once")
    func status() async throws {
        let app = try await RemoteApp.playing(#"{"title":"One","MPNowPlayingInfoPropertyPlaybackRate":1}"#)
        try await app.wait(for: "PlaybackStatus", .text("Playing"))
        let signals = await app.listen()
        var expected: [BusValue] = []
        for (command, status) in [
            (#"info {"title":"One","MPNowPlayingInfoPropertyPlaybackRate":0}"#, "Paused"), ("state 1", "Playing"),
            ("state 2", "Paused"), ("state 1", "Playing"), ("state 4", "Paused"), ("state 3", "Stopped"),
            ("state 0", "Paused"),
        ] {
            try await app.peer.send(command)
            expected.append(.text(status))
            try await waitUntil("\(command): \(status)") { signals.changes(of: "PlaybackStatus") == expected }
        }
        // The rate is that of an item that plays, never 0.
        #expect(await app.get("Rate") == .real(1))
    }

    @Test("The position goes on at the rate while it plays, and stands while it does not")
    func position() async throws {
        let info = #""title":"One","playbackDuration":1000,"MPNowPlayingInfoPropertyElapsedPlaybackTime":10"#
        let app = try await RemoteApp.playing("{\(info),\"MPNowPlayingInfoPropertyPlaybackRate\":0}")
        #expect(await app.get("Position") == .integer(10_000_000))
        #expect(await app.get("Position") == .integer(10_000_000))
        try await app.peer.send("info {\(info),\"MPNowPlayingInfoPropertyPlaybackRate\":2}")
        try await waitUntil("going on") { await app.get("Position")?.integer ?? 0 > 10_400_000 }
        #expect(await app.get("Rate") == .real(2))
        // At its end it stays.
        try await app.peer.send(
            #"info {"title":"One","playbackDuration":11,"MPNowPlayingInfoPropertyElapsedPlaybackTime":10.999}"#)
        try await app.peer.send("state 1")
        try await app.wait(for: "Position", .integer(11_000_000))
    }

    @Test("Seeked is told when the position jumps, and not when it is only said again")
    func jumps() async throws {
        func info(_ elapsed: Double, _ title: String = "One", genre: String = "") -> String {
            #"info {"title":"\#(title)","playbackDuration":100,"genre":"\#(genre)","#
                + #""MPNowPlayingInfoPropertyElapsedPlaybackTime":\#(elapsed),"#
                + #""MPNowPlayingInfoPropertyPlaybackRate":0}"#
        }
        let app = try await RemoteApp.playing(String(info(10).dropFirst(5)))
        let signals = await app.listen()
        for _ in 0..<5 { try await app.peer.send(info(10)) }
        try await app.peer.send(info(30))
        try await waitUntil { !signals.jumps.isEmpty }
        // Who listens takes a new track to begin at its beginning.
        try await app.peer.send(info(0, "Two"))
        try await waitUntil { signals.changes(of: "Metadata").count == 1 }
        try await app.peer.send(info(7, "Three"))
        try await waitUntil { signals.jumps.count == 2 }
        #expect(signals.jumps == [30_000_000, 7_000_000])
        // Small corrections are not told until they have added up.
        for (count, position) in [7.125, 7.25, 7.375].enumerated() {
            try await app.peer.send(info(position, "Three", genre: "\(count)"))
            try await waitUntil { signals.changes(of: "Metadata").count == 3 + count }
        }
        try await waitUntil { signals.jumps == [30_000_000, 7_000_000, 7_250_000] }
        #expect(signals.changes(of: "Position").isEmpty, "MPRIS: the position is never among what changed")
    }

    @Test("Artwork is a file that others can read, and that is gone with what it was for")
    func artwork() async throws {
        let picture = Data([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
        let app = try await RemoteApp.playing(#"{"title":"One","artwork":"\#(picture.base64EncodedString())"}"#)
        var address: String?
        try await waitUntil("artwork") {
            address = await app.metadata()["mpris:artUrl"]?.text
            return address != nil
        }
        let file = try #require(address.flatMap { URL(string: $0) })
        #expect(file.isFileURL && file.pathExtension == "png")
        #expect(file.deletingLastPathComponent().path == app.bus.folder.path)
        #expect(try Data(contentsOf: file) == picture)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // The same picture in another object, as of apps that make it anew with each change, is the same file.
        let signals = await app.listen()
        try await app.peer.send(#"info {"title":"One","genre":"x","artwork":"\#(picture.base64EncodedString())"}"#)
        try await app.peer.send("state 1")
        try await waitUntil { signals.changes(of: "PlaybackStatus").last == .text("Playing") }
        try await app.peer.send("state 2")
        try await waitUntil { signals.changes(of: "PlaybackStatus").last == .text("Paused") }
        #expect(signals.changes(of: "Metadata").allSatisfy { $0.table?["mpris:artUrl"]?.text == address })
        #expect(try Data(contentsOf: file) == picture)
        try await app.peer.send(#"info {"title":"Two"}"#)
        try await waitUntil("its end") { !FileManager.default.fileExists(atPath: file.path) }

        func pictures() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: app.bus.folder.path)) ?? []).filter {
                $0.contains("artwork")
            }
        }
        let command = #"info {"title":"Three","artwork":"\#(picture.base64EncodedString())"}"#
        try await app.peer.send(command)
        try await waitUntil { pictures().count == 1 }
        try await app.peer.send(#"info {"title":"Four","artwork":""}"#)
        try await waitUntil("the end of a picture in whose place nothing comes") { pictures().isEmpty }
        try await app.peer.send(command)
        try await waitUntil { pictures().count == 1 }
        // What a killed app left, the next one removes.
        try await app.peer.kill()
        #expect(pictures().count == 1)
        let next = try await RemoteApp.start(on: app.bus)
        try await next.peer.send(command)
        try await waitUntil { await next.metadata()["mpris:artUrl"] != nil }
        #expect(pictures().count == 1)
        try await next.peer.exit()
        #expect(pictures().isEmpty)
    }

    @Test("A Flatpak has the one name that it may own, and leaves its picture where others see it")
    func flatpak() async throws {
        let bus = try await PrivateBus.start()
        let id = "com.example.music.Player-4.Beta"
        let shared = bus.folder.appendingPathComponent("app/\(id)")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        let app = try await RemoteApp.start(on: bus, name: id, environment: ["FLATPAK_ID": id])
        try await app.peer.send(#"info {"title":"One","artwork":"iVBORw=="}"#)
        try await app.waitForName()
        #expect(await app.get("DesktopEntry", of: RemoteApp.root) == .text(id))
        try await waitUntil("artwork") { await app.metadata()["mpris:artUrl"] != nil }
        let picture = await app.metadata()["mpris:artUrl"]?.text.flatMap { URL(string: $0) }
        #expect(picture?.deletingLastPathComponent().path == shared.path)
    }

    @Test("Names on the bus are as long as they may be")
    func longName() {
        let id = (0..<9).map { "part\($0)" + String(repeating: "x", count: 60) }.joined(separator: ".")
        let name = PlayerService.Identity(name: "Long", id: id, process: .max).busName(attempt: 9)
        #expect(name.hasPrefix("org.mpris.MediaPlayer2.part0") && name.utf8.count <= 255)
    }

    @Test("Two apps with the same name get names of their own")
    func names() async throws {
        let bus = try await PrivateBus.start()
        let first = try await RemoteApp.start(on: bus)
        try await first.peer.send(#"info {"title":"First"}"#)
        try await first.waitForName()
        let second = try await RemoteApp.start(on: bus, name: "remote-peer.instance")
        let other = RemoteApp(
            bus: bus, peer: second.peer, client: second.client, name: second.name + "\(second.peer.processID)")
        try await other.peer.send(#"info {"title":"Second"}"#)
        try await other.waitForName()
        #expect(await first.metadata()["xesam:title"] == .text("First"))
        #expect(await other.metadata()["xesam:title"] == .text("Second"))
        let named = try await RemoteApp.start(
            on: bus, name: "org.example._2nd_Player",
            environment: ["PULSE_PROP_application.id": "org.example.2nd Player", "PULSE_PROP_application.name": "Mine"])
        try await named.peer.send("state 2")
        try await named.waitForName()
        #expect(await named.get("Identity", of: RemoteApp.root) == .text("Mine"))
        #expect(await named.get("DesktopEntry", of: RemoteApp.root) == .text("org.example.2nd Player"))
    }

    private func threads(of process: Int32) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").compactMap {
            try? String(contentsOfFile: "/proc/\(process)/task/\($0)/comm", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
