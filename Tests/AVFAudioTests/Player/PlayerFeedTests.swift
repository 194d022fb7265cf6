import AudioFiles
import AudioHost
import AudioRealtime
import Foundation
import HeadlessServer
import ScriptedHost
import SessionPolicy
import SoundHost
import Synchronization
import TestSupport
import Testing

@testable import AVFAudio

/// How often something was told.
private final class Told: Sendable {
    let count = Atomic<Int>(0)
}

@Suite("The feed of a player", .limited)
struct PlayerFeedTests {
    @Test("The mix is told of frames and of an end that comes without any, and then no more")
    func tellsOfTheEnd() async throws {
        let told = Told()
        let feed = try makeFeed(seconds: 0.1, 1) { _ in told.count.add(1, ordering: .relaxed) }
        // The last frame is there at once; what follows is found out later.
        feed.restart(at: PlayerTimeline.Place(fileFrame: 4_409, loop: 0))
        try await waitUntil("the end") { told.count.load(ordering: .relaxed) == 1 }
        #expect(feed.ring.isEnded && feed.ring.readableFrames == 1)
        feed.wake()
        feed.queue.sync {}
        #expect(told.count.load(ordering: .relaxed) == 1)
    }

    @Test("A mix that has nothing left is told of the first frames, not only of a full voice", arguments: [1, 1.5])
    func tellsInTime(rate: Double) throws {
        let (told, most, counts) = (Told(), Told(), Told())
        let feed = try makeFeed(seconds: 10, rate) { ring in
            guard counts.count.load(ordering: .relaxed) == 1 else { return }
            told.count.add(1, ordering: .relaxed)
            let count = ring.skip(frames: .max)
            if count > most.count.load(ordering: .relaxed) { most.count.store(count, ordering: .relaxed) }
        }
        feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0))
        feed.queue.sync {}
        let capacity = feed.ring.skip(frames: .max)
        counts.count.store(1, ordering: .relaxed)
        feed.wake()
        feed.queue.sync {}
        counts.count.store(0, ordering: .relaxed)
        #expect(most.count.load(ordering: .relaxed) <= 2 * PlayerFeed.chunkFrames)
        // Nobody is woken for a handful of frames.
        #expect(told.count.load(ordering: .relaxed) <= 10 * 44_100 / 1024 && capacity > 44_100)
    }

    @Test(
        "A voice that joins others is waited for while its decoder begins, at any rate of the sink",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [48_000, 96_000, 192_000])
    func joins(kind: HeadlessServer.Kind, rate: Int) async throws {
        let sink = HeadlessServer.NullSink(rate: rate, format: "float32le")
        try await withServer(kind, sinks: [sink]) { server in
            // The sink is elsewhere in its own buffer each time.
            for _ in 0..<8 {
                let host = try PulseHost(server: server.address) { _ in }
                try await offPool { try host.activate(.default, implicitly: true) }
                let place = try await offPool { try host.openOutput(OutputRequest(role: nil)) }
                #expect(place.rate == rate)
                #expect(try await framesStarvedAfterJoining(place, of: host) == 0)
                host.perform(.closeIO)
            }
        }
    }

    /// Lets a voice join another one that has just begun, and returns of how many frames there was nothing in time.
    private func framesStarvedAfterJoining(_ place: OutputPlace, of host: PulseHost) async throws -> Int {
        let rate = place.rate
        let other = SteadySource(in: place, seconds: 20)
        let first = try host.makeSound(of: other, in: place)
        #expect(first.play(at: nil, fade: nil) == .begun)
        try await waitUntil("a full queue") { other.ring.framesRendered >= rate }

        let file = try AudioFileReader(bytes: [UInt8](TestSignal.sine(seconds: 5, sampleRate: rate).wavData))
        let feed = try PlayerFeed(file: file, for: place, playbackRate: 1) { stereo(to: $0) }
        // Beyond the first stretch the decoder does nothing before it is asked.
        let gated = GatedSource(feed)
        let sound = try host.makeSound(of: gated, in: place)
        feed.attach(sound)
        feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0))
        feed.queue.async { gated.gate.wait() }
        #expect(sound.play(at: nil, fade: nil) == .begun)
        try await waitUntil("much of it") { feed.ring.framesRendered >= rate / 2 }
        sound.pause()
        first.pause()
        feed.queue.sync {}
        return feed.ring.framesStarved
    }

    @Test("A loop that is wanted while the last frames wait for room follows them", arguments: [1, 0.5, 1.5, 2])
    func loopsLate(rate: Double) async throws {
        let capacity = try makeFeed(seconds: 0.1, rate).ring.writableFrames
        // Some frames more than there is room for.
        let frames = Int(Double(capacity + 500) * rate)
        let feed = try makeFeed(seconds: Double(frames) / 44_100, rate)
        feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0))
        try await waitUntil("a full voice") { feed.ring.writableFrames == 0 }
        feed.numberOfLoops = 1
        feed.reconsiderEnd()
        feed.queue.sync {}
        #expect(feed.loopsDecoded == 0 && !feed.ring.isEnded)

        let round = Int((Double(feed.length) / rate).rounded())
        var taken = 0
        try await waitUntil("the end of the second round") {
            taken += feed.ring.skip(frames: capacity)
            feed.wake()
            return feed.ring.isFinished
        }
        #expect(taken == 2 * round, "\(taken) frames of \(2 * round)")
        #expect(feed.loopsDecoded == 1 && feed.isWhole)
        #expect(feed.place(atVoiceFrame: round + 100) == .init(fileFrame: Int(100 * rate), loop: 1))
    }

    @Test(
        "Fewer loops at another rate: the last one is heard to its end, and nothing of the next one",
        .judges(.gap(frames: 400)), arguments: [0.5, 1.5], [0.3, nil])
    func endsEarly(rate: Double, seconds: Double?) throws {
        // The decoder enters the next round before its stretch has given all of this one: the voice is full there.
        let capacity = try endingFeed(seconds: 0.3, rate).ring.writableFrames
        let feed = try endingFeed(seconds: seconds ?? Double(capacity + 100) * rate / 8000, rate)
        let round = Int(Double(feed.length) / rate)
        for moment in stride(from: round / 16, to: round * 2, by: round / 8) {
            feed.numberOfLoops = -1
            feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0))
            feed.queue.sync {}
            var start = 0
            while start < moment {
                start += feed.ring.skip(frames: moment - start)
                feed.wake()
                feed.queue.sync {}
            }
            feed.numberOfLoops = 0
            feed.request(.endLoops)
            feed.queue.sync {}
            var heard: [Float] = []
            while !feed.ring.isFinished {
                feed.wake()
                feed.queue.sync {}
                var some = [Float](repeating: 0, count: 8000)
                let count = feed.ring.copy(from: feed.ring.framesRendered, frames: 8000, to: &some)
                heard += some[..<feed.ring.skip(frames: count)]
            }
            let rest = round - moment % round
            #expect(abs(heard.count - rest) <= 400, "\(heard.count) frames of \(rest) from \(moment) on")
            let isLoud = heard.map { abs($0) > 0.2 }
            let burst = isLoud.lastIndex(of: true) ?? 0
            // The stretch may fade the burst out, within 10 ms.
            #expect(
                heard[burst...].dropFirst(80).allSatisfy { abs($0) < 0.002 } || rest < 400,
                "\(heard.count - burst) frames behind the burst from \(moment) on")
            #expect(
                Double(isLoud.count(where: { $0 })) > 90 / rate || rest < 700,
                "\(isLoud.count(where: { $0 })) loud frames from \(moment) on")
        }
    }

    /// A feed whose sound is quiet, but for its last 50 ms.
    private func endingFeed(seconds: Double, _ rate: Double) throws -> PlayerFeed {
        let frames = Int(seconds * 8000)
        let samples = (0..<frames).map { frame in
            Int16(sin(Double(frame) * 0.35) * (frame < frames - 400 ? 1000 : 16_000))
        }
        let sound = TestSignal(samples: samples, sampleRate: 8000, channels: 1)
        let reader = try AudioFileReader(bytes: [UInt8](sound.wavData))
        let place = OutputPlace(id: 0, rate: 8000, channels: [.mono], device: nil, historySeconds: 1)
        return try attached(
            PlayerFeed(file: reader, for: place, playbackRate: rate) { ChannelMatrix(from: [.mono], to: $0) }, in: place
        )
    }

    /// A feed of a sine; `onWrite` is called with its ring when it tells the host of frames.
    private func makeFeed(
        seconds: Double, _ rate: Double, onWrite: @escaping @Sendable (Voice) -> Void = { _ in }
    ) throws -> PlayerFeed {
        let reader = try AudioFileReader(bytes: [UInt8](TestSignal.sine(seconds: seconds).wavData))
        let place = OutputPlace(
            id: 0, rate: 44_100, channels: ChannelMatrix.standard(2), device: nil, historySeconds: 1)
        return try attached(
            PlayerFeed(file: reader, for: place, playbackRate: rate) { stereo(to: $0) }, in: place, onWrite: onWrite)
    }

    private func attached(
        _ feed: PlayerFeed, in place: OutputPlace, onWrite: @escaping @Sendable (Voice) -> Void = { _ in }
    ) throws -> PlayerFeed {
        let ring = feed.ring
        let host = ScriptedHost(onWrite: { onWrite(ring) })
        feed.attach(try host.makeSound(of: feed, in: place))
        return feed
    }
}

