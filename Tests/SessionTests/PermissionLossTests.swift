import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

/// Whether an app may listen, where those who know are late, gone, or cannot ask.
@Suite("Permission to record, from a desktop that fails", .limited)
struct PermissionLossTests {
    private static let dialog = "AccessDialog session-peer"

    @Test("A store that answers late has said nothing yet: the recording is silent until it has, and its no counts")
    func lateStore() async throws {
        try await withDesktop(.pulseAudio, owning: "store") { desktop in
            try await desktop.order("store session-peer no")
            try await desktop.order("hold store")
            let app = try await desktop.peer("app")
            #expect(try await app.send("permission").string("value") == "undetermined undetermined")
            try await desktop.record("take.wav", by: app)
            try await desktop.letRecord(0.5, by: app)
            try await app.send("ask")
            #expect(try await app.wait(for: "asked").bool("granted") == false)
            try await desktop.order("release store")
            try await waitUntil("what the store says", timeout: hangLimit) {
                try await app.send("permission").string("value") == "denied denied"
            }
            try await desktop.letRecord(0.3, by: app)
            try await app.send("stop")
            let take = try desktop.contents("take.wav")
            #expect(take.duration > 0.75 && take.soundRange(threshold: -120) == nil)
        }
    }

    @Test("A store that comes later is asked then")
    func storeComes() async throws {
        try await withDesktop(.pulseAudio) { desktop in
            try await desktop.order("store session-peer no")
            let app = try await desktop.peer("app")
            #expect(try await app.send("permission").string("value") == "granted granted")
            try await desktop.order("own store")
            try await waitUntil("what the store says", timeout: hangLimit) {
                try await app.send("permission").string("value") == "denied denied"
            }
        }
    }

    @Test("A bus that is lost allows nothing: what was undecided stays so, and the recording silent")
    func lostBus() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            try await desktop.told(Self.dialog)
            try await app.send("ask")
            desktop.bus.send(SIGKILL)
            #expect(try await app.wait(for: "asked").bool("granted") == false)
            for _ in 0..<3 {
                #expect(try await app.send("permission").string("value") == "undetermined undetermined")
                try await app.send("ask")
                #expect(try await app.wait(for: "asked").bool("granted") == false)
            }
            try await desktop.letRecord(0.5, by: app)
            try await app.send("stop")
            let take = try desktop.contents("take.wav")
            #expect(take.duration > 0.45 && take.soundRange(threshold: -120) == nil)
            #expect(app.process.errorText.split(separator: "\n").count == 1)
        }
    }

    @Test("A bus that lets nobody in is none: everything works, and nothing is printed")
    func refusingBus() async throws {
        try await withScene(.pulseAudio) { scene in
            let bus = try RefusingSocket(at: scene.file("refusing-bus").path)
            let app = try await Peer.start(
                on: scene.server, name: "app", environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus.path)"])
            try await waitUntil("what is known", timeout: hangLimit) {
                try await app.send("permission").string("value") == "granted granted"
            }
            try await app.send("ask")
            #expect(try await app.wait(for: "asked").bool("granted") == true)
            #expect(app.process.errorText == "")
            withExtendedLifetime(bus) {}
        }
    }

    @Test(
        "A desktop that shows no such dialogs cannot ask: the recording begins with sound, and nothing is printed",
        .judges(.gap(frames: 4410)))
    func withoutDialogs() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            try await desktop.order("refuse dialog")
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            try await desktop.wait(until: app, hears: true)
            #expect(try await app.send("permission").string("value") == "granted granted")
            try await app.send("ask")
            #expect(try await app.wait(for: "asked").bool("granted") == true)
            try await app.send("stop")
            #expect(app.process.errorText == "")
            #expect(try desktop.contents("take.wav").gaps(threshold: -120, minimumFrames: 4410).isEmpty)
        }
    }

    @Test("Nobody is started to ask what is decided already")
    func decided() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            try await desktop.order("store session-peer yes")
            let app = try await desktop.peer("app")
            try await desktop.record("take.wav", by: app)
            try await desktop.wait(until: app, hears: true)
            #expect(desktop.count(of: "Introspect") == 0 && desktop.count(of: Self.dialog) == 0)
            try await desktop.order("store session-peer nothing")
            try await desktop.told("Introspect")
            try await waitUntil("what the store says now", timeout: hangLimit) {
                try await app.send("permission").string("value") == "undetermined undetermined"
            }
        }
    }
}

/// A socket that takes whoever connects, and hangs up.
private final class RefusingSocket {
    let path: String
    private let source: any DispatchSourceRead

    init(at path: String) throws {
        self.path = path
        let listener = try listeningSocket(at: path)
        let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: .global())
        source.setEventHandler { close(accept(listener, nil, nil)) }
        source.setCancelHandler { close(listener) }
        source.activate()
        self.source = source
    }

    deinit { source.cancel() }
}
