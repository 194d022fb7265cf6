import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("The route of a session that is not active", .serialized, .limited)
struct InactiveRouteTests {
    private static let speakers = HeadlessServer.NullSink(name: "speakers")

    @Test(
        "S49, S50: told are also those who have only asked, have deactivated, or did not come back from an interruption",
        arguments: HeadlessServer.Kind.allCases)
    func notActive(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let pactl = Pactl(server)
            let names = ["asking", "deactivated", "interrupted"]
            let sessions = names.map { _ in AVAudioSession(server: server.address) }
            for session in sessions { try session.setCategory(.playback) }
            for session in sessions { #expect(session.currentRoute.outputs.map(\.uid) == ["speakers"]) }
            try sessions[1].setActive(true)
            try sessions[1].setActive(false)
            let interruptions = SessionEvents(of: sessions[2])
            try sessions[2].setActive(true)
            let other = AVAudioSession(apartOn: server.address)
            try other.setCategory(.playback)
            try other.setActive(true)
            try await interruptions.wait(for: [.began])
            // Without leave to resume, the interrupted session is over at once.
            try other.setActive(false)
            try await interruptions.wait(for: [.began, .ended(shouldResume: false)])
            let events = sessions.map { RouteEvents(of: $0) }
            let module = try await plugHeadphones(pactl)
            for (name, events) in zip(names, events) {
                try await waitUntil("the headphones, \(name)") { events.all.last?.current == ["phones"] }
                #expect(events.all.map(\.reason) == [.newDeviceAvailable] && events.all[0].previous == ["speakers"])
            }
            try await pactl.unloadModule(module)
            for (name, events) in zip(names, events) {
                try await waitUntil("the loss, \(name)") { events.all.last?.current == ["speakers"] }
                // A slow server may name the next default a moment after the loss.
                #expect(events.all.map(\.reason).prefix(2) == [.newDeviceAvailable, .oldDeviceUnavailable], "\(name)")
            }
            #expect(interruptions.all == [.began, .ended(shouldResume: false)])
        }
    }

    @Test(
        "The route follows the settings that an inactive app sets, and that change itself is told to nobody",
        arguments: HeadlessServer.Kind.allCases)
    func settings(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let session = try await server.recordingSession(.playback)
            try session.setActive(true)
            try await waitUntil("the route") { session.currentRoute.outputs.map(\.uid) == ["speakers"] }
            try session.setActive(false)
            let events = RouteEvents(of: session)
            try session.setCategory(.playAndRecord)
            _ = try await plugHeadphones(Pactl(server))
            try await waitUntil("the headphones") { events.all.last?.current == ["phones"] }
            #expect(events.all.map(\.reason) == [.newDeviceAvailable])
            #expect(events.all.map(\.previousInput) == [.virtual])
        }
    }

    @Test(
        "A session that is not active asks the server for no device while other programs begin and stop to play",
        arguments: HeadlessServer.Kind.allCases)
    func costs(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let proxy = try CountingProxy(to: server)
            let session = AVAudioSession(server: proxy.address)
            try session.setCategory(.playback)
            try session.setActive(true)
            try session.setActive(false)
            let events = RouteEvents(of: session)
            let pactl = Pactl(server)
            let module = try await plugHeadphones(pactl)
            try await waitUntil("the headphones") { events.all.last?.current == ["phones"] }
            try await pactl.unloadModule(module)
            try await waitUntil("the speakers") { events.all.last?.current == ["speakers"] }
            #expect(events.all.map(\.reason).contains(.oldDeviceUnavailable))
            // The observer's own questions, and those of the news.
            var (last, looks) = (-1, 0)
            try await waitUntil("an end of the questions") {
                looks = proxy.commands.count == last ? looks + 1 : 0
                last = proxy.commands.count
                return looks > 20
            }
            proxy.forget()
            for _ in 0..<3 {
                let stream = try await ForeignStream.start(on: server)
                try await waitUntil("a sink that runs") { try await pactl.sink("speakers")?.state == "RUNNING" }
                stream.process.send(SIGKILL)
                try await waitUntil("its end") { try await pactl.sinkInputs().isEmpty }
            }
            #expect(proxy.commands.filter(CountingProxy.aboutDevices.contains).isEmpty, "\(proxy.commands)")
        }
    }
}
