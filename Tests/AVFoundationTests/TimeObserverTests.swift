import AVFoundation
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's time observers", .serialized, .timeLimit(.minutes(60)))
struct TimeObserverTests {
    /// Positions in the order in which they were told.
    // SAFETY: `list` is guarded by `lock`.
    private final class Positions: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [Double] = []

        var all: [Double] { lock.withLock { list } }
        func add(_ seconds: Double) { lock.withLock { list.append(seconds) } }
    }

    @Test(
        "Periodic: at the multiples of its interval, at start and stop, and no more once removed",
        arguments: HeadlessServer.Kind.allCases)
    func periodic(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.player(try lab.item(lab.counter(1)))
            let news = PlayerNews(of: player)
            let (all, removed) = (Positions(), Positions())
            let interval = CMTime(value: 1, timescale: 10)
            let token = player.addPeriodicTimeObserver(forInterval: interval, queue: nil) { all.add($0.seconds) }
            let other = player.addPeriodicTimeObserver(forInterval: interval, queue: .main) { removed.add($0.seconds) }
            player.play()
            try await waitUntil("half of it", timeout: hangLimit) { removed.all.contains { $0 >= 0.5 } }
            player.removeTimeObserver(other)
            let count = removed.all.count
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await waitUntil("the last report", timeout: hangLimit) { all.all.last == 1 }
            // One call may have begun.
            #expect(removed.all.count <= count + 1 && removed.all.allSatisfy { $0 < 1 })
            #expect(all.all == all.all.sorted())
            for step in 1...9 {
                let due = Double(step) / 10
                let first = try #require(all.all.first { $0 >= due - 1e-9 })
                // A busy machine may be late, but never by a whole step and a half.
                #expect(first < due + 0.15, "\(due): \(all.all)")
            }
            player.removeTimeObserver(token)
        }
    }

    @Test("Periodic with an interval that is none: at start and stop only")
    func noInterval() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let player = lab.player(try lab.item(lab.counter(1)))
            let news = PlayerNews(of: player)
            let positions = Positions()
            let none: [CMTime] = [.invalid, .indefinite, .positiveInfinity, .zero, CMTime(value: -1, timescale: 10)]
            let tokens = none.map {
                player.addPeriodicTimeObserver(forInterval: $0, queue: nil) { positions.add($0.seconds) }
            }
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await waitUntil("the last reports", timeout: hangLimit) {
                positions.all.suffix(none.count) == none.map { _ in 1 }
            }
            // While the sound begins the player may stand and go on a few times.
            #expect(positions.all.count < none.count * 10, "\(positions.all.count) reports")
            for token in tokens { player.removeTimeObserver(token) }
        }
    }

    @Test(
        "Boundaries: each that is played across, in order; none that a seek jumps over",
        arguments: HeadlessServer.Kind.allCases)
    func boundaries(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(2))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            let passed = Positions()
            let times = [1.5, 0.25, 1.0, 2.0].map { NSValue(time: CMTime(seconds: $0, preferredTimescale: 600)) }
            let token = player.addBoundaryTimeObserver(forTimes: times, queue: .global()) {
                passed.add(player.currentTime().seconds)
            }
            player.play()
            try await waitUntil("the first boundary", timeout: hangLimit) { passed.all.count == 1 }
            await player.seek(to: CMTime(seconds: 1.2, preferredTimescale: 600))
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await waitUntil("the last boundary", timeout: hangLimit) { passed.all.count >= 3 }
            #expect(passed.all.count == 3)
            let isInTime = zip(passed.all, [0.25, 1.5, 2.0]).allSatisfy { $0 >= $1 - 0.001 && $0 < $1 + 0.2 }
            #expect(isInTime, "\(passed.all)")
            player.removeTimeObserver(token)
        }
    }

    @Test("A player that nobody holds goes, with its observers and its sound")
    func released() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            weak var gone: AVPlayer?
            do {
                let player = lab.player(try lab.item(lab.sine(440, seconds: 30)))
                gone = player
                _ = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) { _ in }
                player.play()
                try await lab.monitor.waitForSound()
            }
            try await waitUntil("the player to go", timeout: hangLimit) { gone == nil }
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
        }
    }
}
