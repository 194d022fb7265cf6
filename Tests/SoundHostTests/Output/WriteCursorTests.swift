import TestSupport
import Testing

@testable import SoundHost

/// What happens to a cursor of 48,000 frames per second, of which a margin of 6 ms is 288.
private enum Step: Sendable {
    case started(at: Double = 0)
    case wrote(Int)
    case took(Int, at: Double = 0)
    case rewind(to: Int)
    case change(from: Int)
    /// The server has answered the question that a change asks.
    case answer(queued: Int)
    case arrived(begun: Int, queued: Int)
    case corked(queued: Int)
    case replaced
}

/// Where a cursor stands.
private struct Positions: Equatable, Sendable {
    var next: Int
    var server: Int
    var staleEnd: Int
    var floor: Int
}

private struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var positions: Positions

    init(_ name: String, _ steps: [Step], _ next: Int, server: Int, staleEnd: Int, floor: Int) {
        testDescription = name
        self.steps = steps
        positions = Positions(next: next, server: server, staleEnd: staleEnd, floor: floor)
    }
}

extension WriteCursor {
    fileprivate init(_ steps: [Step]) {
        self.init(rate: 48_000)
        for step in steps { apply(step) }
    }

    private mutating func apply(_ step: Step) {
        switch step {
        case .started(let time): started(at: time)
        case .wrote(let frames): wrote(frames)
        case .took(let frame, let time): serverTook(frame, at: time)
        case .rewind(let frame): rewind(to: frame)
        case .change(let frame): _ = change(from: frame)
        case .answer(let queued): _ = rewindForChange(queued: queued, at: 0)
        case .arrived(let begun, let queued): _ = changeArrived(begun: begun, queued: queued, at: 0)
        case .corked(let queued): corked(discarding: queued)
        case .replaced: streamReplaced()
        }
    }

    fileprivate var positions: Positions {
        Positions(next: next, server: server, staleEnd: staleEnd, floor: rewindFloor)
    }
}

/// Two seconds that were written, of which the server has taken 20,000 frames when it is asked.
private let written: [Step] = [.started(), .wrote(96_000)]

@Suite("What was written, taken, heard and rewound", .limited)
struct WriteCursorTests {
    @Test(
        "Writes, rewinds and stops move the positions",
        arguments: [
            Row("a write", [.wrote(100)], 100, server: 100, staleEnd: 100, floor: 0),
            Row("a write of nothing", [.wrote(0)], 0, server: 0, staleEnd: 0, floor: 0),
            Row("a rewind", [.wrote(1_000), .rewind(to: 400)], 400, server: 1_000, staleEnd: 1_000, floor: 400),
            Row(
                "a rewind to what is to come", [.wrote(100), .rewind(to: 500)],
                100, server: 100, staleEnd: 100, floor: 100),
            Row(
                "a rewind, half overwritten", [.wrote(1_000), .rewind(to: 400), .wrote(200)],
                600, server: 600, staleEnd: 1_000, floor: 400),
            Row(
                "a rewind, overwritten and more", [.wrote(1_000), .rewind(to: 400), .wrote(700)],
                1_100, server: 1_100, staleEnd: 1_100, floor: 400),
            Row("a stop", [.wrote(1_000), .corked(queued: 300)], 700, server: 700, staleEnd: 700, floor: 700),
            Row(
                "a stop within a rewind", [.wrote(1_000), .rewind(to: 400), .wrote(100), .corked(queued: 50)],
                450, server: 450, staleEnd: 450, floor: 450),
            Row(
                "another stream after a rewind", [.wrote(1_000), .rewind(to: 400), .replaced],
                400, server: 400, staleEnd: 400, floor: 400),
        ])
    private func positions(row: Row) {
        #expect(WriteCursor(row.steps).positions == row.positions)
    }

    @Test(
        "A change rewinds as far as the server leaves time for it",
        arguments: [
            Row(
                "at once", written + [.change(from: 0), .answer(queued: 76_000)],
                20_288, server: 96_000, staleEnd: 96_000, floor: 20_288),
            Row(
                "at a time within the queued second", written + [.change(from: 80_000), .answer(queued: 76_000)],
                80_000, server: 96_000, staleEnd: 96_000, floor: 20_288),
            Row(
                "a pause just after that is not held up by it",
                written + [
                    .change(from: 80_000), .answer(queued: 76_000), .wrote(16_000), .change(from: 0),
                    .answer(queued: 55_993),
                ], 40_295, server: 96_000, staleEnd: 96_000, floor: 40_295),
            Row(
                "several before the answer are made together",
                written + [
                    .change(from: 50_000), .change(from: 30_000), .change(from: 60_000), .answer(queued: 76_000),
                ], 30_000, server: 96_000, staleEnd: 96_000, floor: 20_288),
            Row(
                "behind everything written", written + [.change(from: 200_000), .answer(queued: 76_000)],
                96_000, server: 96_000, staleEnd: 96_000, floor: 20_288),
            Row(
                "an answer without a change", written + [.answer(queued: 76_000)],
                96_000, server: 96_000, staleEnd: 96_000, floor: 0),
            Row(
                "not before a frame at which a voice has left",
                written + [.rewind(to: 50_000), .wrote(46_000), .change(from: 0), .answer(queued: 76_000)],
                50_000, server: 96_000, staleEnd: 96_000, floor: 50_000),
            Row(
                "one that came late keeps the next one from what was heard of it",
                written + [
                    .change(from: 0), .answer(queued: 76_000), .wrote(75_712),
                    .arrived(begun: 20_288, queued: 75_232),
                ], 96_000, server: 96_000, staleEnd: 96_000, floor: 20_768),
        ])
    private func change(row: Row) {
        #expect(WriteCursor(row.steps).positions == row.positions)
    }

