import Foundation
import SessionHistory
import TestSupport
import Testing

/// The places of a timeline's parts, and its drawing.
@Suite("A timeline's layout", .limited) struct TimelineTests {
    private static let measure = TextMeasure(columns: { $0.count }, cut: { String($0.prefix(max(0, $1))) })
    private static let start = 1_790_000_000.0

    /// Sessions that interrupt and lower each other all the time.
    private static func crowd(_ sessions: Int, seconds: Double) -> Story {
        var script = Script()
        script.at(0, "logBegan")
        for sink in ["speakers", "a very long name of an output that nobody can read"] {
            script.at(seconds / 2, "levels", ["sink": .text(sink), "seconds": .number(0.05), "peaks": "-20 -10 -90"])
        }
        let step = seconds / Double(sessions * 4)
        for number in 0..<sessions {
            let name = "A program with a long name \(number)"
            let begin = Double(number) * step * 3
            script.at(begin, "active", name, Double(number), ["category": "playback"])
            guard number > 0 else { continue }
            let culprit: [String: HistoryValue] = ["byPid": .number(Double(number)), "rule": "newerSession"]
            let victim = "A program with a long name \(number - 1)"
            script.at(
                begin, "interruption", victim, Double(number - 1),
                culprit.merging(["type": "began", "by": .text(name)]) { $1 })
            script.at(begin + step, "muted", victim, Double(number - 1), ["by": .text(name)])
            script.at(begin + step * 2, "unmuted", victim, Double(number - 1))
            if number % 3 == 0 { script.at(begin, "routeChange", ["previous": "one", "current": "a long sink name"]) }
        }
        return script.story
    }

    /// Whether two texts overlap, or stand beside each other without a gap, as one word.
    private static func isTooNear(_ one: Box, _ other: Box) -> Bool {
        one.y < other.bottom && other.y < one.bottom && one.x - 3 < other.right && other.x - 3 < one.right
    }

    private static func layout(_ story: Story, seconds: Double, width: Double) -> TimelineLayout {
        TimelineLayout(
            story, range: TimeRange(start, start + seconds), now: start + seconds, width: width, measure: measure)
    }

    @Test(
        "no text overlaps another one or leaves the picture, with ten sessions in an hour and a hundred in a minute",
        arguments: [(10, 3_600.0), (100, 60.0), (1, 5.0), (40, 0.5)], [320.0, 800, 1_600])
    func overlaps(crowd: (sessions: Int, seconds: Double), width: Double) throws {
        let layout = Self.layout(
            Self.crowd(crowd.sessions, seconds: crowd.seconds), seconds: crowd.seconds, width: width)
        let labels = layout.labels.filter { !$0.text.isEmpty }
        for (index, label) in labels.enumerated() {
            for other in labels[(index + 1)...] where Self.isTooNear(label.box, other.box) {
                Issue.record("\(label) overlaps \(other)")
            }
            #expect(label.box.x >= 0 && label.box.right <= layout.size.width, "\(label)")
            #expect(label.box.y >= 0 && label.box.bottom <= layout.size.height, "\(label)")
        }
        #expect(layout.names.count == crowd.sessions)
        #expect(layout.ticks.count >= 2)
    }

    @Test("rules whose arrows are a word's length apart do not become one word")
    func neighbours() throws {
        let range = 100.0
        func script(apart seconds: Double) -> Story {
            var script = Script()
            script.at(0, "active", "Music", 1)
            for number in 2...9 {
                let begin = 10 + Double(number) * seconds
                script.at(begin, "active", "Call \(number)", Double(number))
                let cause: [String: HistoryValue] = [
                    "by": .text("Call \(number)"), "byPid": .number(Double(number)), "rule": "call",
                ]
                script.at(begin, "interruption", "Music", 1, cause.merging(["type": "began"]) { $1 })
            }
            return script.story
        }
        let plot = Self.layout(script(apart: 1), seconds: range, width: 800).plot
        let word = 4 * TimelineLayout.column
        let layout = Self.layout(script(apart: (word + 0.2) / plot.width * range), seconds: range, width: 800)
        let rules = layout.arrows.compactMap(\.label)
        #expect(layout.arrows.count == 8 && rules.count > 3)
        for (index, rule) in rules.enumerated() {
            #expect(!rules[(index + 1)...].contains { Self.isTooNear(rule.box, $0.box) }, "\(rule)")
        }
    }

