/// The places of one sink's levels in a drawn timeline: a field from the floor to full scale, its scale and its name.
package struct LevelField: Hashable, Sendable {
    /// A place of the curve.
    package struct Place: Hashable, Sendable {
        /// The horizontal place.
        package let x: Double
        /// The vertical place.
        package let y: Double
    }

    /// A line of the scale.
    package struct Scale: Hashable, Sendable {
        /// The vertical place.
        package let y: Double
        /// The level, to the left of the field.
        package let label: Label
    }

    /// The quietest level that is drawn, in dBFS.
    package static let floor = -60.0
    /// The height in pixels of a field with the room above and below it.
    static let slot = 62.0
    private static let padding = 8.0

    /// The field; its lower edge is the floor.
    package let box: Box
    /// The sink's name, cut to its room.
    package let name: Label
    /// The lines of the scale.
    package let scale: [Scale]
    /// The parts of the curve between which nothing was measured.
    package let runs: [[Place]]
    /// The words for whoever points at the field.
    package let hint: String

    /// Lays a curve out.
    ///
    /// - Parameters:
    ///   - curve: The levels.
    ///   - range: The time to show.
    ///   - slot: The box of one field, with the margins above and below it.
    ///   - left: The left edge of the name.
    init(_ curve: LevelCurve, range: TimeRange, slot: Box, left: Double, measure: TextMeasure) {
        box = Box(
            x: slot.x, y: slot.y + Self.padding, width: slot.width, height: slot.height - 2 * Self.padding)
        let (line, column) = (TimelineLayout.line, TimelineLayout.column)
        let field = box
        func label(_ text: String, x: Double, middle: Double) -> Label {
            let width = Double(measure.columns(text)) * column
            return Label(text: text, box: Box(x: x, y: middle - line / 2, width: width, height: line))
        }
        scale = [0.0, -30, -60].map { level in
            let y = Self.y(of: level, in: field)
            let text = level == 0 ? "0 dBFS" : "\(Int(level))"
            return Scale(y: y, label: label(text, x: field.x - 6 - Double(measure.columns(text)) * column, middle: y))
        }
        let middle = Self.y(of: -30, in: field)
        let room = Int((field.x - 6 - 4 * column - left) / column)
        name = label(measure.cut(curve.name, max(0, room)), x: left, middle: middle)
        hint = "level of \(curve.name), dBFS"
        runs = Self.runs(curve, range, field)
    }

    private static func y(of level: Double, in box: Box) -> Double {
        box.y + min(1, max(0, level / floor)) * box.height
    }

    /// The points of the curve, at most one for each pixel: the loudest of those that fall on it.
    private static func runs(_ curve: LevelCurve, _ range: TimeRange, _ box: Box) -> [[Place]] {
        var runs: [[Place]] = []
        var last: (end: Double, pixel: Int, peak: Double)?
        for point in curve.points {
            let (begin, end) = (point.begin.wall, point.begin.wall + point.seconds)
            guard end > range.begin, begin < range.end else { continue }
            let x = box.x + range.place(of: min(range.end, max(range.begin, (begin + end) / 2))) * box.width
            let isApart = last.map { begin - $0.end > 1.5 * point.seconds || begin < $0.end - point.seconds } ?? true
            if isApart { runs.append([]) }
            if !isApart, let before = last, before.pixel == Int(x) {
                guard point.peak > before.peak, let place = runs[runs.count - 1].popLast() else {
                    last = (end, before.pixel, before.peak)
                    continue
                }
                runs[runs.count - 1].append(Place(x: place.x, y: y(of: point.peak, in: box)))
            } else {
                runs[runs.count - 1].append(Place(x: x, y: y(of: point.peak, in: box)))
            }
            last = (end, Int(x), point.peak)
        }
        return runs.filter { !$0.isEmpty }
    }
}