    @Test("The server is asked once for several changes, and again after its answer")
    func questions() {
        var cursor = WriteCursor(written)
        #expect(cursor.change(from: 10) && !cursor.change(from: 5) && cursor.changedFrom == 5)
        #expect(cursor.rewindForChange(queued: 76_000, at: 0) == 96_000 - 20_288)
        #expect(cursor.changedFrom == nil && cursor.change(from: 0))
        cursor.forgetChange()
        #expect(cursor.rewindForChange(queued: 76_000, at: 0) == nil)
    }

    @Test("A late change gives the next one more time")
    func lateness() {
        var cursor = WriteCursor(written + [.change(from: 0), .answer(queued: 76_000), .wrote(75_712)])
        #expect(cursor.changeArrived(begun: 20_288, queued: 75_232, at: 0) == 20_768)
        _ = cursor.change(from: 0)
        _ = cursor.rewindForChange(queued: 55_993, at: 0)
        #expect(cursor.next == 40_007 + 288 + 480)
    }

    @Test(
        "A stop before the change has come is a stop where the server is, not where the change begins",
        arguments: [(taken: 20_100, stops: 20_100), (taken: 20_288, stops: 20_288), (taken: 20_500, stops: 20_500)])
    func stopBeforeChange(taken: Int, stops: Int) {
        var cursor = WriteCursor(written + [.change(from: 0), .answer(queued: 76_000), .wrote(2_400)])
        #expect(cursor.server == 22_688)
        #expect(cursor.corked(discarding: cursor.server - taken) == 22_688 - stops)
        #expect(cursor.next == stops && cursor.isFresh)
    }

    @Test("Room, offset and what is stale follow a rewind")
    func room() {
        let cursor = WriteCursor([.wrote(1_000), .rewind(to: 400), .wrote(100), .rewind(to: 450)])
        #expect(cursor.offset == -50 && cursor.room(writable: 20) == 70)
        #expect(cursor.staleFrames == 550 && !cursor.isFresh)
        #expect(cursor.taken(queued: 200) == 300)
        #expect(abs(cursor.secondsUntilHeard(260, latency: 0.01) - 0.005) < 1e-9)
    }

    @Test("Heard is what the latency says, but nothing before the start, and the clock goes on without a server")
    func heard() {
        var cursor = WriteCursor([.wrote(5_000), .corked(queued: 0), .started(at: 10), .wrote(48_000)])
        #expect(cursor.heard(latency: nil, at: 10.01) == 5_000)
        #expect(cursor.lastHeardFrame == 5_000 && cursor.heardByClock(at: 10.5) == 29_000)
        #expect(cursor.heard(latency: 1.2, at: 10.02) == 5_000)
        #expect(cursor.heard(latency: 0.5, at: 10.6) == 29_000)
        #expect(cursor.heardByClock(at: 10.6) == 29_000 && abs(cursor.heardByClock(at: 10.7) - 33_800) <= 1)
    }

    @Test(
        "What the server has left counts, not what the sink has taken",
        arguments: [
            // While the first frame is on its way through the sink, the latency is too small by the sink's own: a
            // player that started beside another one was not waited for, and 10 ms of it were silent.
            (latency: 0.09, sink: 0.06, took: (2_400, 0.05), at: 0.06, queued: 0.08),
            // Later it is not: the latency is the more exact one.
            (latency: 0.15, sink: 0.06, took: (2_400, 0.05), at: 0.06, queued: 0.09),
            // A sink that is far away does not hide that the server runs out of data.
            (latency: 0.34, sink: 0.33, took: (6_720, 0.05), at: 0.05, queued: 0.01),
            // A report that is old says nothing.
            (latency: 0.15, sink: 0.06, took: (2_400, 0.05), at: 1, queued: 0.09),
        ])
    func queued(latency: Double, sink: Double, took: (Int, Double), at time: Double, queued: Double) {
        var cursor = WriteCursor([.started(), .wrote(7_200), .took(took.0, at: took.1)])
        // Before its start, as a far sink's listener is.
        let heard = 7_200 - Int(latency * 48_000)
        #expect(abs(cursor.queued(heard: heard, sinkLatency: sink, at: time) - queued) < 1e-3)
        #expect(cursor.heard(latency: latency, at: time) == max(0, heard))
    }
}
