import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// Ducking of programs outside the library on PulseAudio, by real processes, judged from outside.
@Suite(.limited) struct ForeignDuckTests {
    @Test func lowersByTwentyDecibelsAndGivesBackExactly() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server, playing: .tone(frequency: 441))
            let ear = try await MonitorRecording.start(on: desk.server)
            try await ear.waitForSound()
            try await ear.wait(seconds: 0.3)
            let before = ear.frames
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await desk.waitForMemory(DuckDesk.full)
            try await ear.wait(seconds: 0.2)
            let during = ear.frames
            try await ear.wait(seconds: 0.3)
            peer.send(SIGUSR2)
            try await desk.wait(for: DuckDesk.full, of: music)
            try await ear.wait(seconds: 0.2)
            let after = ear.frames
            try await ear.wait(seconds: 0.3)
            let sound = try await ear.stop()
            // Peaks, and no click beside a hole: a busy machine may break the tone, which is not what is judged here.
            let level = { sound.peakLevel($0..<$0 + 8_000) }
            #expect(abs(level(before - 10_000) - level(during) - 20) < 0.2)
            #expect(abs(level(before - 10_000) - level(after)) < 0.01)
            let holes = sound.gaps(minimumFrames: 20)
            // A step of the ramp leaves 0.04, three at once on a busy machine 0.1, a jump to the lowered level 0.22.
            let clicks = sound.discontinuities(frequency: 441, tolerance: 0.12, in: before - 10_000..<after + 8_000)
                .filter { click in !holes.contains { $0.lowerBound - 100 < click && click < $0.upperBound + 100 } }
            #expect(clicks.isEmpty)
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func callsAndScreenReadersAreNotTouched() async throws {
        try await withDesktop { desk in
            let call = try await ForeignStream.start(on: desk.server, role: "phone")
            let reader = try await ForeignStream.start(on: desk.server, role: "a11y")
            let music = try await ForeignStream.start(on: desk.server)
            _ = try await withPeer(desk) { _ in
                try await desk.wait(for: DuckDesk.lowered, of: music)
                #expect(try await desk.volume(of: call) == [DuckDesk.full, DuckDesk.full])
                #expect(try await desk.volume(of: reader) == [DuckDesk.full, DuckDesk.full])
            }
        }
    }

    @Test func aStreamThatAppearsMeanwhileIsLoweredOnce() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            // Of the same program, so under the same name in the server's memory.
            let next = try await ForeignStream.start(on: desk.server)
            let other = try await ForeignStream.start(on: desk.server, role: "video")
            try await desk.wait(for: DuckDesk.lowered, of: next)
            try await desk.wait(for: DuckDesk.lowered, of: other)
            // Its title changes: the server remembers the volume as it is, which is ours.
            try await desk.pactl.run("set-sink-input-mute", "\(music.index)", "1")
            try await desk.pactl.run("set-sink-input-mute", "\(music.index)", "0")
            try await desk.waitForMemory(DuckDesk.full)
            peer.send(SIGUSR2)
            for stream in [next, other] { try await desk.wait(for: DuckDesk.full, of: stream) }
            try await desk.expectEverythingAsBefore(music)
        }
    }

    /// The server has just remembered the lowered volume, nobody has put it right yet, and the program opens a stream.
    @Test func aStreamThatStartsLoweredIsNotLoweredTwice() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await desk.waitForMemory(DuckDesk.full)
            peer.send(SIGSTOP)
            try await desk.pactl.run("set-sink-input-mute", "\(music.index)", "1")
            try await waitUntil("a wrong memory") { try await desk.memory().values.contains([30_419, 30_419]) }
            let next = try await ForeignStream.start(on: desk.server)
            #expect(try await desk.volume(of: next) == [DuckDesk.lowered, DuckDesk.lowered])
            peer.send(SIGCONT)
            try await waitUntil("the ledger") { desk.ledger()?.record(UInt32(next.index)) != nil }
            try await desk.waitForMemory(DuckDesk.full)
            #expect(try await desk.volume(of: next) == [DuckDesk.lowered, DuckDesk.lowered])
            peer.send(SIGUSR2)
            try await desk.wait(for: DuckDesk.full, of: next)
            try await desk.wait(for: DuckDesk.full, of: music)
        }
    }

    @Test(arguments: [0.37, 1.0]) func aUserWhoMovesTheSliderWins(fraction: Double) async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let other = try await ForeignStream.start(on: desk.server, role: "video")
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await desk.wait(for: DuckDesk.lowered, of: other)
            let value = UInt32(fraction * 65_536)
            try await desk.pactl.setVolume(fraction, sinkInput: music.index)
            try await waitUntil("hands off") { desk.ledger()?.entries[UInt32(music.index)] == .released }
            #expect(try await desk.volume(of: music) == [value, value])
            peer.send(SIGUSR2)
            try await desk.wait(for: DuckDesk.full, of: other)
            try await waitUntil("an empty ledger") { desk.ledger()?.isEmpty ?? false }
            #expect(try await desk.volume(of: music) == [value, value])
            try await desk.waitForMemory(value, DuckDesk.full)
            let next = try await ForeignStream.start(on: desk.server)
            #expect(try await desk.volume(of: next) == [value, value])
        }
    }

    @Test func aStreamThatIsMovedAwayIsGivenBack() async throws {
        try await withDesktop(sinks: [.init(), .init(name: "elsewhere")]) { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let far = try await ForeignStream.start(on: desk.server, sink: "elsewhere")
            try await withPeer(desk) { _ in
                try await desk.wait(for: DuckDesk.lowered, of: music)
                #expect(try await desk.volume(of: far) == [DuckDesk.full, DuckDesk.full])
                try await desk.pactl.move(sinkInput: music.index, to: "elsewhere")
                try await desk.wait(for: DuckDesk.full, of: music)
                try await desk.pactl.move(sinkInput: far.index, to: "test_out")
                try await desk.wait(for: DuckDesk.lowered, of: far)
            }
            try await desk.wait(for: DuckDesk.full, of: far)
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func sinksThatComeAndGoLeaveNothingBehind() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            for _ in 0..<5 {
                let sink = try await desk.pactl.loadModule("module-null-sink", ["sink_name=headset", "norewinds=1"])
                try await desk.pactl.setDefault(sink: "headset")
                try await desk.pactl.move(sinkInput: music.index, to: "headset")
                // The stream goes back to the sink that is left.
                try await desk.pactl.unloadModule(sink)
            }
            try await desk.wait(for: DuckDesk.lowered, of: music)
            peer.send(SIGUSR2)
            try await desk.expectEverythingAsBefore(music)
        }
    }

    @Test func aStreamThatEndsLoweredLeavesNoTrace() async throws {
        try await withDesktop { desk in
            let music = try await ForeignStream.start(on: desk.server)
            let quiet = try await ForeignStream.start(on: desk.server)
            try await desk.pactl.setVolume(0.5, sinkInput: quiet.index)
            try await waitUntil("a memory") { try await desk.memory().values.contains([32_768, 32_768]) }
            let peer = try await desk.peer("ducks")
            try await desk.wait(for: DuckDesk.lowered, of: music)
            try await music.kill()
            try await quiet.kill()
            try await waitUntil("an empty ledger") { desk.ledger()?.isEmpty ?? false }
            try await desk.waitForMemory(32_768)
            // And the ducking goes on.
            let next = try await ForeignStream.start(on: desk.server)
            try await desk.wait(for: 15_210, of: next)
            peer.send(SIGUSR2)
            try await desk.wait(for: 32_768, of: next)
        }
    }

    /// A program ends its stream and opens the next one, which is born with our volume before the memory is right.
    @Test func aStreamThatBeginsWhileTheMemoryIsPutRightIsNotLoweredForGood() async throws {
        try await withDesktop { desk in
            let first = try await ForeignStream.start(on: desk.server)
            let info = try await desk.observer.serverInfo()
            let file = DuckLedgerFile(server: info.cookie, directory: desk.server.directory.path)
            let ducker = PulseDucker(connection: desk.observer, server: info.cookie, file: file)
            let lower = { (streams: [ForeignStream]) in
                desk.observer.mainloop.withLock {
                    let levels = streams.map { (UInt32($0.index), DuckTargets.Level.lowered) }
                    ducker.apply(Dictionary(uniqueKeysWithValues: levels), newborn: [], gain: 0.1, ramps: DuckRamps())
                }
            }
            lower([first])
            try await desk.wait(for: DuckDesk.lowered, of: first)
            try await desk.waitForMemory(DuckDesk.full)
            try await desk.pactl.run("set-sink-input-mute", "\(first.index)", "1")
            try await waitUntil("a wrong memory") { try await desk.memory().values.contains([30_419, 30_419]) }
            try await first.kill()
            try await waitUntil("its end") { try await desk.observer.sinkInputs().isEmpty }
            // Answers come in order: the list of streams is known when the gate is reached, and the memory is not.
            let gate = Gate()
            desk.observer.mainloop.withLock {
                ducker.streamsChanged()
                desk.observer.sync { $0.serverInfo { _ in gate.pass() } }
            }
            try await waitUntil("a look at the streams") { gate.arrived == 1 }
            let next = try await ForeignStream.start(on: desk.server)
            let born = try await desk.pactl.sinkInputs().first { $0.index == next.index }
            #expect(born?.volume == Double(DuckDesk.lowered) / Double(DuckDesk.full))
            gate.open()
            lower([next])
            try await waitUntil("the ledger") { file?.load()?.record(UInt32(next.index)) != nil }
            lower([])
            try await waitUntil("an empty ledger") { file?.load()?.isEmpty == true }
            try await desk.wait(for: DuckDesk.full, of: next)
            try await desk.waitForMemory(DuckDesk.full)
        }
    }

    /// Runs `body` while somebody ducks, and returns when nobody does.
    private func withPeer(_ desk: DuckDesk, _ body: (ChildProcess) async throws -> Void) async throws {
        let peer = try await desk.peer("ducks")
        try await body(peer)
        peer.send(SIGUSR2)
        try await waitUntil("an empty ledger") { desk.ledger()?.isEmpty ?? false }
    }
}
