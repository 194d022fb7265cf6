import AVFoundation
import HeadlessServer
import TestSupport
import Testing

/// What happens around the end of an item, when the app does something at the same moment.
@Suite("AVQueuePlayer at the end of an item", .serialized, .limited)
struct QueueEndTests {
    @Test(
        "A main thread that is busy at the end of an item, and then changes the queue, does not stop the next one",
        .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func busyMainThread(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.5, 1.5, 0.5])
            let (player, ends) = (lab.queue([items[0], items[1]]), EndNews(of: items))
            player.play()
            try await waitUntil("the first item", timeout: hangLimit) { items[0].currentTime().seconds > 0.1 }
            // The main thread itself has to wait, so that nobody can be told of the end.
            await MainActor.run {
                holdMainThread(for: 30) { items[0].currentTime() >= items[0].duration }
                _ = player.rate
                player.insert(items[2], after: nil)
                holdMainThread(for: 2) { items[1].currentTime().seconds > 0.3 }
                #expect(ends.all.isEmpty && items[1].currentTime().seconds > 0.3)
            }
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all == [1, 2, 3] }
            #expect(runs(try await lab.counted(withGaps: true)) == [1...Int(2.5 * Double(lab.rate))])
        }
    }

    @Test(
        "Items of which several end within one cycle of the server end in their order, and the queue with them",
        arguments: HeadlessServer.Kind.allCases)
    func shortItems(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            for _ in 0..<5 {
                let items = try lab.countingItems(Array(repeating: 0.004, count: 20))
                let (player, ends) = (lab.queue(items), EndNews(of: items))
                player.play()
                try await waitUntil("the end of all", timeout: hangLimit) {
                    player.currentItem == nil && ends.all.count == 20
                }
                #expect(ends.all == Array(1...20))
            }
        }
    }

    @Test("Items without a frame among others end in their turn, and the queue goes on")
    func emptyItems() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let items = try lab.countingItems((0..<60).map { $0 % 3 == 1 ? 0 : 0.02 })
            let (player, ends) = (lab.queue(items), EndNews(of: items))
            player.play()
            try await waitUntil("the end of all", timeout: .seconds(20)) { player.currentItem == nil }
            #expect(ends.all.map(abs) == Array(1...60))
        }
    }

    @Test(
        "What begins behind a sound without a frame is taken back with it, and heard in its turn",
        .judges(.gap(frames: 0)))
    func emptyFollower() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            var first = 1
            let sounds = try [0.5, 0, 0.3].map { seconds in
                let signal = TestSignal.counter(from: first, seconds: seconds, sampleRate: lab.rate)
                first += signal.frames
                return try AVAudioPlayer(contentsOf: lab.file(signal), session: lab.session)
            }
            #expect(sounds[0].play())
            let followers = sounds.dropFirst().compactMap { $0.readyToFollow() }
            try #require(followers.count == 2 && sounds[0].lead(followers[0]))
            try await waitUntil("the second one", timeout: hangLimit) { sounds[1].lead(followers[1]) }
            // All of it is on its way to the listener, and is rendered again with another one that joins.
            let other = try AVAudioPlayer(contentsOf: lab.file(lab.sine(440, seconds: 5)), session: lab.session)
            other.volume = 0
            #expect(other.play())
            try await waitUntil("the end", timeout: hangLimit) { !sounds[0].isPlaying && !sounds[2].isPlaying }
            let heard = try await lab.counted(withGaps: true)
            #expect(stretches(heard) == [1] && heard.last == first - 1, "\(heard.count { $0 == 0 }) frames of silence")
        }
    }

    @Test(
        "An action that is set at the end of an item is taken at once", .judges(.gap(frames: 0)),
        arguments: [HeadlessServer.Kind.pulseAudio])
    func lateAction(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.3, 0.3])
            let (player, ends) = (lab.queue(items), EndNews(of: items))
            player.actionAtItemEnd = .none
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { ends.all == [1] }
            #expect(player.rate == 1 && player.currentItem === items[0])
            player.actionAtItemEnd = .advance
            #expect(player.rate == 1 && player.currentItem === items[1])
            player.actionAtItemEnd = .none
            try await waitUntil("the second end", timeout: hangLimit) { ends.all == [1, 2] }
            player.actionAtItemEnd = .pause
            #expect(player.rate == 0 && player.currentItem === items[1])
            #expect(runs(try await lab.counted()) == [1...Int(0.6 * Double(lab.rate))])
        }
    }

    @Test("A forward end at the end of the sound is one end", arguments: [HeadlessServer.Kind.pulseAudio])
    func forwardEndAtTheEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([0.5, 0.3])
            let ends = EndNews(of: items)
            let duration = CMTime(value: CMTimeValue(lab.rate / 2), timescale: CMTimeScale(lab.rate))
            for _ in 0..<3 {
                let player = lab.player(items[0])
                player.actionAtItemEnd = .none
                items[0].forwardPlaybackEndTime = duration
                player.play()
                try await waitUntil("the end", timeout: hangLimit) { ends.all.contains(1) }
                // What is told of the first item comes before what is told of another one, which is heard after it.
                player.replaceCurrentItem(with: items[1])
                try await waitUntil("another end", timeout: hangLimit) { ends.all.contains(2) }
                #expect(ends.all == [1, 2])
                ends.forget()
                player.replaceCurrentItem(with: nil)
                for item in items { item.seek(to: .zero, completionHandler: nil) }
            }
        }
    }

    @Test("Where there is no current item, one that is inserted does not overtake those that wait")
    func order() {
        let items = (0..<3).map { AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent/\($0)")) }
        let player = AVQueuePlayer(items: [items[0], items[1]])
        player.replaceCurrentItem(with: nil)
        #expect(player.items() == [items[1]])
        player.insert(items[2], after: items[1])
        #expect(player.currentItem === items[1] && player.items() == [items[1], items[2]])
    }
}
