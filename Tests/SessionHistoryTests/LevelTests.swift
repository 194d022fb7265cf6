import Foundation
import SessionHistory
import TestSupport
import Testing

/// The levels of sinks: as events, as curves and in a picture.
@Suite("Levels of a history", .limited) struct LevelTests {
    private static let measure = TextMeasure(columns: { $0.count }, cut: { String($0.prefix(max(0, $1))) })

    @Test("twenty peaks are one event, in whole decibels from silence to full scale")
    func batch() throws {
        var batches = LevelBatches(seconds: 0.5)
        var events: [HistoryEvent] = []
        for number in 1...40 {
            let peak: Double = number == 3 ? 2 : number == 4 ? -200 : -12.4
            events += batches.add("out", peak: peak, end: Script.moment(Double(number) / 2))
        }
        #expect(events.count == 2)
        let curve = try #require(StoryFold.story(of: events).curves.first)
        #expect(curve.name == "out" && curve.points.count == 40)
        #expect(curve.points.prefix(4).map(\.peak) == [-12, -12, 0, -90])
        let begins: [Double] = (0..<40).map { Double($0) / 2 }
        #expect(curve.points.map { $0.begin.monotonic - 1_000 } == begins)
        #expect(batches.flush().isEmpty)
    }

    @Test("lasting silence is no line, and a sink that was away begins anew")
    func silence() throws {
        var batches = LevelBatches(seconds: 0.5)
        for number in 1...100 {
            #expect(batches.add("out", peak: -120, end: Script.moment(Double(number) / 2)).isEmpty)
        }
        #expect(batches.add("out", peak: -10, end: Script.moment(50.5)).isEmpty)
        let before = batches.add("out", peak: -20, end: Script.moment(300))
        let after = batches.flush()
        let points = StoryFold.story(of: before + after).curves.first?.points
        #expect(points?.map(\.peak) == [-10, -20])
        #expect(points?.map { $0.begin.monotonic - 1_000 } == [50, 299.5])
    }

    @Test("what is no level is none: a length of zero, words, values beyond the scale")
    func damage() {
        var script = Script()
        script.at(1, "levels", ["sink": "a", "seconds": .number(0), "peaks": "-3"])
        script.at(1, "levels", ["sink": "b", "seconds": .number(1), "peaks": "loud -3 900 -9000"])
        script.at(1, "levels", ["seconds": .number(1), "peaks": "-3"])
        #expect(script.story.curves.map { $0.points.map(\.peak) } == [[], [-3, 0, -90]])
    }

    @Test("the curve is as high as its level, ends where nothing was measured, and has at most a place a pixel")
    func field() throws {
        var script = Script()
        script.at(0, "active", "Music", 1)
        for number in 1...100 {
            script.at(
                Double(number) / 4, "levels", ["sink": "out", "seconds": .number(0.05), "peaks": "-90 -30 -30 -30 -30"])
        }
        script.at(50, "levels", ["sink": "out", "seconds": .number(0.5), "peaks": "0 -60"])
        let start = Script.moment(0).wall
        let layout = TimelineLayout(
            script.story, range: TimeRange(start, start + 100), now: start + 100, width: 500, measure: Self.measure)
        let field = try #require(layout.levels.first)
        #expect(field.runs.count == 2)
        #expect(field.runs[0].count <= Int(layout.plot.width / 4) + 1)
        // The loudest of a pixel, halfway down; then full scale and the floor.
        #expect(field.runs[0].allSatisfy { abs($0.y - (field.box.y + field.box.height / 2)) < 0.01 })
        #expect(field.runs[1].map(\.y) == [field.box.y, field.box.bottom])
        #expect(abs(field.runs[1][0].x - (layout.plot.x + layout.plot.width * 0.4925)) < 0.01)
        #expect(field.scale.map(\.label.text) == ["0 dBFS", "-30", "-60"])
        let row = try #require(layout.names.first)
        #expect(field.box.y > row.box.bottom && layout.ticks.allSatisfy { $0.label.box.y > field.box.bottom })
        let svg = TimelineSVG(layout).text
        #expect(svg.components(separatedBy: "class=\"level\"").count == 3)
    }

    @Test("a picture of seconds has them on its axis and in its words")
    func seconds() {
        var script = Script()
        script.at(2.5, "active", "Music", 1)
        let start = Script.moment(0).wall
        let layout = TimelineLayout(
            script.story, range: TimeRange(start, start + 10, countsSeconds: true), now: start + 10, width: 800,
            measure: Self.measure)
        #expect(layout.ticks.first?.label.text == "0 s" && layout.ticks.last?.label.text == "10 s")
        #expect(layout.bars.first?.hint == "Music (1): active, 2.500 s, 7.500 s")
    }

    @Test("levels that are older than what is shown are forgotten")
    func forgotten() {
        var fold = StoryFold()
        for number in 0..<10 {
            let event = LevelCurve.event("out", peaks: [-5], seconds: 1, end: Script.moment(Double(number) + 1))
            fold.add(event)
        }
        fold.forgetLevels(before: Script.moment(6).wall)
        #expect(fold.story.curves.first?.points.count == 4)
        fold.forgetLevels(before: Script.moment(60).wall)
        #expect(fold.story.curves.isEmpty)
    }
}
