import AVFoundation
import CoreMedia
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Judged by a signal that counts its frames from 1 in each repetition.
@Suite("AVPlayerLooper", .serialized, .limited)
struct LooperTests {
    @Test(
        "An item is repeated without a frame of silence, until that is disabled; then the rest of the queue is played",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func loops(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let template = try lab.item(lab.counter(0.4))
            let rest = try lab.item(lab.counter(0.2))
            let player = lab.queue([rest])
            let looper = AVPlayerLooper(player: player, templateItem: template)
            #expect(looper.loopCount == 0 && looper.loopingPlayerItems.count == 3)
            #expect(player.items() == looper.loopingPlayerItems + [rest])
            let told = Outcomes()
            let token = looper.observe(\.loopCount, options: [.new]) { _, change in
                told.add("\(change.newValue ?? -1)")(true)
            }
            player.play()
            try await waitUntil("five times", timeout: hangLimit) { looper.loopCount == 5 }
            #expect(looper.status == .ready && looper.error == nil)
            looper.disableLooping()
            #expect(looper.status == .cancelled && player.items().count == 2)
            try await waitUntil("the rest", timeout: hangLimit) { player.currentItem == nil }
            let heard = runs(try await lab.counted(withGaps: true))
            let (whole, last) = (Int(0.4 * Double(lab.rate)), Int(0.2 * Double(lab.rate)))
            #expect(heard == Array(repeating: 1...whole, count: looper.loopCount) + [1...last])
            #expect(looper.loopCount >= 6 && told.all.keys.contains("5"))
            withExtendedLifetime(token) {}
        }
    }