private func stereo(to channels: [Channel]) -> ChannelMatrix {
    ChannelMatrix(from: ChannelMatrix.standard(2), to: channels)
}

/// A sound that is there as a whole.
private final class SteadySource: SoundSource {
    let ring: Voice
    let refillThreshold = Int.max

    init(in place: OutputPlace, seconds: Int) {
        let frames = seconds * place.rate
        ring = Voice(channels: 2, matrix: stereo(to: place.channels), capacity: frames, history: 2 * place.rate)
        _ = ring.write([Float](repeating: 0.1, count: 2 * frames), frames: frames)
    }

    func matrix(to channels: [Channel]) -> ChannelMatrix { stereo(to: channels) }
    func refill() {}
    func finished() {}
    func interrupted() {}
    func redecode() {}
}

/// The ring of a feed whose decoder waits behind a gate until the host asks for more.
private final class GatedSource: SoundSource {
    let ring: Voice
    let refillThreshold: Int
    let gate = DispatchSemaphore(value: 0)

    init(_ feed: PlayerFeed) {
        ring = feed.ring
        refillThreshold = feed.refillThreshold
    }

    func matrix(to channels: [Channel]) -> ChannelMatrix { stereo(to: channels) }
    func refill() { gate.signal() }
    func finished() {}
    func interrupted() {}
    func redecode() {}
}
