import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("The route", .serialized, .limited)
struct RouteTests {
    private static let speakers = HeadlessServer.NullSink(name: "speakers")

    /// Nothing may have come to a monitor but what the server rendered before it could be told: a block, of 10 ms at
    /// most.
    ///
    /// `scripts/bench-unplug` counts how often it is that.
    private func expectNothing(
        on monitor: MonitorRecording, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let heard = try await monitor.stop()
        let leak = heard.soundRange(threshold: -90).map { Double($0.count) / Double(heard.sampleRate) }
        #expect(leak ?? 0 <= 0.01, "seconds", sourceLocation: sourceLocation)
    }

    /// A session for playback on headphones that can be pulled, and what is left then.
    private struct Scene {
        let server: HeadlessServer
        let pactl: Pactl
        let headphones: Int
        let session: AVAudioSession

        /// Pulls the headphones.
        func pull() async throws { try await pactl.unloadModule(headphones) }
        func listenToSpeakers() async throws -> MonitorRecording {
            try await MonitorRecording.start(on: server, sink: RouteTests.speakers)
        }
    }

    private func withHeadphones(_ kind: HeadlessServer.Kind, _ body: (Scene) async throws -> Void) async throws {
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let pactl = Pactl(server)
            let headphones = try await plugHeadphones(pactl)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try await body(Scene(server: server, pactl: pactl, headphones: headphones, session: session))
        }
    }

    private func player(in session: AVAudioSession, level: Double = -12) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(data: TestSignal.sine(level: level, seconds: 20).wavData, session: session)
        try #require(player.play())
        return player
    }

    @Test(
        "S50: a device that comes in place of the server's dummy one is new, and players go on there",
        arguments: HeadlessServer.Kind.allCases)
    func dummyDevice(kind: HeadlessServer.Kind) async throws {
        // PipeWire's own configuration has it.
        let modules = kind == .pulseAudio ? ["module-always-sink"] : []
        try await withServer(kind, sinks: [], modules: modules) { server in
            let pactl = Pactl(server)
            // PipeWire's session manager links streams from the moment on at which it has chosen a sink.
            try await pactl.waitForDefaultSink { $0 == "auto_null" }
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try player(in: session)
            try await waitUntil("the dummy in use") { session.currentRoute.outputs.map(\.uid) == ["auto_null"] }
            try await waitUntil("some time") { player.currentTime > 0.3 }
            let interruptions = SessionEvents(of: session)
            let events = RouteEvents(of: session)
            _ = try await plugHeadphones(pactl)
            try await waitUntil("the headphones") { session.currentRoute.outputs.map(\.uid) == ["phones"] }
            try await waitUntil("the news") { events.all.last?.current == ["phones"] }
            let monitor = try await MonitorRecording.start(on: server, sink: .init(name: "phones"))
            try await monitor.waitForSound()
            #expect(player.isPlaying && interruptions.all.isEmpty)
            #expect(events.all.map(\.reason) == [.newDeviceAvailable])
        }
    }

    @Test(
        "S68: the last device is pulled: an interruption because of that, and the loss, on every server",
        arguments: HeadlessServer.Kind.allCases)
    func lastDevice(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: []) { server in
            let pactl = Pactl(server)
            let headphones = try await plugHeadphones(pactl)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try player(in: session)
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            try await waitUntil("the headphones") { session.currentRoute.outputs.map(\.uid) == ["phones"] }
            let (interruptions, events) = (SessionEvents(of: session), RouteEvents(of: session))
            try await pactl.unloadModule(headphones)
            try await interruptions.wait(for: [.began])
            let reason = interruptions.info(of: 0)[AVAudioSessionInterruptionReasonKey] as? UInt
            #expect(reason == AVAudioSession.InterruptionReason.routeDisconnected.rawValue)
            try await waitUntil("the news") { events.all.first?.reason == .oldDeviceUnavailable }
            #expect(events.all.first?.previous == ["phones"] && !player.isPlaying)
            #expect(interruptions.all == [.began])
        }
    }

    @Test(
        "S49, S51: what is in use is pulled: told at once, not on the main thread; who pauses is never heard elsewhere",
        .judges(.gap(frames: 441)), arguments: HeadlessServer.Kind.allCases)
    func unplugged(kind: HeadlessServer.Kind) async throws {
        try await withHeadphones(kind) { scene in
            let session = scene.session
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            let player = try player(in: session)
            #expect(session.currentRoute.outputs.map(\.uid) == ["phones"])
            #expect(session.currentRoute.outputs.map(\.portType) == [.usbAudio])
            let events = RouteEvents(of: session) { _ in player.pause() }
            let monitor = try await scene.listenToSpeakers()
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            try await scene.pull()
            try await waitUntil("the news") { events.all.count == 1 }
            let event = try #require(events.all.first)
            #expect(event.reason == .oldDeviceUnavailable && event.previous == ["phones"])
            #expect(event.current == ["speakers"] && !event.isOnMainThread)
            try await waitUntil("the pause") { !player.isPlaying }
            let stopped = try await player.settledTime()
            try await monitor.wait(seconds: 0.5)
            #expect(player.currentTime == stopped)
            try await expectNothing(on: monitor)
            // What was paused goes on there when it is asked to.
            #expect(player.play())
            try await waitUntil("more sound") { player.currentTime > stopped + 0.2 }
            player.stop()
        }
    }

    @Test(
        "S68: the session that plays is interrupted when its output is pulled, unless it does not want that",
        .judges(.gap(frames: 441)), arguments: HeadlessServer.Kind.allCases)
    func interrupted(kind: HeadlessServer.Kind) async throws {
        try await withHeadphones(kind) { scene in
            let session = scene.session
            let events = RouteEvents(of: session)
            let interruptions = SessionEvents(of: session)
            let player = try player(in: session)
            let monitor = try await scene.listenToSpeakers()
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            try await scene.pull()
            try await waitUntil("the interruption") { !interruptions.all.isEmpty }
            #expect(!player.isPlaying)
            try await waitUntil("the news") { events.all.map(\.reason) == [.oldDeviceUnavailable] }
            try await monitor.wait(seconds: 0.5)
            try await expectNothing(on: monitor)
        }
    }

    @Test(
        "S52: an AVAudioPlayer that nobody pauses goes on, on what is left, when all observers have returned",
        arguments: HeadlessServer.Kind.allCases)
    func goesOn(kind: HeadlessServer.Kind) async throws {
        try await withHeadphones(kind) { scene in
            let session = scene.session
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            let player = try player(in: session)
            let events = RouteEvents(of: session)
            let monitor = try await scene.listenToSpeakers()
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            try await scene.pull()
            try await monitor.waitForSound()
            #expect(player.isPlaying)
            // PulseAudio may let a block be heard before it tells of the move.
            try await waitUntil("the news") { events.all.map(\.reason) == [.oldDeviceUnavailable] }
            player.stop()
            _ = try await monitor.stop()
        }
    }

    @Test(
        "S51: an observer that returns from an earlier change does not end the silence for a loss that it has not heard of",
        .judges(.time(seconds: 0.01)), arguments: HeadlessServer.Kind.allCases)
    func busyObserver(kind: HeadlessServer.Kind) async throws {
        try await withHeadphones(kind) { scene in
            let session = scene.session
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            let player = try player(in: session)
            let (earlier, loss) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let events = RouteEvents(of: session) { session in
                let isEarlier = session.currentRoute.outputs.map(\.uid) == ["phones"]
                _ = (isEarlier ? earlier : loss).wait(timeout: .now() + 10)
                if !isEarlier { player.pause() }
            }
            let monitor = try await scene.listenToSpeakers()
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            try session.setCategory(.playback, options: .mixWithOthers)
            try await waitUntil("the earlier change") { events.all.map(\.reason) == [.categoryChange] }
            try await scene.pull()
            try await waitUntil("the silence") {
                guard try await scene.pactl.sink("phones") == nil else { return false }
                return try await scene.pactl.sinkInputs(of: getpid()).allSatisfy(\.isCorked)
            }
            earlier.signal()
            try await waitUntil("the loss") { events.all.last?.reason == .oldDeviceUnavailable }
            try await monitor.wait(seconds: 0.3)
            loss.signal()
            try await waitUntil("the pause") { !player.isPlaying }
            try await expectNothing(on: monitor)
        }
    }

    @Test(
        "S50, S57: something new becomes the route, if the server says so, and players go on; another default is a choice",
        arguments: HeadlessServer.Kind.allCases)
    func plugged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let pactl = Pactl(server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try player(in: session)
            let events = RouteEvents(of: session)
            #expect(session.currentRoute.outputs.map(\.uid) == ["speakers"])
            _ = try await plugHeadphones(pactl)
            try await waitUntil("the headphones") { events.all.last?.current == ["phones"] }
            #expect(player.isPlaying)
            try await pactl.setDefault(sink: "speakers")
            try await waitUntil("the speakers") { events.all.last?.current == ["speakers"] }
            #expect(events.all.last?.reason == .override && events.all.last?.previous == ["phones"])
            #expect(player.isPlaying)
            player.stop()
        }
    }

    @Test(
        "the route is that of the category, also of one that the app sets while it is interrupted",
        arguments: HeadlessServer.Kind.allCases)
    func categoryOfInterrupted(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [Self.speakers]) { server in
            let session = try await server.recordingSession(.playback)
            let player = try player(in: session)
            try await waitUntil("some sound") { player.currentTime > 0.3 }
            let (events, other) = (SessionEvents(of: session), AVAudioSession(apartOn: server.address))
            try other.setCategory(.playback)
            try other.setActive(true)
            try await events.wait(for: [.began])
            try session.setCategory(.record)
            #expect(session.currentRoute.inputs.map(\.uid) == ["speakers.monitor"])
            #expect(session.currentRoute.outputs.isEmpty)
            try session.setCategory(.playback)
            #expect(session.currentRoute.inputs.isEmpty && session.currentRoute.outputs.map(\.uid) == ["speakers"])
            try session.setActive(false)
            try other.setActive(false)
        }
    }

    @Test("S53: a change of category while active is told, whatever it does to the route")
    func category() async throws {
        try await withServer(.pulseAudio, sinks: [Self.speakers]) { server in
            let session = AVAudioSession(server: server.address)
            #expect(session.currentRoute.inputs.isEmpty && session.currentRoute.outputs.map(\.uid) == ["speakers"])
            try session.setCategory(.playback)
            try session.setActive(true)
            let events = RouteEvents(of: session)
            try await waitUntil("a picture") { session.currentRoute.outputs.map(\.uid) == ["speakers"] }
            try session.setCategory(.playAndRecord)
            try await waitUntil("the news") { events.all.map(\.reason) == [.categoryChange] }
            #expect(session.currentRoute.inputs.map(\.uid) == ["speakers.monitor"])
            #expect(session.currentRoute.inputs.map(\.portType) == [.virtual])
            // The same again is no change, and told to nobody.
            try session.setCategory(.playAndRecord)
            _ = try await plugHeadphones(Pactl(server))
            try await waitUntil("the headphones") { events.all.last?.current == ["phones"] }
            #expect(events.all.map(\.reason) == [.categoryChange, .newDeviceAvailable])
            try session.setActive(false)
        }
    }
}