    @Test("bars lie where their states were, and an arrow leads from the culprit's row to the victim's")
    func places() throws {
        var script = Script()
        script.at(0, "active", "Music", 1)
        script.at(25, "active", "Call", 2)
        script.at(25, "interruption", "Music", 1, ["type": "began", "by": "Call", "byPid": .number(2), "rule": "call"])
        script.at(75, "inactive", "Call", 2)
        let layout = Self.layout(script.story, seconds: 100, width: 800)
        let interrupted = try #require(layout.bars.first { $0.state == .interrupted })
        #expect(abs(interrupted.box.x - (layout.plot.x + layout.plot.width / 4)) < 0.01)
        #expect(abs(interrupted.box.right - layout.plot.right) < 0.01, "it goes on")
        let call = try #require(layout.bars.last { $0.state == .active })
        #expect(abs(call.box.width - layout.plot.width / 2) < 0.01)
        let arrow = try #require(layout.arrows.first)
        #expect(layout.arrows.count == 1 && arrow.label?.text == "call" && arrow.x == interrupted.box.x)
        #expect(call.box.y < arrow.from && arrow.from < call.box.bottom)
        #expect(interrupted.box.y <= arrow.to && arrow.to <= interrupted.box.bottom + 1)
    }

    @Test(
        "ticks are round times within the range, apart from each other",
        arguments: [0.5, 7, 60, 3_600, 1_728_000] as [Double])
    func ticks(seconds: Double) {
        let range = TimeRange(Self.start + 0.3, Self.start + 0.3 + seconds)
        let ticks = range.ticks(apart: 0.1)
        #expect((2...11).contains(ticks.count))
        for (one, next) in zip(ticks, ticks.dropFirst()) { #expect(next.wall - one.wall >= seconds * 0.1) }
        #expect(ticks.allSatisfy { (range.begin...range.end).contains($0.wall) })
        #expect(Set(ticks.map(\.text)).count == ticks.count)
    }

    @Test("the drawing is well-formed, complete in itself, and names from other programs are only text in it")
    func document() throws {
        var script = Script()
        script.at(0, "active", "<script>\"&\u{1B}[2J\u{7}", 1)
        script.at(1, "routeChange", ["previous": "a", "current": "]]><b>"])
        let svg = TimelineSVG(Self.layout(script.story, seconds: 10, width: 800))
        let parser = XMLWords(svg.text)
        #expect(parser.isWellFormed)
        #expect(!parser.elements.contains("script") && !parser.elements.contains("b"))
        #expect(!svg.text.contains("\u{1B}") && !svg.page.contains("http-equiv"))
        #expect(svg.text.components(separatedBy: "http").count == 2, "nothing but the name space is an address")
    }

    @Test("each state that is no plain bar has a pattern of its own, for those who do not see colours")
    func patterns() {
        var script = Script()
        script.at(0, "interruption", "A", 1, ["type": "began", "by": "B"])
        script.at(0, "ducked", "A", 1)
        script.at(0, "muted", "A", 1)
        script.at(0, "stopped", "B", 2)
        let text = TimelineSVG(Self.layout(script.story, seconds: 10, width: 800)).text
        for state in ["interrupted", "ducked", "muted", "stopped"] {
            #expect(text.contains("fill=\"url(#\(state))\"") && text.contains("pattern id=\"\(state)\""))
        }
        #expect(text.contains("@media (prefers-color-scheme:dark)"))
    }
}

/// The elements of a document, and whether each that begins ends.
///
/// Foundation's own parser is in a library that is not linked here.
private struct XMLWords {
    private(set) var elements: [String] = []
    private(set) var isWellFormed = true

    init(_ text: String) {
        var open: [String] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            guard let end = rest[start...].firstIndex(of: ">") else {
                isWellFormed = false
                return
            }
            let tag = rest[rest.index(after: start)..<end]
            let name = String(tag.prefix { $0 != " " && $0 != "/" || tag.first == $0 })
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                isWellFormed = isWellFormed && open.popLast() == String(tag.dropFirst())
            } else {
                elements.append(name)
                let quotes = tag.filter { $0 == "\"" }.count
                isWellFormed = isWellFormed && quotes % 2 == 0 && !tag.contains("<")
                if !tag.hasSuffix("/") { open.append(name) }
            }
        }
        isWellFormed = isWellFormed && open.isEmpty
    }
}
