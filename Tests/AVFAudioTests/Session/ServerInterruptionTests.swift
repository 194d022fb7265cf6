import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// PulseAudio's own policy, `module-role-cork`, as an interruption.
@Suite("A call on PulseAudio", .limited)
struct ServerInterruptionTests {
    /// A session that plays a counting signal on a server that corks music during calls.
    private struct Scene {
        let server: HeadlessServer
        let session: AVAudioSession
        let player: AVAudioPlayer
        let monitor: MonitorRecording
        let events: SessionEvents
    }

    private static func scene(
        resumes: Bool = true, modules: [String] = ["module-role-cork"], sinks: [HeadlessServer.NullSink] = [.init()],
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await withServer(.pulseAudio, sinks: sinks, modules: modules) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let file = try TestSignal.counter(seconds: 20).writeWAV(
                to: server.directory.appendingPathComponent("counter.wav"))
            let player = try AVAudioPlayer(contentsOf: file, session: session)
            // The usual app: what was playing goes on after the call.
            let playing = UncheckedBox(player)
            let events = SessionEvents(of: session) { event in
                if resumes, event == .ended(shouldResume: true) { playing.value.play() }
            }
            let monitor = try await MonitorRecording.start(on: server, sink: sinks[0])
            try await body(
                Scene(server: server, session: session, player: player, monitor: monitor, events: events))
            _ = try await monitor.stop()
        }
    }

    /// Checks that what was heard counts on over all silences, and nothing is repeated.
    ///
    /// The server mutes first and tells us then. If its sink takes a block in between, that block was played muted, and
    /// nobody can know: so much may be missing at a call. An idle machine answers within half a millisecond; a busy one
    /// is given a tenth of a second.
    private static func expectContinuous(_ heard: Recording, from first: Int = 0) {
        let positions = heard.counterPositions().filter { $0 > 0 }
        #expect(positions.first.map { abs($0 - first) <= 1 } == true, "begins at \(positions.first ?? -1)")
        let jumps = zip(positions, positions.dropFirst()).map { $1 - $0 - 1 }.filter { $0 != 0 }
        #expect(jumps.allSatisfy { (1...4410).contains($0) }, "jumps of \(jumps) frames")
    }

    @Test("S30, S31: interrupts a player, says who it is, and its end lets it go on at the frame where it stopped")
    func callDuringPlayback() async throws {
        try await Self.scene { scene in
            #expect(scene.player.play())
            try await scene.monitor.wait(seconds: 1)
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.events.wait(for: [.began])
            #expect(!scene.player.isPlaying)
            let silent = scene.monitor.frames + 4410
            try await scene.monitor.wait(seconds: 0.5)
            #expect(scene.monitor.soFar(from: silent).soundRange() == nil)
            try await call.stop()
            try await scene.events.wait(for: [.began, .ended(shouldResume: true)])
            try await scene.monitor.wait(seconds: 1)
            #expect(scene.player.isPlaying)
            scene.player.stop()
            #expect(scene.events.all == [.began, .ended(shouldResume: true)])
            Self.expectContinuous(scene.monitor.soFar())
            let (began, ended) = (scene.events.info(of: 0), scene.events.info(of: 1))
            #expect(began[AVAudioSessionInterruptionTypeKey] as? NSNumber == 1)
            #expect(began[AVAudioSessionInterruptionReasonKey] as? NSNumber == 0)
            let origin = began[AVAudioSessionInterruptionOriginKey] as? AVAudioSession.InterruptionOrigin
            #expect(origin?.processIdentifier == call.process.processID)
            #expect(origin?.streamIndex == UInt32(call.index))
            #expect(ended[AVAudioSessionInterruptionTypeKey] as? NSNumber == 0)
            #expect(ended[AVAudioSessionInterruptionOptionKey] as? NSNumber == 1)
        }
    }

    @Test("keeps a player that starts during it silent, and lets it begin at its first frame afterwards")
    func startedDuringCall() async throws {
        try await Self.scene { scene in
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            #expect(scene.player.play())
            try await scene.events.wait(for: [.began])
            try await scene.monitor.wait(seconds: 0.3)
            #expect(scene.monitor.soFar().soundRange() == nil)
            #expect(scene.player.currentTime == 0)
            try await call.stop()
            try await scene.events.wait(for: [.began, .ended(shouldResume: true)])
            try await scene.monitor.wait(seconds: 1)
            Self.expectContinuous(scene.monitor.soFar(), from: 1)
        }
    }

    @Test("Moved during it, when PulseAudio forgets to unmute: the player goes on all the same, on the other sink")
    func movedDuringCall() async throws {
        let sinks = [HeadlessServer.NullSink(), HeadlessServer.NullSink(name: "second")]
        try await Self.scene(modules: ["module-role-cork global=1"], sinks: sinks) { scene in
            #expect(scene.player.play())
            try await scene.monitor.wait(seconds: 0.5)
            let pactl = Pactl(scene.server)
            let own = try await pactl.waitForSinkInput(of: ProcessInfo.processInfo.processIdentifier).index
            let other = try await ForeignStream.start(
                on: scene.server,
                properties: ["application.process.id": "\(ProcessInfo.processInfo.processIdentifier)"])
            try await pactl.setMute(true, sinkInput: other.index)
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.events.wait(for: [.began])
            let second = try await MonitorRecording.start(on: scene.server, sink: sinks[1])
            try await pactl.move(sinkInput: own, to: "second")
            try await call.stop()
            try await scene.events.wait(for: [.began, .ended(shouldResume: true)])
            try await second.waitForSound()
            try await second.wait(seconds: 0.5)
            scene.player.stop()
            let resumed = try await second.stop().counterPositions().filter { $0 > 0 }
            let before = scene.monitor.soFar().counterPositions().filter { $0 > 0 }
            let lost = (resumed.first ?? 0) - (before.last ?? 0) - 1
            #expect((0...4410).contains(lost), "\(lost) frames lost")
            #expect(scene.events.all == [.began, .ended(shouldResume: true)])
            let streams = try await pactl.sinkInputs()
            #expect(streams.first { $0.index == other.index }?.isMuted == true, "the user muted that one")
            try await other.stop()
        }
    }

    @Test("A player that the user had paused stays paused when the call ends, although the server asks it to go on")
    func pausedByUser() async throws {
        try await Self.scene(resumes: false) { scene in
            #expect(scene.player.play())
            try await scene.monitor.wait(seconds: 0.5)
            scene.player.pause()
            let position = try await scene.player.settledTime()
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.events.wait(for: [.began])
            try await call.stop()
            try await scene.events.wait(for: [.began, .ended(shouldResume: true)])
            let quiet = scene.monitor.frames
            try await scene.monitor.wait(seconds: 0.5)
            #expect(!scene.player.isPlaying)
            #expect(scene.player.currentTime == position)
            #expect(scene.monitor.soFar(from: quiet).soundRange() == nil)
        }
    }

    @Test("An app that plays again during the call is interrupted again, and hears of the end")
    func playsDuringCall() async throws {
        try await Self.scene(resumes: false) { scene in
            #expect(scene.player.play())
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.events.wait(for: [.began])
            scene.player.play()
            try await scene.events.wait(for: [.began, .began])
            #expect(!scene.player.isPlaying)
            try await call.stop()
            try await scene.events.wait(for: [.began, .began, .ended(shouldResume: true)])
        }
    }

    @Test("A category that was changed during it counts from the next start on: what the server lets be is heard")
    func categoryChangedDuringCall() async throws {
        try await Self.scene(resumes: false) { scene in
            #expect(scene.player.play())
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.events.wait(for: [.began])
            try scene.session.setCategory(.ambient)
            #expect(scene.player.play())
            let quiet = scene.monitor.frames
            try await scene.monitor.waitForSound(from: quiet)
            let own = try await Pactl(scene.server).waitForSinkInput(of: ProcessInfo.processInfo.processIdentifier)
            #expect(own.role == "game")
            #expect(scene.player.isPlaying)
            try await call.stop()
            #expect(scene.events.all == [.began])
        }
    }

    @Test("whose program is killed ends like any other")
    func callIsKilled() async throws {
        try await Self.scene { scene in
            #expect(scene.player.play())
            let call = try await ForeignStream.start(on: scene.server, role: "phone")
            try await scene.events.wait(for: [.began])
            try await call.kill()
            try await scene.events.wait(for: [.began, .ended(shouldResume: true)])
            try await waitUntil("playing again") { scene.player.isPlaying }
        }
    }

    @Test("A mute by the user is no interruption, and is never undone")
    func mutedByUser() async throws {
        try await Self.scene { scene in
            #expect(scene.player.play())
            try await scene.monitor.waitForSound()
            let pactl = Pactl(scene.server)
            let own = try await pactl.waitForSinkInput(of: ProcessInfo.processInfo.processIdentifier).index
            try await pactl.setMute(true, sinkInput: own)
            try await scene.monitor.waitForSilence(duration: 0.3, from: scene.monitor.frames)
            #expect(scene.events.all.isEmpty)
            #expect(scene.player.isPlaying)
            let streams = try await pactl.sinkInputs()
            #expect(streams.first { $0.index == own }?.isMuted == true)
        }
    }

    @Test("Ten calls in a row: as many interruptions, and not a frame lost or repeated")
    func tenCalls() async throws {
        try await Self.scene { scene in
            #expect(scene.player.play())
            try await scene.monitor.waitForSound()
            var expected: [SessionEvents.Event] = []
            for _ in 0..<10 {
                let call = try await ForeignStream.start(on: scene.server, role: "phone")
                expected.append(.began)
                try await scene.events.wait(for: expected)
                let origin = scene.events.info(of: expected.count - 1)[AVAudioSessionInterruptionOriginKey]
                #expect((origin as? AVAudioSession.InterruptionOrigin)?.streamIndex == UInt32(call.index))
                try await call.stop()
                expected.append(.ended(shouldResume: true))
                try await scene.events.wait(for: expected)
                try await scene.monitor.wait(seconds: 0.2)
            }
            scene.player.stop()
            #expect(scene.events.all == expected)
            Self.expectContinuous(scene.monitor.soFar(), from: 1)
        }
    }
}

/// Carries a player into an observer.
// SAFETY: the player guards itself.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
