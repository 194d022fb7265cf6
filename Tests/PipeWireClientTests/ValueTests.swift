import Foundation
import TestSupport
import Testing

@testable import PipeWireClient

@Suite(.limited) struct PropsEventFilterTests {
    @Test func confirmsEachChangeOnce() {
        var filter = PropsEventFilter()
        let first = filter.mark([0.5, 0.25])
        let second = filter.mark([0.5, 0.25])
        #expect(first != second)
        expectConfirms(&filter, first, true)
        expectConfirms(&filter, first, false)  // The same event again is somebody else's.
        expectConfirms(&filter, second, true)
        #expect(filter.unconfirmed == 0)
    }

    @Test func oneEventMayStandForSeveralChanges() {
        var filter = PropsEventFilter()
        let all = (0..<5).map { _ in filter.mark([1]) }
        expectConfirms(&filter, all[3], true)
        #expect(filter.unconfirmed == 1)
        expectConfirms(&filter, all[2], false)
        expectConfirms(&filter, all[4], true)
    }

    private func expectConfirms(
        _ filter: inout PropsEventFilter, _ volumes: [Float], _ expected: Bool,
        location: SourceLocation = #_sourceLocation
    ) {
        let isConfirmed = filter.confirms(volumes)
        #expect(isConfirmed == expected, sourceLocation: location)
    }

    @Test func marksAreNotHeard() {
        var filter = PropsEventFilter()
        for value: Float in [1, 0.3, 0.001, 0] {
            for _ in 0..<200 {
                let marked = filter.mark([value])[0]
                #expect(abs(marked - value) <= max(value * 1e-4, 1e-7))
            }
        }
        #expect(filter.unconfirmed == PropsEventFilter.limit)
    }
}

@Suite(.limited) struct DecibelRampTests {
    @Test func goesByEqualDecibels() {
        let ramp = DecibelRamp(from: 1, to: 0.1, start: 10, duration: 0.2)
        let decibels = (0...20).map { 20 * log10(Double(ramp.gain(at: 10 + 0.01 * Double($0)))) }
        for (step, decibel) in decibels.enumerated() { #expect(abs(decibel + Double(step)) < 0.01) }
        #expect(ramp.gain(at: 9) == 1)
        #expect(ramp.gain(at: 11) == 0.1)
    }

    @Test func reachesSilenceAndComesBack() {
        let down = DecibelRamp(from: 1, to: 0, start: 0, duration: 1)
        #expect(down.gain(at: 0.999) < 0.0011 && down.gain(at: 0.999) > 0)
        #expect(down.gain(at: 1) == 0)
        let up = DecibelRamp(from: 0, to: 1, start: 0, duration: 1)
        #expect(up.gain(at: 0) == 0)
        #expect(abs(up.gain(at: 0.5) - 0.0316) < 0.001)
        #expect(up.gain(at: 1) == 1)
    }

    @Test func withoutDurationIsThereAtOnce() {
        let ramp = DecibelRamp(from: 1, to: 0.5, start: 3, duration: 0)
        #expect(ramp.gain(at: 3) == 0.5)
        #expect(ramp.isOver(at: 3))
    }
}
