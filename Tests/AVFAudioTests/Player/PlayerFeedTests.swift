import AudioFiles
import AudioRealtime
import Foundation
import HeadlessServer
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
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(2), to: ChannelMatrix.standard(2))
        let reader = try AudioFileReader(bytes: [UInt8](TestSignal.sine(seconds: 0.1).wavData))
        let feed = try PlayerFeed(file: reader, sampleRate: 44_100, matrix: matrix, playbackRate: 1)
        let told = Told()
        feed.onWrite = { told.count.add(1, ordering: .relaxed) }
        // The last frame is there at once; what follows is found out later.
        feed.restart(at: PlayerTimeline.Place(fileFrame: 4_409, loop: 0)) { $0() }
        try await waitUntil("the end") { told.count.load(ordering: .relaxed) == 1 }
        #expect(feed.voice.isEnded && feed.voice.readableFrames == 1)
        feed.wake()
        feed.queue.sync {}
        #expect(told.count.load(ordering: .relaxed) == 1)
    }

    @Test("A mix that has nothing left is told of the first frames, not only of a full voice", arguments: [1, 1.5])
    func tellsInTime(rate: Double) throws {
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(2), to: ChannelMatrix.standard(2))
        let feed = try makeFeed(seconds: 10, matrix, rate)
        feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0)) { $0() }
        feed.queue.sync {}
        let capacity = feed.voice.skip(frames: .max)
        let told = Told()
        let most = Told()
        feed.onWrite = {
            told.count.add(1, ordering: .relaxed)
            let count = feed.voice.skip(frames: .max)
            if count > most.count.load(ordering: .relaxed) { most.count.store(count, ordering: .relaxed) }
        }
        feed.wake()
        feed.queue.sync {}
        feed.onWrite = {}
        #expect(most.count.load(ordering: .relaxed) <= 2 * PlayerFeed.chunkFrames)
        // Nobody is woken for a handful of frames.
        #expect(told.count.load(ordering: .relaxed) <= 10 * 44_100 / 1024 && capacity > 44_100)
    }

    @Test(
        "A voice that joins others is waited for while its decoder begins, at any rate of the sink",
        arguments: HeadlessServer.Kind.allCases, [48_000, 96_000, 192_000])
    func joins(kind: HeadlessServer.Kind, rate: Int) async throws {
        let sink = HeadlessServer.NullSink(rate: rate, format: "float32le")
        try await withServer(kind, sinks: [sink]) { server in
            // The sink is elsewhere in its own buffer each time.
            for _ in 0..<8 {
                let host = try PulseHost(server: server.address) { _ in }
                try host.open()
                let mix = try host.openOutput(role: nil)
                #expect(mix.format.rate == rate)
                #expect(try await framesStarvedAfterJoining(mix, of: host) == 0)
            }
        }
    }

    /// Lets a voice join another one that has just begun, and returns of how many frames there was nothing in time.
    private func framesStarvedAfterJoining(_ mix: OutputMix, of host: PulseHost) async throws -> Int {
        let rate = mix.format.rate
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(2), to: mix.format.channels)
        let other = Voice(channels: 2, matrix: matrix, capacity: 20 * rate, history: 2 * rate)
        _ = other.write([Float](repeating: 0.1, count: 40 * rate), frames: 20 * rate)
        let first = OutputVoice(
            voice: other, refillThreshold: .max, onRefillNeeded: {}, onFinished: {}, onInterrupted: {})
        #expect(host.withLock { mix.play(first) })
        try await waitUntil("a full queue") { host.withLock { other.framesRendered >= rate } }

        let sound = TestSignal.sine(seconds: 5, sampleRate: rate)
        let feed = try PlayerFeed(
            file: AudioFileReader(bytes: [UInt8](sound.wavData)), sampleRate: rate, matrix: matrix, playbackRate: 1)
        // Beyond the first stretch the decoder does nothing before it is asked.
        let gate = DispatchSemaphore(value: 0)
        let voice = OutputVoice(
            voice: feed.voice, refillThreshold: feed.refillThreshold, onRefillNeeded: { gate.signal() }, onFinished: {},
            onInterrupted: {})
        feed.onWrite = { host.withLock { mix.didWrite(to: voice) } }
        feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0)) { reset in
            reset()
            feed.queue.async { gate.wait() }
        }
        #expect(host.withLock { mix.play(voice) })
        try await waitUntil("much of it") { host.withLock { feed.voice.framesRendered >= rate / 2 } }
        host.withLock {
            mix.pause(voice)
            mix.pause(first)
        }
        feed.queue.sync {}
        return feed.voice.framesStarved
    }

    @Test("A loop that is wanted while the last frames wait for room follows them", arguments: [1, 0.5, 1.5, 2])
    func loopsLate(rate: Double) async throws {
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(2), to: ChannelMatrix.standard(2))
        let capacity = try makeFeed(seconds: 0.1, matrix, rate).voice.writableFrames
        // Some frames more than there is room for.
        let frames = Int(Double(capacity + 500) * rate)
        let feed = try makeFeed(seconds: Double(frames) / 44_100, matrix, rate)
        feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0)) { $0() }
        try await waitUntil("a full voice") { feed.voice.writableFrames == 0 }
        feed.numberOfLoops = 1
        feed.reconsiderEnd()
        feed.queue.sync {}
        #expect(feed.loopsDecoded == 0 && !feed.voice.isEnded)

        let round = Int((Double(feed.length) / rate).rounded())
        var taken = 0
        try await waitUntil("the end of the second round") {
            taken += feed.voice.skip(frames: capacity)
            feed.wake()
            return feed.voice.isFinished
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
        let capacity = try endingFeed(seconds: 0.3, rate).voice.writableFrames
        let feed = try endingFeed(seconds: seconds ?? Double(capacity + 100) * rate / 8000, rate)
        let round = Int(Double(feed.length) / rate)
        for moment in stride(from: round / 16, to: round * 2, by: round / 8) {
            feed.numberOfLoops = -1
            feed.restart(at: PlayerTimeline.Place(fileFrame: 0, loop: 0)) { $0() }
            feed.queue.sync {}
            var start = 0
            while start < moment {
                start += feed.voice.skip(frames: moment - start)
                feed.wake()
                feed.queue.sync {}
            }
            feed.numberOfLoops = 0
            feed.endLoopsEarly { $0() }
            var heard: [Float] = []
            while !feed.voice.isFinished {
                feed.wake()
                feed.queue.sync {}
                var some = [Float](repeating: 0, count: 8000)
                let count = feed.voice.copy(from: feed.voice.framesRendered, frames: 8000, to: &some)
                heard += some[..<feed.voice.skip(frames: count)]
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
        let matrix = ChannelMatrix(from: [.mono], to: [.mono])
        return try PlayerFeed(file: reader, sampleRate: 8000, matrix: matrix, playbackRate: rate)
    }

    private func makeFeed(seconds: Double, _ matrix: ChannelMatrix, _ rate: Double) throws -> PlayerFeed {
        let reader = try AudioFileReader(bytes: [UInt8](TestSignal.sine(seconds: seconds).wavData))
        return try PlayerFeed(file: reader, sampleRate: 44_100, matrix: matrix, playbackRate: rate)
    }
}
