import TestSupport
import Testing

@testable import SoundHost

@Suite("When captured frames were heard", .limited)
struct CaptureTimelineTests {
    private static let rate = 48_000.0

    /// Deliveries of 40 ms, each of which comes late by a time of its own.
    private func deliver(
        _ count: Int, to timeline: inout CaptureTimeline, from start: Double, late: (Int) -> Double
    ) -> Double {
        for index in 1...count {
            _ = timeline.received(1_920, at: start + Double(index) * 0.04 + late(index))
        }
        return start + Double(count) * 0.04
    }

    @Test("Deliveries that are late by chance do not matter: the earliest ones tell the time")
    func jitter() throws {
        var timeline = CaptureTimeline(rate: Self.rate, at: 100)
        #expect(timeline.frame(at: 100) == nil)
        let end = deliver(25, to: &timeline, from: 100) { Double($0 * 7 % 10) * 0.003 }
        #expect(try abs(#require(timeline.frame(at: end)) - 48_000) < 48)
        #expect(try abs(#require(timeline.frame(at: 101.5)) - 72_000) < 48)
        #expect(!timeline.isAssessing)
    }

    @Test("A device whose clock runs slower or faster is followed", arguments: [-0.000_5, 0.000_5])
    func drift(rate: Double) throws {
        var timeline = CaptureTimeline(rate: Self.rate, at: 0)
        var now = 0.0
        for _ in 0..<10_000 {
            now += 0.04 * (1 + rate)
            _ = timeline.received(1_920, at: now)
        }
        #expect(try abs(#require(timeline.frame(at: now)) - timeline.frames) < 48)
    }

    @Test("After a hole deliveries are held back, and what is missing is known to the frame")
    func hole() {
        var timeline = CaptureTimeline(rate: Self.rate, at: 0)
        let before = deliver(25, to: &timeline, from: 0) { _ in 0 }
        var released = false
        for index in 1...8 {
            #expect(!released)
            released = timeline.received(1_920, at: before + 3 + Double(index) * 0.04 + (index == 1 ? 0.02 : 0))
            #expect(timeline.isAssessing)
        }
        #expect(!released)
        released = timeline.received(1_920, at: before + 3 + 9 * 0.04)
        #expect(released)
        #expect(timeline.assess() == 144_000)
        #expect(timeline.frames == 48_000 + 144_000 + 9 * 1_920)
        #expect(!timeline.isAssessing)
    }

    @Test("What comes all at once after a stall is whole: nothing is missing")
    func stall() {
        var timeline = CaptureTimeline(rate: Self.rate, at: 0)
        let before = deliver(25, to: &timeline, from: 0) { _ in 0 }
        // Three seconds in a hundredth of one, and then as always.
        for index in 1...75 { _ = timeline.received(1_920, at: before + 3 + Double(index) * 0.000_1) }
        var now = before + 3
        repeat { now += 0.04 } while !timeline.received(1_920, at: now)
        #expect(timeline.assess() == 0)
    }

    @Test("On another device only what is really missing counts; nothing is put where none is")
    func moved() {
        var timeline = CaptureTimeline(rate: Self.rate, at: 0)
        timeline.deviceChanged()
        var now = deliver(25, to: &timeline, from: 0) { _ in 0 }
        #expect(!timeline.isAssessing)
        for (gap, missing) in [(0.005, 0), (0.25, 12_000)] {
            timeline.deviceChanged()
            now += gap
            repeat { now += 0.04 } while !timeline.received(1_920, at: now)
            #expect(timeline.assess() == missing)
        }
    }

    @Test("A dead device is filled with silence up to now, and what comes then adds to it")
    func dead() {
        var timeline = CaptureTimeline(rate: Self.rate, at: 0)
        #expect(timeline.fill(until: 10) == 0)
        _ = deliver(25, to: &timeline, from: 0) { _ in 0 }
        #expect(timeline.fill(until: 0.5) == 0)
        #expect(timeline.fill(until: 4) == 144_000)
        #expect(timeline.fill(until: 4) == 0)
        var now = 5.0
        repeat { now += 0.04 } while !timeline.received(1_920, at: now)
        #expect(timeline.assess() == 48_000)
    }
}
