import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Very many players", .serialized, .limited)
struct PlayerManyTests {
    private static let isSoak = ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"] != nil

    /// Players of one task, which wakes on a thread of its own each time: each plays for 10 ms or more, and goes at a
    /// moment that has nothing to do with its age.
    private func churn(_ count: Int, seed: UInt64, files: [URL], session: AVAudioSession) async throws {
        var dice = SeededGenerator(seed: seed)
        var alive: [(player: AVAudioPlayer, since: ContinuousClock.Instant)] = []
        func dropOne() async throws {
            let index = Int.random(in: 0..<alive.count, using: &dice)
            let since = alive[index].since
            try await waitUntil("10 ms of playing") { ContinuousClock.now - since >= .milliseconds(10) }
            if index % 3 == 0 { alive[index].player.stop() }
            alive.remove(at: index)
        }
        for round in 0..<count {
            let player = try AVAudioPlayer(
                contentsOf: files[Int.random(in: 0..<files.count, using: &dice)], session: session)
            player.enableRate = round % 5 == 0
            player.rate = 1.5
            player.isMeteringEnabled = round % 2 == 0
            #expect(player.play())
            alive.append((player, .now))
            if alive.count >= 6 { try await dropOne() }
        }
        while !alive.isEmpty { try await dropOne() }
    }

    // Each in a process of its own, where nothing else takes memory; a body that runs there cannot take arguments.

    @Test(
        "1 000 players (in CI 200) that play and go in random order on any threads leave nothing behind: PulseAudio",
        .oneSlot)
    func thousandOnPulseAudio() async {
        await #expect(processExitsWith: .success) { try await PlayerManyTests().thousand(.pulseAudio) }
    }

    @Test(
        "1 000 players (in CI 200) that play and go in random order on any threads leave nothing behind: PipeWire",
        .oneSlot)
    func thousandOnPipeWire() async {
        await #expect(processExitsWith: .success) { try await PlayerManyTests().thousand(.pipeWire) }
    }

    private func thousand(_ kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [kind.sink]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            func file(_ rate: Int, seconds: Double) throws -> URL {
                try TestSignal.sine(frequency: 500, level: -50, seconds: seconds, sampleRate: rate).writeWAV(
                    to: server.directory.appendingPathComponent("\(rate)-\(seconds).wav"))
            }
            let files = try [44_100, 48_000, 8000].map { try file($0, seconds: 2) }
            func round(_ count: Int) async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<4 {
                        group.addTask {
                            try await churn(count / 4, seed: UInt64(task + count), files: files, session: session)
                        }
                    }
                    try await group.waitForAll()
                }
                try await waitUntil("a corked stream") { try await Pactl(server).sinkInputs().allSatisfyCorked }
            }
            // Every new player has a second of all that play rendered again: a thousand cost a minute of processor time.
            let many = Self.isSoak ? 1000 : 200
            // The allocator's pools, of which each thread has its own, fill with the first of them.
            try await round(many)
            let before = try anonymousMemory()
            try await round(many)
            let after = try anonymousMemory()
            print("\(many) players on \(kind): \(before >> 10) KiB before, \(after >> 10) KiB after")
            // A player's ring alone takes half a megabyte; what a freed one leaves torn in the pools differs by some.
            #expect(Sanitizer.isPresent || after - before < 16 << 20, "from \(before >> 10) to \(after >> 10) KiB")
            #expect(try await Pactl(server).sinkInputs().count == 1)
            // And everything still works.
            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: file(48_000, seconds: 0.3), session: session)
            player.delegate = events
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }
}
