import AVFoundation
import HeadlessServer
import TestSupport
import Testing

extension AVPlayerLab {
    func queue(_ items: [AVPlayerItem]) -> AVQueuePlayer { AVQueuePlayer(items: items, session: session) }

    /// Items whose frames count on from one to the next.
    func countingItems(_ seconds: [Double]) throws -> [AVPlayerItem] {
        var first = 1
        return try seconds.map {
            let signal = TestSignal.counter(from: first, seconds: $0, sampleRate: rate)
            first += signal.frames
            return try item(signal)
        }
    }

    /// Plays something else that is not heard, so that the mix goes on whatever the queue does.
    func silentCompanion() throws -> AVPlayer {
        let other = player(try item(sine(440, seconds: 60)))
        other.isMuted = true
        other.play()
        return other
    }
}

/// Which items were told to have ended, in order.
// SAFETY: everything mutable is guarded by `lock`.
final class EndNews: @unchecked Sendable {
    private let lock = NSLock()
    private let items: [AVPlayerItem]
    private var list: [Int] = []
    private var tokens: [any NSObjectProtocol] = []

    init(of items: [AVPlayerItem]) {
        self.items = items
        tokens = [AVPlayerItem.didPlayToEndTimeNotification, AVPlayerItem.failedToPlayToEndTimeNotification].map {
            NotificationCenter.default.addObserver(forName: $0, object: nil, queue: nil) { [weak self] in self?.note($0)
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    private func note(_ notification: Notification) {
        guard let index = items.firstIndex(where: { $0 === notification.object as? AVPlayerItem }) else { return }
        let sign = notification.name == AVPlayerItem.didPlayToEndTimeNotification ? 1 : -1
        lock.withLock { list.append(sign * (index + 1)) }
    }

    /// Numbers from 1; negative for an item that failed.
    var all: [Int] { lock.withLock { list } }

    func forget() { lock.withLock { list = [] } }
}

/// Asks for its player's items as it goes.
// SAFETY: what it adds is set before anybody else has it.
private final class LookingItem: AVPlayerItem, @unchecked Sendable {
    weak var queue: AVQueuePlayer?
    var gone: Outcomes?

    deinit { gone?.add("gone")(queue?.currentItem == nil || queue?.items().isEmpty == false) }
}

/// Judged by signals that count their frames from one item to the next, silence between them included.
@Suite("AVQueuePlayer", .serialized, .limited)
struct QueueTests {
    @Test("An item may look at its player as it goes")
    func looksAround() async {
        // In a process of its own, which a second access to the same property would end.
        await #expect(processExitsWith: .success) {
            let gone = Outcomes()
            let player = AVQueuePlayer()
            func item() -> LookingItem {
                let item = LookingItem(url: URL(fileURLWithPath: "/nonexistent/file.wav"))
                (item.queue, item.gone) = (player, gone)
                return item
            }
            for _ in 1...4 { player.insert(item(), after: nil) }
            // Until its file is open, somebody else has it too.
            func opened() async throws {
                try await waitUntil("the failure", timeout: hangLimit) {
                    player.items().prefix(2).allSatisfy { $0.status == .failed }
                }
            }
            try await opened()
            player.advanceToNextItem()
            try await waitUntil("the first", timeout: hangLimit) { gone.calls == 1 }
            try await opened()
            player.replaceCurrentItem(with: nil)
            try await waitUntil("the second", timeout: hangLimit) { gone.calls == 2 }
            player.removeAllItems()
            try await waitUntil("all", timeout: hangLimit) { gone.calls == 4 }
        }
    }

    @Test(
        "Items are heard one after the other without a frame of silence between them, whatever plays beside them",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func gapless(kind: HeadlessServer.Kind, isAlone: Bool) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.7, 1.3, 0.5, 1.1])
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            let companion = isAlone ? nil : try lab.silentCompanion()
            #expect(player.actionAtItemEnd == .advance && player.items() == items && player.currentItem === items[0])
            player.play()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all.count == 4 }
            #expect(ends.all == [1, 2, 3, 4])
            #expect(player.currentItem == nil && player.items().isEmpty)
            #expect(player.rate == 1 && player.reasonForWaitingToPlay == .noItemToPlay)
            let heard = runs(try await lab.counted(withGaps: true))
            #expect(heard == [1...Int(3.6 * Double(lab.rate))])
            withExtendedLifetime(companion) {}
        }
    }

    @Test(
        "Each item is the current one in its turn, and all are told by a late main queue; one more is played at the end",
        .alone, .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases, [false, true])
    func currentItem(kind: HeadlessServer.Kind, isLate: Bool) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.4, 0.4, 0.4])
            let player = lab.queue([items[0], items[1]])
            let ends = EndNews(of: items)
            let told = Outcomes()
            let token = player.observe(\.currentItem, options: [.new]) { _, change in
                let index = items.firstIndex { $0 === change.newValue ?? nil }
                told.add("\(told.all.count): \(index.map { "\($0)" } ?? "none")")(true)
            }
            player.play()
            if isLate {
                let gate = Gate()
                defer { gate.open() }
                try await holdMain(gate)
                let both = Int(0.8 * Double(lab.rate))
                try await waitUntil("both to be heard") { try await lab.counted().count == both }
            }
            try await waitUntil("the end of both", timeout: hangLimit) { ends.all == [1, 2] }
            try await waitUntil("the news", timeout: hangLimit) { told.all.count == 2 }
            #expect(told.all.keys.sorted() == ["0: 1", "1: none"])
            #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            player.insert(items[2], after: nil)
            #expect(player.currentItem === items[2])
            try await waitUntil("the third end", timeout: hangLimit) { ends.all == [1, 2, 3] }
            #expect(try await lab.counted() == Array(1...3 * Int(0.4 * Double(lab.rate))))
            withExtendedLifetime(token) {}
        }
    }

    @Test(
        "A queue is changed while it waits and while it plays", .judges(.gap(frames: 0)),
        arguments: [HeadlessServer.Kind.pulseAudio])
    func editing(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([30, 0.5, 0.5, 30, 0.5])
            let player = lab.queue([items[0], items[3]])
            #expect(player.canInsert(items[1], after: items[0]) && player.canInsert(items[1], after: nil))
            #expect(!player.canInsert(items[1], after: items[2]) && !player.canInsert(items[3], after: nil))
            player.insert(items[1], after: items[0])
            player.insert(items[2], after: items[1])
            player.insert(items[4], after: nil)
            #expect(player.items() == items)
            let other = lab.queue([])
            #expect(!other.canInsert(items[4], after: nil))
            player.remove(items[3])
            #expect(other.canInsert(items[3], after: nil))
            player.play()
            try await lab.monitor.waitForSound()
            let ends = EndNews(of: items)
            player.advanceToNextItem()
            #expect(player.currentItem === items[1] && player.rate == 1)
            try await waitUntil("the others", timeout: hangLimit) { ends.all == [2, 3, 5] }
            let first = 30 * lab.rate
            let half = lab.rate / 2
            let heard = runs(try await lab.counted())
            #expect(heard.count == 3 && heard.first?.lowerBound == 1)
            #expect(
                heard.dropFirst() == [first + 1...first + 2 * half, 2 * first + 2 * half + 1...2 * first + 3 * half])
            player.insert(items[0], after: nil)
            player.removeAllItems()
            #expect(player.items().isEmpty && other.canInsert(items[0], after: nil))
        }
    }

    @Test(
        "What is on its way to the listener of the next item is taken back by a pause, a seek, a removal and another action",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func takenBack(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.8, 0.8, 0.8])
            let frames = Int(0.8 * Double(lab.rate))
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await lab.monitor.waitForSound()
            player.pause()
            #expect(player.currentItem === items[0])
            player.play()
            try await lab.monitor.wait(seconds: 0.1)
            await player.seek(to: .zero)
            try await lab.monitor.wait(seconds: 0.1)
            player.remove(items[1])
            try await lab.monitor.wait(seconds: 0.1)
            player.actionAtItemEnd = .pause
            try await waitUntil("the first end", timeout: hangLimit) { ends.all == [1] }
            #expect(player.currentItem === items[0] && player.rate == 0)
            let heard = runs(try await lab.counted())
            #expect(heard.count == 2 && heard.first?.lowerBound == 1 && heard.last == 1...frames)
            player.actionAtItemEnd = .advance
            player.advanceToNextItem()
            #expect(player.rate == 0 && player.currentItem === items[2])
            player.play()
            try await waitUntil("the last end", timeout: hangLimit) { ends.all == [1, 3] }
            #expect(runs(try await lab.counted()).dropFirst(2) == [2 * frames + 1...3 * frames])
        }
    }

    @Test(
        "Pauses where one item turns into the next lose nothing and repeat nothing",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func pausesAtTheSeam(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.3, 0.3, 0.3, 0.3, 0.3, 0.3])
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await lab.monitor.waitForSound()
            for _ in 0..<8 {
                try await lab.monitor.wait(seconds: 0.07)
                player.pause()
                player.play()
            }
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all.count == 6 }
            #expect(ends.all == [1, 2, 3, 4, 5, 6])
            let heard = runs(try await lab.counted())
            #expect(heard == [1...6 * Int(0.3 * Double(lab.rate))], "\(heard)")
        }
    }

    @Test(
        "A session that is deactivated while the next item is on its way stops the queue, which goes on with play()",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func deactivated(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.6, 0.6])
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await lab.monitor.waitForSound()
            try? lab.session.setActive(false)
            #expect(player.rate == 0)
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
            player.play()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all == [1, 2] }
            #expect(runs(try await lab.counted()) == [1...2 * Int(0.6 * Double(lab.rate))])
        }
    }

    @Test(
        "Sound that is rendered again, another stream for another role, and a move to another sink and back keep the order",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func otherStreams(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let pactl = Pactl(lab.server)
            let home = try #require(try await pactl.sinks().first)
            let other = try await pactl.loadModule("module-null-sink", ["sink_name=other", "rate=\(lab.rate)"])
            // It may have become the default.
            try await pactl.setDefault(sink: home.name)
            let items = try lab.countingItems([0.9, 0.9, 0.9, 0.9, 0.9])
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await lab.monitor.waitForSound()
            // The same as before, so that the numbers stay; yet what is queued is rendered again.
            player.volume = 1
            try lab.session.setMode(.moviePlayback)
            let companion = try lab.silentCompanion()
            try await waitUntil("the second item", timeout: hangLimit) { player.currentItem === items[1] }
            try await lab.monitor.wait(seconds: 0.2)
            // PipeWire does not go on bit by bit after such a move, which cannot be judged so.
            if kind == .pulseAudio {
                let stream = try await pactl.waitForSinkInput(of: getpid())
                try await pactl.move(sinkInput: stream.index, to: "other")
                try await pactl.move(sinkInput: stream.index, to: home.name)
            }
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all.count == 5 }
            #expect(ends.all == [1, 2, 3, 4, 5])
            // What is heard at the other sink is not recorded.
            let heard = runs(try await lab.counted())
            // What was heard last before a move is known to some milliseconds on a busy machine.
            let slack = lab.rate / 100
            #expect(zip(heard, heard.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound + slack }, "\(heard)")
            #expect(heard.first?.lowerBound == 1 && heard.last?.upperBound == 5 * Int(0.9 * Double(lab.rate)))
            #expect(heard.map(\.count).reduce(0, +) > 4 * lab.rate, "\(heard)")
            try await pactl.unloadModule(other)
            withExtendedLifetime(companion) {}
        }
    }

    @Test(
        "Items of other rates and channels follow without a gap too", .judges(.gap(frames: 44)),
        arguments: HeadlessServer.Kind.allCases)
    func formats(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try [(22_050, 1), (48_000, 2), (44_100, 1), (32_000, 2)].map { rate, channels in
                // Whole periods, so that one tone goes on.
                try lab.item(
                    .sine(frequency: 1000, level: -12, seconds: 0.5, sampleRate: rate, channels: channels))
            }
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all.count == 4 }
            try await lab.monitor.wait(seconds: 0.3)
            let heard = lab.monitor.soFar()
            #expect(heard.gaps(threshold: -50, minimumFrames: lab.rate / 1000) == [])
            let sound = try #require(heard.soundRange(threshold: -60))
            #expect(abs(sound.count - 2 * lab.rate) < lab.rate / 200, "\(sound.count) frames")
        }
    }

    @Test(
        "An item that cannot be played is passed over; the last one stays, with its error",
        .judges(.gap(frames: 0)), arguments: [HeadlessServer.Kind.pulseAudio])
    func failures(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let good = try lab.countingItems([0.4, 0.4])
            let missing = lab.server.directory.appendingPathComponent("missing.wav")
            let bad = [AVPlayerItem(url: missing), AVPlayerItem(url: missing), AVPlayerItem(url: missing)]
            let player = lab.queue([bad[0], good[0], bad[1], good[1], bad[2]])
            let ends = EndNews(of: good)
            player.play()
            try await waitUntil("both ends", timeout: hangLimit) { ends.all == [1, 2] }
            try await waitUntil("the stop", timeout: hangLimit) { player.rate == 0 }
            #expect(player.currentItem === bad[2] && bad.allSatisfy { $0.status == .failed })
            #expect(try await lab.counted() == Array(1...2 * Int(0.4 * Double(lab.rate))))
        }
    }

    @Test("An item that was heard already ends at once where nobody went back in it", .judges(.gap(frames: 0)))
    func heardBefore() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let items = try lab.countingItems([0.3, 0.3])
            let player = lab.queue([items[0]])
            let ends = EndNews(of: items)
            player.play()
            try await waitUntil("the first end", timeout: hangLimit) { ends.all == [1] }
            player.insert(items[0], after: nil)
            player.insert(items[1], after: nil)
            try await waitUntil("the other ends", timeout: hangLimit) { ends.all == [1, 1, 2] }
            await items[0].seek(to: .zero)
            player.insert(items[0], after: nil)
            try await waitUntil("the last end", timeout: hangLimit) { ends.all == [1, 1, 2, 1] }
            // Also where the player stood when it became the current one.
            player.pause()
            player.insert(items[1], after: nil)
            #expect(player.currentItem === items[1])
            player.play()
            try await waitUntil("the end after that", timeout: hangLimit) { ends.all == [1, 1, 2, 1, 2] }
            #expect(player.currentItem == nil && player.rate == 1)
            let frames = Int(0.3 * Double(lab.rate))
            #expect(try await lab.counted() == Array(1...2 * frames) + Array(1...frames))
        }
    }

    @Test(
        "Streams follow each other without a frame of silence", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func streams(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let frames = Int(1.5 * Double(lab.rate))
            let items = (0..<3).map { index in
                let signal = TestSignal.counter(from: index * frames + 1, seconds: 1.5, sampleRate: lab.rate)
                let file = WebFile(data: signal.wavData)
                web.on("/\(index).wav") { file.answer($0, $1) }
                return lab.stream(web.url("/\(index).wav"))
            }
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all == [1, 2, 3] }
            #expect(runs(try await lab.counted(withGaps: true)) == [1...3 * frames])
        }
    }
}
