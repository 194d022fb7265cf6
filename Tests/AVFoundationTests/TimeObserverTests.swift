import HeadlessServer
import TestSupport
import Testing

@testable import AVMedia

@Suite("AVPlayer's time observers", .serialized, .limited)
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
        .judges(.time(seconds: 0.15)), arguments: HeadlessServer.Kind.allCases)
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

    @Test("What is on the way when the player goes is not told")
    func playerGoes() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            var player: AVPlayer? = lab.player(try lab.item(lab.counter(5)))
            let (here, there) = (Positions(), Positions())
            let interval = CMTime(value: 1, timescale: 50)
            // Whoever never removes them needs no name for what comes back; the player keeps them.
            player?.addPeriodicTimeObserver(forInterval: interval, queue: .main) { here.add($0.seconds) }
            player?.addPeriodicTimeObserver(forInterval: interval, queue: .global()) { there.add($0.seconds) }
            player?.play()
            try await waitUntil("reports", timeout: hangLimit) { !here.all.isEmpty && !there.all.isEmpty }
            let isReleased = Flag()
            let holding = Task { @MainActor in
                let count = here.all.count
                holdMainThread { isReleased.isSet }
                return count
            }
            let count = there.all.count
            try await waitUntil("more of them", timeout: hangLimit) { there.all.count > count + 3 }
            player = nil
            isReleased.set()
            let before = await holding.value
            await MainActor.run {}
            #expect(here.all.count == before)
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

    @Test("Boundaries that lie close together are told one by one")
    func closeBoundaries() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let player = lab.player(try lab.item(lab.counter(1)))
            let news = PlayerNews(of: player)
            let passed = Positions()
            let times = (0..<200).map { NSValue(time: CMTime(value: 5000 + $0, timescale: 10_000)) }
            let token = player.addBoundaryTimeObserver(forTimes: times, queue: .global()) { passed.add(0) }
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await waitUntil("all of them", timeout: hangLimit) { passed.all.count == times.count }
            player.removeTimeObserver(token)
        }
    }

    @Test("A position's next multiple lies behind it, however it is rounded")
    func multiples() {
        for interval in [0.1, 0.02, 0.01, 1.0 / 30] {
            let times = TimeObserver.Times.every(interval)
            let wrong = (1...100_000).first { count in
                let place = Double(count) * interval
                guard let next = times.next(after: place) else { return true }
                return next <= place || next > place + interval * 1.01
            }
            #expect(wrong == nil, "\(interval)")
        }
    }

    @Test("A stream that comes, and an item behind the current one, are nothing to observers with a long interval")
    func quiet() async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            var file = WebFile(data: lab.counter(60).wavData)
            file.pace = lab.rate * 4 * 8
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.queue([item])
            let (positions, loads) = (Positions(), Log<Int>())
            let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1000, timescale: 1), queue: nil) {
                positions.add($0.seconds)
            }
            let loading = item.observe(\.loadedTimeRanges) { item, _ in
                loads.note(Int(item.loadedTimeRanges.first?.timeRangeValue.end.seconds ?? 0))
            }
            player.play()
            try await lab.monitor.waitForSound()
            try await waitUntil("a full buffer", timeout: hangLimit) { item.isPlaybackBufferFull }
            player.insert(try lab.item(lab.counter(1)), after: nil)
            try await waitUntil("more sound", timeout: hangLimit) { player.currentTime().seconds > 5 }
            #expect(positions.all.count <= 4, "\(positions.all)")
            #expect(Set(loads.all.filter { (6...15).contains($0) }).count >= 5, "\(loads.all)")
            player.pause()
            withExtendedLifetime(loading) {}
            player.removeTimeObserver(token)
        }
    }

    @Test("Boundaries in a queue: all of an item that is heard to its end, none of one that begins behind them")
    func seams() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let far = try lab.item(lab.counter(30))
            far.seek(to: CMTime(seconds: 20, preferredTimescale: 600), completionHandler: nil)
            // Nobody but the queue keeps those before it.
            let player = lab.queue(try (0..<6).map { _ in try lab.item(lab.counter(0.8)) } + [far])
            let (ends, never) = (Positions(), Positions())
            let end = [NSValue(time: CMTime(seconds: 0.8, preferredTimescale: 48_000))]
            let middle = [NSValue(time: CMTime(seconds: 10, preferredTimescale: 600))]
            let tokens = [
                player.addBoundaryTimeObserver(forTimes: end, queue: .global()) { ends.add(0) },
                player.addBoundaryTimeObserver(forTimes: middle, queue: .global()) { never.add(0) },
            ]
            player.play()
            try await waitUntil("the last item", timeout: hangLimit) {
                player.currentItem === far && player.currentTime().seconds > 20.3
            }
            #expect(ends.all.count == 6, "\(ends.all.count) ends")
            #expect(never.all.isEmpty, "what a seek has passed is not played across")
            player.pause()
            for token in tokens { player.removeTimeObserver(token) }
        }
    }

    @Test("A player that nobody holds goes, with its observers and its sound")
    func released() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            weak var gone: AVPlayer?
            do {
                let player = lab.player(try lab.item(lab.sine(440, seconds: 30)))
                gone = player
                player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) { _ in }
                player.play()
                try await lab.monitor.waitForSound()
            }
            try await waitUntil("the player to go", timeout: hangLimit) { gone == nil }
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
        }
    }

    @Test(
        "Boundaries soon after the beginning of items that follow others: all are told, however busy the main queue is",
        arguments: HeadlessServer.Kind.allCases)
    func soonAfterSeams(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try (0..<6).map { _ in try lab.item(lab.counter(0.05)) }
            let player = lab.queue(items)
            let passed = Positions()
            let times = [0.001, 0.025, 0.05].map { NSValue(time: CMTime(seconds: $0, preferredTimescale: 48_000)) }
            let token = player.addBoundaryTimeObserver(forTimes: times, queue: .global()) { passed.add(0) }
            player.play()
            try await waitUntil("the end of all", timeout: hangLimit) { player.currentItem == nil }
            try await waitUntil("all boundaries", timeout: hangLimit) { passed.all.count == 18 }
            #expect(passed.all.count == 18)
            player.removeTimeObserver(token)
        }
    }
}
