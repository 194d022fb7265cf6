import Foundation
import TestSupport
import Testing

/// The ears of the other tests, on sounds whose properties are known.
@Suite(.limited) struct AnalysisTests {
    private func recording(_ signal: TestSignal) -> Recording {
        Recording(pcm16: signal.samples, sampleRate: signal.sampleRate, channels: signal.channels)
    }

    @Test(arguments: [55.0, 440, 1_000, 7_654.3, 15_000]) func frequencyIsFoundToATenth(_ frequency: Double) throws {
        let tone = recording(.sine(frequency: frequency, seconds: 0.5))
        #expect(abs(try #require(tone.frequency()) - frequency) < 0.1)
        #expect(abs(tone.level(ofFrequency: frequency) + 12) < 0.1)
        #expect(tone.level(ofFrequency: frequency * 1.3) < -40)
    }

    @Test func levelsAreThoseOfASine() {
        let tone = recording(.sine(level: -6, seconds: 1))
        #expect(abs(tone.peakLevel() + 6) < 0.01)
        #expect(abs(tone.rmsLevel(channel: 1) + 9.01) < 0.01)
        #expect(recording(.silence(seconds: 0.1)).peakLevel() == -.infinity)
        #expect(recording(.silence(seconds: 0.1)).frequency() == nil)
    }

    @Test func soundAndGapsAreFoundToTheFrame() throws {
        let noise = TestSignal(samples: Array(repeating: 5_000, count: 2 * 4_410))
        let heard = recording(.silence(seconds: 0.1) + noise + .silence(seconds: 0.05) + noise + .silence(seconds: 0.1))
        #expect(heard.soundRange() == 4_410..<4_410 + 8_820 + 2_205)
        #expect(heard.gaps() == [8_820..<8_820 + 2_205])
        #expect(heard.gaps(minimumFrames: 2_206).isEmpty)
    }

    @Test func aBrokenToneShowsWhere() {
        let tone = TestSignal.sine(seconds: 1).samples
        #expect(recording(TestSignal(samples: tone)).discontinuities(frequency: 1_000).isEmpty)
        // Eleven frames lost: a quarter of a period.
        let torn = TestSignal(samples: Array(tone[..<40_000] + tone[40_022...]))
        let breaks = recording(torn).discontinuities(frequency: 1_000)
        #expect(breaks.count == 1)
        #expect((19_998...20_001).contains(breaks.first ?? 0))
    }

    @Test func anExactCopyIsFound() {
        let noise = TestSignal.noise(seconds: 1)
        let heard = recording(.silence(seconds: 0.3) + noise + .silence(seconds: 0.1))
        #expect(heard.firstFrame(of: noise.samples) == 13_230)
        var changed = noise.samples
        changed[50_000] ^= 1
        #expect(heard.firstFrame(of: changed) == nil)
    }

    @Test func countedFramesTellTheirPosition() {
        let counter = recording(.counter(from: 32_000, seconds: 0.1))
        #expect(counter.counterPositions() == Array(32_000..<32_000 + 4_410))
        #expect(counter[1_000..<1_002].counterPositions() == [33_000, 33_001])
    }

    @Test func theHeaderOfAWAVFileIsThe44BytesThatPlayersExpect() {
        let data = TestSignal.silence(seconds: 1, sampleRate: 8_000, channels: 1).wavData
        #expect(data.count == 44 + 16_000)
        #expect(Array(data[0..<4]) == Array("RIFF".utf8))
        #expect(Array(data[24..<28]) == [0x40, 0x1f, 0, 0])
        #expect(Array(data[40..<44]) == [0x80, 0x3e, 0, 0])
    }
}