    @Test(
        "A part of an item is repeated; the action is what it was before at the end",
        .judges(.gap(frames: 0)), arguments: [HeadlessServer.Kind.pulseAudio])
    func part(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.queue([])
            player.actionAtItemEnd = .pause
            let range = CMTimeRange(
                start: CMTime(value: 1, timescale: 10), duration: CMTime(value: 3, timescale: 10))
            let looper = AVPlayerLooper(player: player, templateItem: try lab.item(lab.counter(4)), timeRange: range)
            #expect(player.actionAtItemEnd == .advance)
            player.play()
            try await waitUntil("three times", timeout: hangLimit) { looper.loopCount == 3 }
            looper.disableLooping()
            try await waitUntil("the end", timeout: hangLimit) { player.actionAtItemEnd == .pause }
            let heard = runs(try await lab.counted())
            let first = lab.rate / 10 + 1
            #expect(heard.count >= 4, "\(heard)")
            #expect(heard.allSatisfy { $0.lowerBound == first && $0.count < 2 * lab.rate }, "\(heard)")
        }
    }

    @Test("A sound of one frame is repeated too")
    func oneFrame() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let player = lab.queue([])
            // Of which the server, whose rate is lower, hears none, or one.
            let frame = TestSignal.counter(from: 1, seconds: 1.5 / 192_000, sampleRate: 192_000)
            let looper = AVPlayerLooper(player: player, templateItem: try lab.item(frame))
            player.play()
            // All three copies may have been heard before the first of them is reported.
            try await waitUntil("two hundred times", timeout: hangLimit) { looper.loopCount >= 200 }
            looper.disableLooping()
        }
    }

    @Test(
        "A looper that nobody keeps, or whose items were taken away, does not go on",
        arguments: [HeadlessServer.Kind.pulseAudio])
    func ends(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.queue([])
            let template = try lab.item(lab.counter(0.2))
            var looper: AVPlayerLooper? = AVPlayerLooper(player: player, templateItem: template)
            player.play()
            try await waitUntil("a repetition", timeout: hangLimit) { looper?.loopCount ?? 0 >= 1 }
            looper = nil
            try await waitUntil("the end", timeout: hangLimit) { player.items().isEmpty }
            let other = AVPlayerLooper(player: player, templateItem: template)
            try await waitUntil("another one", timeout: hangLimit) { other.loopCount >= 1 }
            player.removeAllItems()
            #expect(player.items().isEmpty && other.loopingPlayerItems.allSatisfy { player.canInsert($0, after: nil) })
        }
    }

    @Test(
        "Another thread may disable the looping while a copy is put back", arguments: [HeadlessServer.Kind.pulseAudio])
    func disabledMeanwhile(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let template = try lab.item(lab.counter(0.1))
            for _ in 0..<20 {
                let player = lab.queue([])
                let looper = AVPlayerLooper(player: player, templateItem: template)
                player.play()
                // It looks without a pause: the copy is put back within a fraction of a millisecond.
                let deadline = Date(timeIntervalSinceNow: 30)
                Thread.detachNewThread {
                    while looper.loopCount == 0, Date() < deadline {}
                    looper.disableLooping()
                }
                try await waitUntil("the end", timeout: hangLimit) { player.items().isEmpty }
                #expect(looper.status == .cancelled)
            }
        }
    }

    // On the main thread, so that nobody whom the main queue tells keeps a looper for a moment.
    @MainActor
    @Test("After a looper that nobody keeps the action is what it was before, unless another one took its place")
    func givesActionBack() {
        let player = AVQueuePlayer()
        player.actionAtItemEnd = .pause
        let template = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent/sound.wav"))
        var looper: AVPlayerLooper? = AVPlayerLooper(player: player, templateItem: template)
        #expect(player.actionAtItemEnd == .advance && looper?.loopCount == 0)
        looper = AVPlayerLooper(player: player, templateItem: template)
        #expect(player.actionAtItemEnd == .advance, "the new one wants it")
        #expect(player.items() == looper?.loopingPlayerItems)
        looper = nil
        #expect(player.actionAtItemEnd == .advance && player.items().count == 1)
        player.advanceToNextItem()
        #expect(player.actionAtItemEnd == .pause)
        looper = AVPlayerLooper(player: player, templateItem: template)
        looper?.disableLooping()
        looper = nil
        // The disabled one's copy is still there.
        looper = AVPlayerLooper(player: player, templateItem: template)
        #expect(player.actionAtItemEnd == .advance && looper?.loopCount == 0)
        looper = nil
        player.removeAllItems()
        #expect(player.actionAtItemEnd == .pause)
    }

    @Test("What cannot be played is told, and not tried for ever")
    func failure() async throws {
        let player = AVQueuePlayer()
        let missing = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent/sound.wav"))
        let looper = AVPlayerLooper(player: player, templateItem: missing)
        #expect(looper.status == .unknown || looper.status == .failed)
        player.play()
        try await waitUntil("the failure", timeout: hangLimit) { looper.status == .failed }
        #expect(looper.error != nil && looper.loopCount == 0)
        try await waitUntil("the last one", timeout: hangLimit) { player.items().count <= 1 }
    }

    @Test(
        "A copy that is heard already when looping is disabled is heard whole, before anybody was told of its beginning",
        .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func disabledAtASeam(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.queue([])
            player.actionAtItemEnd = .pause
            let looper = AVPlayerLooper(player: player, templateItem: try lab.item(lab.counter(0.5)))
            let copies = looper.loopingPlayerItems
            player.play()
            try await waitUntil("its beginning", timeout: hangLimit) { copies[0].currentTime().seconds > 0.1 }
            await MainActor.run {
                holdMainThread { copies[1].currentTime().seconds >= 0.05 }
                #expect(player.currentItem === copies[0], "nobody was told")
                looper.disableLooping()
            }
            try await waitUntil("the end", timeout: hangLimit) { player.items().isEmpty }
            let frames = lab.rate / 2
            let heard = runs(try await lab.counted(withGaps: true))
            #expect(heard == [1...frames, 1...frames], "\(heard)")
            #expect(looper.loopCount == 2 && player.actionAtItemEnd == .pause)
        }
    }

    @Test(
        "What is heard of a copy when looping is disabled at its very beginning is heard to its end", .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func disabledAtABeginning(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let template = try lab.item(lab.counter(0.3))
            let frames = Int(0.3 * Double(lab.rate))
            for round in 0..<10 {
                let first = lab.monitor.frames
                let player = lab.queue([])
                let looper = AVPlayerLooper(player: player, templateItem: template)
                let copy = looper.loopingPlayerItems[0]
                player.play()
                // Before the seam, just so that a server may have begun with the next copy, and behind it.
                let place = 0.3 - 0.03 + Double(round) * 0.0034
                try await waitUntil("its beginning", timeout: hangLimit) { copy.currentTime().seconds > 0.1 }
                await MainActor.run {
                    holdMainThread { copy.currentTime().seconds >= min(place, 0.3) }
                    looper.disableLooping()
                }
                try await waitUntil("the end", timeout: hangLimit) { player.items().isEmpty }
                let heard = runs(try await lab.counted(from: first))
                let times = looper.loopCount
                #expect((1...2).contains(times) && heard == Array(repeating: 1...frames, count: times), "\(heard)")
            }
        }
    }
}
