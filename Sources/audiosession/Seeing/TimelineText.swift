import CommandLineSupport
import SessionHistory
import SessionPolicy

/// A timeline for a terminal: a row of characters for each session and stream, the axis, the legend, and who did what.
struct TimelineText {
    private let story: Story
    private let range: TimeRange
    private let now: Double

    init(_ story: Story, range: TimeRange, now: Double) {
        self.story = story
        self.range = range
        self.now = now
    }

    func lines(on paper: Paper) -> [String] {
        let width = max(40, paper.size?.columns ?? 100)
        let nameWidth = min(28, width / 4)
        let cells = width - nameWidth - 2
        let tracks = story.tracks.filter { track in track.spans.contains { range.part(of: $0, now: now) != nil } }
        let rows = tracks.map { track in
            let name = track.title.withoutControls.cut(toColumns: nameWidth)
            let gap = String(repeating: " ", count: nameWidth + 2 - name.columns)
            return paper.tinted(name, .bold) + gap + row(track, cells, paper)
        }
        let curves = levelRows(nameWidth, cells, paper)
        guard !(rows + curves).isEmpty else { return ["No session and no stream did anything in this time."] }
        let indent = String(repeating: " ", count: nameWidth + 2)
        let marks = markLine(cells).map { [indent + $0] } ?? []
        let scale = curves.isEmpty ? [] : ["▁ -60 dBFS or less  █ 0 dBFS"]
        return marks + rows + curves + [indent + axis(cells)] + legend(of: tracks, width, paper) + scale
            + causes(tracks, width, paper)
    }

    // MARK: Rows

    private func row(_ track: Track, _ cells: Int, _ paper: Paper) -> String {
        var states = [Span.State?](repeating: nil, count: cells)
        for span in track.spans {
            guard let part = range.part(of: span, now: now) else { continue }
            let first = min(cells - 1, Int(part.begin * Double(cells)))
            let last = max(first, min(cells - 1, Int((part.end * Double(cells)).rounded(.up)) - 1))
            for cell in first...last where span.state.rank >= states[cell]?.rank ?? 0 { states[cell] = span.state }
        }
        // One colour code for a run of cells, rather than for each.
        var text = ""
        var rest = states[...]
        while let state = rest.first {
            let run = rest.prefix { $0 == state }
            let glyphs = String(repeating: state?.glyph ?? " ", count: run.count)
            text += state.map { paper.tinted(glyphs, $0.tint) } ?? glyphs
            rest = rest.dropFirst(run.count)
        }
        return text
    }

    /// A row of bars for the levels of each sink; blank where none were measured.
    private func levelRows(_ nameWidth: Int, _ cells: Int, _ paper: Paper) -> [String] {
        story.curves.compactMap { curve in
            var peaks = [Double?](repeating: nil, count: cells)
            for point in curve.points {
                let (begin, end) = (point.begin.wall, point.begin.wall + point.seconds)
                guard end > range.begin, begin < range.end else { continue }
                let first = max(0, Int(range.place(of: begin) * Double(cells)))
                let last = min(cells - 1, Int((range.place(of: end) * Double(cells)).rounded(.up)) - 1)
                for cell in first...max(first, last) where cell < cells {
                    peaks[cell] = max(peaks[cell] ?? point.peak, point.peak)
                }
            }
            guard peaks.contains(where: { $0 != nil }) else { return nil }
            let name = curve.name.withoutControls.cut(toColumns: nameWidth)
            let glyphs = peaks.map { peak in
                peak.map { Self.bars[max(0, min(7, Int((8 * (1 - $0 / LevelField.floor)).rounded(.down))))] } ?? " "
            }
            return paper.tinted(name, .bold) + String(repeating: " ", count: nameWidth + 2 - name.columns)
                + String(glyphs)
        }
    }

    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    private func markLine(_ cells: Int) -> String? {
        var glyphs = [Character](repeating: " ", count: cells)
        let marks = story.marks.filter { (range.begin...range.end).contains($0.moment.wall) }
        for mark in marks {
            glyphs[min(cells - 1, Int(range.place(of: mark.moment.wall) * Double(cells)))] = "|"
        }
        return marks.isEmpty ? nil : String(glyphs)
    }

    private func axis(_ cells: Int) -> String {
        var line = [Character](repeating: " ", count: cells)
        var free = 0
        for tick in range.ticks(apart: 12 / Double(cells)) {
            let place = min(Int(range.place(of: tick.wall) * Double(cells)), cells - tick.text.count)
            guard place >= free else { continue }
            for (offset, character) in tick.text.enumerated() { line[place + offset] = character }
            free = place + tick.text.count + 1
        }
        return String(line)
    }

    // MARK: Words

    private func legend(of tracks: [Track], _ width: Int, _ paper: Paper) -> [String] {
        let used = Set(tracks.flatMap { $0.spans.map(\.state) })
        var lines: [(text: String, columns: Int)] = [("", 0)]
        for state in Span.State.allCases where used.contains(state) {
            let word = "\(state.glyph)\(state.glyph) \(state.rawValue)  "
            if lines[lines.count - 1].columns + word.columns > width { lines.append(("", 0)) }
            lines[lines.count - 1].text += paper.tinted(word, state.tint)
            lines[lines.count - 1].columns += word.columns
        }
        return [""] + lines.map(\.text)
    }

    /// The arrows and the marks, in words.
    private func causes(_ tracks: [Track], _ width: Int, _ paper: Paper) -> [String] {
        let numbers = Set(tracks.map(\.number))
        let incidents = story.incidents.filter { incident in
            guard (range.begin...range.end).contains(incident.moment.wall) else { return false }
            if case .disturbance(let track, _) = incident.content { return numbers.contains(track.number) }
            return true
        }
        let now = HistoryClocks.system.now
        return incidents.isEmpty ? [] : [""] + HistoryText(incidents, now: now).lines(on: paper)
    }
}

extension Span.State {
    /// The character of the state, a different one for each, since not everybody sees colours.
    fileprivate var glyph: String {
        switch self {
        case .active: "─"
        case .playing: "█"
        case .interrupted: "░"
        case .waiting: "·"
        case .stopped: "z"
        case .ducked: "▄"
        case .muted: "×"
        }
    }

    fileprivate var tint: Tint {
        switch self {
        case .active, .playing: .green
        case .interrupted, .muted: .red
        case .ducked: .yellow
        case .waiting, .stopped: .faint
        }
    }

    /// The rank of states that share a cell: what is done to a session is seen above what it does.
    fileprivate var rank: Int {
        switch self {
        case .active: 1
        case .playing: 2
        case .waiting: 3
        case .ducked: 4
        case .muted: 5
        case .stopped: 6
        case .interrupted: 7
        }
    }
}
