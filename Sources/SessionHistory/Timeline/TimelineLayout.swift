/// The places of everything in a drawn timeline; a value without colours.
package struct TimelineLayout: Sendable {
    /// A bar: a state of a session or stream.
    package struct Bar: Hashable, Sendable {
        /// The rectangle.
        package let box: Box
        /// The state.
        package let state: Span.State
        /// The state's word in the bar, where there is room.
        package let label: Label?
        /// The words for whoever points at the bar.
        package let hint: String
    }

    /// An arrow from a culprit to its victim at the beginning of a state.
    package struct Arrow: Hashable, Sendable {
        /// The horizontal place.
        package let x: Double
        /// The vertical place of the culprit's row.
        package let from: Double
        /// The vertical place of the victim's row.
        package let to: Double
        /// The rule's name beside the arrow; nil where there is no room for it.
        package let label: Label?
        /// The words for whoever points at the arrow.
        package let hint: String
    }

    /// A vertical line at the moment of a mark.
    package struct MarkLine: Hashable, Sendable {
        /// The horizontal place.
        package let x: Double
        /// The mark.
        package let mark: Mark
        /// The mark's text above the rows; nil where there is no room for it.
        package let label: Label?
    }

    /// A text below the axis.
    package struct Tick: Hashable, Sendable {
        /// The horizontal place.
        package let x: Double
        /// The time.
        package let label: Label
    }

    /// One entry of the legend.
    package struct LegendEntry: Hashable, Sendable {
        /// The sample.
        package let box: Box
        /// The state.
        package let state: Span.State
        /// The state's word.
        package let label: Label
    }

    /// The width and height.
    package private(set) var size = (width: 0.0, height: 0.0)
    /// The rows' names.
    package private(set) var names: [Label] = []
    /// The bars, in the order in which they are drawn.
    package private(set) var bars: [Bar] = []
    /// The arrows.
    package private(set) var arrows: [Arrow] = []
    /// The marks.
    package private(set) var marks: [MarkLine] = []
    /// The axis' texts.
    package private(set) var ticks: [Tick] = []
    /// The legend.
    package private(set) var legend: [LegendEntry] = []
    /// The levels of sinks, below the rows.
    package private(set) var levels: [LevelField] = []
    /// The part that shows time.
    package private(set) var plot = Box(x: 0, y: 0, width: 0, height: 0)

    /// The width of a column of the font, whose size is 12 pixels.
    package static let column = 7.2
    /// The height of a line of text.
    package static let line = 15.0
    private static let margin = 10.0
    /// The rows of marks' texts above the plot.
    private static let markRows = 3

    private let measure: TextMeasure
    private let range: TimeRange
    private let now: Double
    /// The rows by the numbers of their tracks.
    private var rows: [Int: Int] = [:]
    private var rowHeight = 0.0
    /// The texts that others must not overlap.
    private var taken: [Box] = []

    /// Lays a story out.
    ///
    /// - Parameters:
    ///   - story: The sessions and streams.
    ///   - range: The time to show; tracks without a state in it have no row.
    ///   - now: The wall clock, until which open states are drawn.
    ///   - width: The width in pixels, at least 320.
    package init(_ story: Story, range: TimeRange, now: Double, width: Double, measure: TextMeasure) {
        self.measure = measure
        self.range = range
        self.now = now
        let width = max(320, width)
        let tracks = story.tracks.filter { track in track.spans.contains { range.part(of: $0, now: now) != nil } }
        rows = Dictionary(uniqueKeysWithValues: tracks.enumerated().map { ($0.element.number, $0.offset) })
        rowHeight = tracks.count <= 24 ? 26 : 17
        let nameWidth = min(width * 0.3, 220)
        let top = Self.margin + Double(Self.markRows) * Self.line
        let curves = story.curves.filter { curve in
            curve.points.contains { $0.begin.wall < range.end && $0.begin.wall + $0.seconds > range.begin }
        }
        let rowsHeight = max(curves.isEmpty ? 1 : 0, Double(tracks.count)) * rowHeight
        plot = Box(
            x: Self.margin + nameWidth, y: top, width: width - nameWidth - 2 * Self.margin,
            height: rowsHeight + Double(curves.count) * LevelField.slot)
        for track in tracks { addRow(track, story) }
        for (place, curve) in curves.enumerated() {
            let slot = Box(
                x: plot.x, y: plot.y + rowsHeight + Double(place) * LevelField.slot, width: plot.width,
                height: LevelField.slot)
            levels.append(LevelField(curve, range: range, slot: slot, left: Self.margin, measure: measure))
        }
        addArrows(tracks, story)
        for mark in story.marks where (range.begin...range.end).contains(mark.moment.wall) { addMark(mark) }
        addTicks()
        addLegend(width: width)
        size = (width, (legend.map(\.label.box.bottom).max() ?? plot.bottom) + Self.margin)
    }

    /// All texts, for a test that none overlaps another one.
    package var labels: [Label] {
        names + bars.compactMap(\.label) + arrows.compactMap(\.label) + marks.compactMap(\.label)
            + ticks.map(\.label) + legend.map(\.label) + levels.map(\.name) + levels.flatMap { $0.scale.map(\.label) }
    }

    private func x(_ place: Double) -> Double { plot.x + place * plot.width }

    private func y(_ track: Int) -> Double? { rows[track].map { plot.y + Double($0) * rowHeight } }

    private func label(_ text: String, x: Double, y: Double, room: Double = .infinity) -> Label {
        let columns = room.isFinite ? max(0, Int(room / Self.column)) : .max
        let cut = measure.cut(text, columns)
        return Label(
            text: cut, box: Box(x: x, y: y, width: Double(measure.columns(cut)) * Self.column, height: Self.line))
    }

    /// Whether a text can stand in a box, with room for half a letter on both sides.
    private func isFree(_ box: Box) -> Bool {
        let room = Box(
            x: box.x - Self.column / 2, y: box.y, width: box.width + Self.column, height: box.height)
        return !taken.contains { $0.overlaps(room) }
    }

    // MARK: Rows

    private mutating func addRow(_ track: Track, _ story: Story) {
        guard let y = y(track.number) else { return }
        let room = plot.x - Self.margin - 6
        names.append(label(track.title, x: Self.margin, y: y + (rowHeight - Self.line) / 2, room: room))
        // What stands lies below what is done to it.
        let order: [Span.State.Lane] = [.standing, .sound, .level, .mute]
        for lane in order {
            for span in track.spans where span.state.lane == lane { addBar(span, track, y) }
        }
    }

    private mutating func addBar(_ span: Span, _ track: Track, _ y: Double) {
        guard let part = range.part(of: span, now: now) else { return }
        let (top, height) = Self.band(of: span.state, isStream: track.kind != .session)
        let box = Box(
            x: x(part.begin), y: y + top * rowHeight, width: max(1.5, (part.end - part.begin) * plot.width),
            height: height * rowHeight)
        var word: Label?
        let text = label(span.state.rawValue, x: box.x + 4, y: y + (rowHeight - Self.line) / 2)
        if span.state != .playing, text.box.right + 4 <= box.right, isFree(text.box) {
            word = text
            taken.append(text.box)
        }
        let cause = span.culprit.map { " by \($0.name)" } ?? ""
        let rule = span.rule.map { " (\($0))" } ?? ""
        let seconds = TimeText.length((span.end?.wall ?? now) - span.begin.wall)
        bars.append(
            Bar(
                box: box, state: span.state, label: word,
                hint: "\(track.title): \(span.state.rawValue)\(cause)\(rule), "
                    + "\(range.text(of: span.begin.wall)), \(seconds)"))
    }

    /// The part of a row that a state fills: its top and height.
    private static func band(of state: Span.State, isStream: Bool) -> (Double, Double) {
        switch state {
        case .active, .interrupted, .waiting, .stopped: (0.12, 0.76)
        case .playing: isStream ? (0.12, 0.76) : (0.78, 0.1)
        case .ducked: (0.5, 0.38)
        case .muted: (0.12, 0.38)
        }
    }

    // MARK: Arrows

    private mutating func addArrows(_ tracks: [Track], _ story: Story) {
        for track in tracks {
            for span in track.spans {
                guard let culprit = span.culprit?.track, let to = y(track.number), let from = y(culprit),
                    (range.begin...range.end).contains(span.begin.wall)
                else { continue }
                let place = x(range.place(of: span.begin.wall))
                let isDown = to > from
                let (start, end) = (from + rowHeight / 2, isDown ? to + rowHeight * 0.1 : to + rowHeight * 0.9)
                arrows.append(
                    Arrow(
                        x: place, from: start, to: end, label: ruleLabel(span.rule, x: place, from: start, to: end),
                        hint: "\(story.tracks[culprit].title) -> \(track.title)"
                            + (span.rule.map { ": \($0)" } ?? "")))
            }
        }
    }

    /// A place for a rule's name beside an arrow, which no other text has.
    private mutating func ruleLabel(_ rule: String?, x: Double, from: Double, to: Double) -> Label? {
        guard let rule else { return nil }
        let (top, bottom) = (min(from, to), max(from, to))
        let width = Double(measure.columns(rule)) * Self.column
        var y = top
        while y + Self.line <= bottom + rowHeight / 2 {
            for left in [x + 5, x - 5 - width] {
                let candidate = label(rule, x: left, y: y)
                let isInside = left >= plot.x && candidate.box.right <= plot.right
                if isInside, isFree(candidate.box) {
                    taken.append(candidate.box)
                    return candidate
                }
            }
            y += Self.line / 3
        }
        return nil
    }

    // MARK: Marks, axis and legend

    private mutating func addMark(_ mark: Mark) {
        let place = x(range.place(of: mark.moment.wall))
        var found: Label?
        for row in 0..<Self.markRows where found == nil {
            let y = plot.y - Double(row + 1) * Self.line - 2
            let text = label(mark.text, x: place + 3, y: y, room: 34 * Self.column)
            for left in [place + 3, place - 3 - text.box.width] where found == nil {
                let candidate = Label(
                    text: text.text, box: Box(x: left, y: y, width: text.box.width, height: Self.line))
                let isInside = left >= Self.margin && candidate.box.right <= plot.right + Self.margin
                if isInside, isFree(candidate.box) { found = candidate }
            }
        }
        if let found { taken.append(found.box) }
        marks.append(MarkLine(x: place, mark: mark, label: found))
    }

    private mutating func addTicks() {
        for tick in range.ticks(apart: 11 * Self.column / plot.width) {
            let place = x(range.place(of: tick.wall))
            let width = Double(measure.columns(tick.text)) * Self.column
            let left = min(max(place - width / 2, plot.x), plot.right - width)
            let text = label(tick.text, x: left, y: plot.bottom + 6)
            if ticks.last.map({ $0.label.box.right + Self.column <= text.box.x }) ?? true {
                ticks.append(Tick(x: place, label: text))
            }
        }
    }

    private mutating func addLegend(width: Double) {
        var (x, y) = (Self.margin, plot.bottom + 6 + Self.line + 8)
        let used = Set(bars.map(\.state))
        for state in Span.State.allCases where used.contains(state) {
            let text = label(state.rawValue, x: x + 26, y: y)
            if text.box.right > width - Self.margin, x > Self.margin {
                (x, y) = (Self.margin, y + Self.line + 4)
            }
            let placed = label(state.rawValue, x: x + 26, y: y)
            legend.append(
                LegendEntry(box: Box(x: x, y: y + 2, width: 20, height: 11), state: state, label: placed))
            x = placed.box.right + 18
        }
    }
}

extension Track {
    /// The name with its process, or with the stream's number.
    package var title: String {
        stream.map { "\(name) #\($0)" } ?? name + (process.map { " (\($0))" } ?? "")
    }
}
