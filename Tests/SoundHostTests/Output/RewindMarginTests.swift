import TestSupport
import Testing

@testable import SoundHost

@Suite("How soon a change can begin", .limited)
struct RewindMarginTests {
    @Test("A server that takes blocks of one size gets a block's time; odd steps, the least")
    func blocks() {
        var margin = RewindMargin(rate: 48_000)
        #expect(margin.seconds == 0.006)
        for block in [0, 20, 47, 100, 100] {
            #expect(margin.observed(taken: 7 + 1024 * block, at: 0) == 7 + 1024 * block)
        }
        #expect(abs(margin.seconds - (1024.0 / 48_000 + 0.001)) < 1e-9)
        _ = margin.observed(taken: 7 + 1024 * 100 + 700, at: 0)
        #expect(margin.seconds == 0.006)
    }

    @Test("Other blocks are soon known, larger ones too")
    func otherBlocks() {
        var margin = RewindMargin(rate: 48_000)
        for block in 0..<20 { margin.observed(taken: 256 * block, at: 0) }
        #expect(abs(margin.seconds - (256.0 / 48_000 + 0.001)) < 1e-9)
        for block in 0..<10 { margin.observed(taken: 5 * 1024 + 300 + 1024 * block, at: 0) }
        #expect(abs(margin.seconds - (1024.0 / 48_000 + 0.001)) < 1e-9)
    }

    @Test("Steps that happen to be of two blocks change nothing")
    func evenSteps() {
        var margin = RewindMargin(rate: 48_000)
        for block in 0..<20 { margin.observed(taken: 1024 * block, at: 0) }
        for block in 10..<30 { margin.observed(taken: 2048 * block, at: 0) }
        #expect(abs(margin.seconds - (1024.0 / 48_000 + 0.001)) < 1e-9)
    }

    @Test("One long step says nothing")
    func longStep() {
        var margin = RewindMargin(rate: 48_000)
        _ = margin.observed(taken: 0, at: 0)
        _ = margin.observed(taken: 20_000, at: 0)
        #expect(margin.seconds == 0.006)
    }

    @Test("What the server may have taken is what it said, the time since and a block")
    func mostTaken() {
        var margin = RewindMargin(rate: 48_000)
        margin.observed(taken: 480, at: 5)
        // A block that is not known is as long as the device is to be ahead.
        #expect(margin.mostTaken(at: 5) == 480 + 480)
        #expect(abs(margin.mostTaken(at: 5.1) - (480 + 4_800 + 480)) <= 1)
        for block in 1..<10 { margin.observed(taken: 480 + 1_024 * block, at: 6) }
        #expect(abs(margin.mostTaken(at: 6) - (480 + 1_024 * 9 + 1_024 + 48)) <= 1)
    }

    @Test("Late changes get more time, for a while")
    func lateness() {
        var margin = RewindMargin(rate: 48_000)
        margin.changed(at: 1000, taken: 1480)
        #expect(abs(margin.seconds - 0.016) < 1e-9)
        for _ in 0..<30 { margin.changed(at: 1000, taken: 900) }
        #expect(margin.seconds < 0.0061)
        for _ in 0..<30 { margin.changed(at: 0, taken: 48_000) }
        #expect(abs(margin.seconds - 0.066) < 1e-9)
    }
}
