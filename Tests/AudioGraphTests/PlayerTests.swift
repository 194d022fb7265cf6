import AudioGraph
import TestSupport
import Testing

@Suite(.limited) struct PlayerTests {
    @Test func E100_aPlayerIsPausedWhenMadeAndPiecesWait() {
        let lab = PlayerLab()
        lab.schedule(1, frames: 8)
        #expect(lab.rendered(16) == zeros(16) && lab.player.time(at: 16) == nil)
        lab.player.play()
        #expect(lab.rendered(16) == ones(8) + zeros(8))
    }

    @Test func E102_piecesFollowEachOtherWithoutAGap() {
        let lab = PlayerLab()
        lab.player.play()
        for value in 1...5 { lab.schedule(Float(value), frames: 100) }
        #expect(lab.rendered(600) == (1...5).flatMap { [Float](repeating: Float($0), count: 100) } + zeros(100))
        #expect(lab.player.collect().map(\.end) == [100, 200, 300, 400, 500])
    }

    @Test func E103_aPieceBeginsAtItsPlayerTimeAndAPastOneAtOnce() {
        let lab = PlayerLab()
        _ = lab.rendered(33)
        lab.player.play()
        lab.schedule(1, frames: 10, at: 77)
        lab.schedule(2, frames: 10, at: 5)
        #expect(lab.rendered(110) == zeros(77) + ones(10) + [Float](repeating: 2, count: 10) + zeros(13))
    }

    @Test func E105_E129_loopsRepeatWithoutAClickUntilStop() {
        let lab = PlayerLab()
        let saw = (0..<96).map { Float($0) }
        lab.player.play()
        lab.player.schedule(piece(saw, loops: true))
        #expect(lab.rendered(960) == [[Float]](repeating: saw, count: 10).flatMap(\.self))
        #expect(lab.player.collect().isEmpty)
        lab.player.stop()
        #expect(lab.rendered(64) == zeros(64))
        #expect(lab.player.collect().map(\.end) == [nil])
    }

    @Test func E106_interruptsDropsAtOnceAndInterruptsAtLoopAfterThePass() {
        let lab = PlayerLab()
        lab.player.play()
        lab.schedule(1, frames: 100, loops: true)
        lab.schedule(9, frames: 100)
        _ = lab.rendered(120)
        lab.schedule(2, frames: 50, entry: .interruptsAtLoop)
        #expect(lab.rendered(130) == ones(80) + [Float](repeating: 2, count: 50))
        // The piece that waited was dropped first, then the pass ended, then the second piece.
        #expect(lab.player.collect().map(\.end) == [nil, 200, 250])
        lab.schedule(3, frames: 100)
        _ = lab.rendered(10)
        lab.schedule(4, frames: 10, entry: .interrupts)
        #expect(lab.rendered(20) == [Float](repeating: 4, count: 10) + zeros(10))
        #expect(lab.player.collect().map(\.end) == [nil, 270])
    }

    @Test func E107_stopDropsEverythingAndSetsTheTimeTo0() {
        let lab = PlayerLab()
        lab.player.play()
        lab.schedule(1, frames: 100)
        lab.schedule(1, frames: 100)
        _ = lab.rendered(30)
        lab.player.stop()
        lab.player.play()
        #expect(lab.rendered(30) == zeros(30))
        #expect(lab.player.collect().map(\.end) == [nil, nil] && lab.player.time(at: 60) == 30)
    }

    @Test func E112_pauseKeepsThePositionToTheFrameAndStopsTheTime() {
        let lab = PlayerLab()
        let saw = (1...300).map { Float($0) }
        lab.player.play()
        lab.player.schedule(piece(saw))
        #expect(lab.rendered(111) == Array(saw[..<111]))
        lab.player.pause()
        #expect(lab.rendered(70) == zeros(70) && lab.player.time(at: 181) == nil)
        lab.player.play()
        #expect(lab.rendered(189) == Array(saw[111...]))
        #expect(lab.player.time(at: 370) == 300)
    }

