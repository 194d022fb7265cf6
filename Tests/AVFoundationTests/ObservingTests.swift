import AVFoundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Key-value observing", .serialized, .limited)
struct ObservingTests {
    /// What was told, in order.
    // SAFETY: `list` is guarded by `lock`.
    private final class Words: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [String] = []

        var all: [String] { lock.withLock { list } }
        func add(_ word: String) { lock.withLock { list.append(word) } }
    }

    @Test(
        "Changes of a player and its item are told with old and new value, until the token goes",
        arguments: HeadlessServer.Kind.allCases)
    func changes(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(0.5))
            let player = lab.player(nil)
            let (rates, states, gone) = (Words(), Words(), Words())
            let news = PlayerNews(of: player)
            let rate = player.observe(\.rate, options: [.initial, .old, .new]) { observed, change in
                rates.add("\(observed === player) \(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue ?? -1)")
            }
            let status = item.observe(\.status, options: [.new]) { _, change in
                states.add("\(change.oldValue == nil) \(change.newValue?.rawValue ?? -1)")
            }
            var other: NSKeyValueObservation? = player.observe(\.currentItem) { _, _ in gone.add("item") }
            player.replaceCurrentItem(with: item)
            try await waitUntil("the item", timeout: hangLimit) { gone.all == ["item"] }
            other = nil
            player.play()
            try await waitUntil("the rate", timeout: hangLimit) { rates.all == ["true - 0.0", "true 0.0 1.0"] }
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 && rates.all.count == 3 }
            #expect(rates.all.last == "true 1.0 0.0" && states.all == ["true 1"])
            rate.invalidate()
            let again = Words()
            let last = player.observe(\.currentItem) { _, _ in again.add("item") }
            player.rate = 1
            player.replaceCurrentItem(with: nil)
            try await waitUntil("the other observer", timeout: hangLimit) { again.all == ["item"] }
            #expect(rates.all.count == 3 && gone.all.count == 1)
            withExtendedLifetime((status, other, last, news)) {}
        }
    }

    @Test("What changes while somebody begins to observe is told")
    func beginning() async throws {
        let item = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent"))
        let (property, values) = (Restless(), Words())
        let token = item.observe(\.[property], options: [.initial, .new]) { _, change in
            values.add("\(change.newValue ?? 0)")
        }
        try await waitUntil("the change", timeout: hangLimit) { values.all == ["1", "2"] }
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("Who lets go of its observation, in a handler before it or while news is on the way, is not told")
    func lettingGo() async throws {
        let (player, told) = (AVPlayer(), Words())
        var second: NSKeyValueObservation?
        let first = player.observe(\.rate) { _, _ in
            told.add("first")
            second = nil
        }
        second = player.observe(\.rate) { _, _ in told.add("second") }
        player.rate = 1
        #expect(told.all == ["first"])
        second = player.observe(\.rate) { _, _ in told.add("second") }
        // The main thread is here meanwhile.
        let changed = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            player.rate = 0
            changed.signal()
        }
        holdMainThread { changed.wait(timeout: .now()) == .success }
        second = nil
        // In order behind what is told.
        await withCheckedContinuation { told in DispatchQueue.main.async { told.resume() } }
        #expect(told.all == ["first", "first"])
        withExtendedLifetime((first, second)) {}
    }

    /// A property that changes behind whoever looks at it first.
    // SAFETY: `hasLooked` is guarded by `lock`.
    final class Restless: Hashable, @unchecked Sendable {
        private let lock = NSLock()
        private var hasLooked = false

        var value: Int {
            lock.withLock {
                defer { hasLooked = true }
                return hasLooked ? 2 : 1
            }
        }

        static func == (first: Restless, second: Restless) -> Bool { first === second }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}

extension AVPlayerItem {
    fileprivate subscript(property: ObservingTests.Restless) -> Int { property.value }
}