    @Test(arguments: [512, 700]) func E114_playAtATimeBeginsAtTheExactFrame(start: Int) {
        let lab = PlayerLab()
        lab.schedule(1, frames: 4096)
        lab.player.play(at: start)
        #expect(lab.rendered(1536, block: 512) == zeros(start) + ones(1536 - start))
        #expect(lab.player.time(at: start) == 0)
    }

    @Test func E116_aPieceWithoutFramesIsFinishedAndPlaysNothing() {
        let lab = PlayerLab()
        lab.player.play()
        lab.schedule(1, frames: 0, loops: true)
        lab.schedule(2, frames: 4)
        #expect(lab.rendered(8) == [2, 2, 2, 2, 0, 0, 0, 0])
        #expect(lab.player.collect().map(\.piece.frames) == [0, 4])
    }

    @Test func E123_E127_timeGoesOnWhileTheQueueIsEmptyAndTheNextPieceBeginsAtOnce() {
        let lab = PlayerLab()
        lab.player.play()
        _ = lab.rendered(50)
        lab.schedule(1, frames: 10)
        #expect(lab.rendered(20) == ones(10) + zeros(10))
        #expect(lab.player.time(at: 70) == 70)
    }

    @Test func E155_blockSizesDoNotChangeWhatPlayersPlay() {
        let expected = timedPieces(block: 5000)
        #expect(expected.contains(1) && expected.contains(3) && expected.contains(0))
        for block in [1, 64, 512, 1000, 4096] { #expect(timedPieces(block: block) == expected, "blocks of \(block)") }
    }

    @Test func allPiecesAreFreedWithThePlayer() {
        let alive = Counter()
        do {
            let lab = PlayerLab()
            lab.player.play()
            for _ in 0..<2 { lab.player.schedule(piece(ones(10), token: Token(alive))) }
            // One is finished, one is played; the third one has not reached the render side.
            _ = lab.rendered(15)
            lab.player.schedule(piece(ones(10), token: Token(alive)))
            #expect(alive.value == 3)
        }
        #expect(alive.value == 0)
    }

    private func timedPieces(block: Int) -> [Float] {
        let lab = PlayerLab()
        lab.player.play(at: 99)
        lab.schedule(1, frames: 777)
        lab.schedule(2, frames: 1, at: 1001)
        lab.schedule(3, frames: 613, loops: true)
        return lab.rendered(5000, block: block)
    }
}

/// A mono player whose sound is the renderer's, unmixed.
private struct PlayerLab {
    let player = Player(channels: 1)
    private let renderer = Renderer()

    init() {
        var builder = ProgramBuilder(maximumFrames: 4096)
        let bus = builder.addSource(channels: 1, block: player.source)
        renderer.publish(builder.finish(output: bus))
    }

    func schedule(
        _ value: Float, frames: Int, at time: Int? = nil, loops: Bool = false, entry: Piece.Entry = .afterOthers
    ) {
        player.schedule(piece([Float](repeating: value, count: frames), at: time, loops: loops, entry: entry))
    }

    func rendered(_ frames: Int, block: Int = 64) -> [Float] {
        renderer.rendered(frames, block: block, channels: 1)[0]
    }
}

private func zeros(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

private func ones(_ count: Int) -> [Float] { [Float](repeating: 1, count: count) }

/// A mono piece with samples of its own.
private func piece(
    _ samples: [Float], at time: Int? = nil, loops: Bool = false, entry: Piece.Entry = .afterOthers,
    token: Token? = nil
) -> Piece {
    let memory = Memory(samples, token)
    return Piece(
        channels: [UnsafePointer(memory.samples)], frames: samples.count, time: time, loops: loops, entry: entry,
        owner: memory)
}

/// Samples that live as long as the object.
private final class Memory {
    let samples: UnsafeMutablePointer<Float>
    private let token: Token?

    init(_ values: [Float], _ token: Token?) {
        samples = .allocate(capacity: max(values.count, 1))
        samples.initialize(from: values, count: values.count)
        self.token = token
    }

    deinit { samples.deallocate() }
}
