internal import Foundation

/// A rectangle of a drawing, in pixels from the upper left corner.
package struct Box: Hashable, Sendable {
    /// The left edge.
    package let x: Double
    /// The upper edge.
    package let y: Double
    /// The width.
    package let width: Double
    /// The height.
    package let height: Double

    /// The right edge.
    package var right: Double { x + width }
    /// The lower edge.
    package var bottom: Double { y + height }

    /// Whether two rectangles have a part in common; touching edges are none.
    package func overlaps(_ other: Box) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }
}

/// A text of a drawing and the room that it takes.
package struct Label: Hashable, Sendable {
    /// The text, cut to its room.
    package let text: String
    /// The room.
    package let box: Box
}

/// The measure of texts: columns of a fixed-width font.
package struct TextMeasure: Sendable {
    /// The columns of a text.
    package let columns: @Sendable (String) -> Int
    /// A text cut to a number of columns.
    package let cut: @Sendable (String, Int) -> String

    /// Creates a measure.
    package init(columns: @escaping @Sendable (String) -> Int, cut: @escaping @Sendable (String, Int) -> String) {
        self.columns = columns
        self.cut = cut
    }
}

/// A part of time to draw, by the wall clock.
package struct TimeRange: Hashable, Sendable {
    /// The beginning, in seconds since 1970.
    package let begin: Double
    /// The end, in seconds since 1970; later than the beginning.
    package let end: Double
    /// Whether times are said in seconds since the beginning, rather than as those of the day.
    package let countsSeconds: Bool

    /// Creates a range of at least a tenth of a second.
    package init(_ begin: Double, _ end: Double, countsSeconds: Bool = false) {
        self.begin = begin
        self.end = max(end, begin + 0.1)
        self.countsSeconds = countsSeconds
    }

    /// The seconds.
    package var length: Double { end - begin }

    /// The part of a span within the range, from 0 to 1; nil if there is none.
    package func part(of span: Span, now: Double) -> (begin: Double, end: Double)? {
        let last = span.end?.wall ?? now
        guard span.begin.wall < end, last >= begin else { return nil }
        return (place(of: max(span.begin.wall, begin)), place(of: min(max(last, span.begin.wall), end)))
    }

    /// The place of a moment, 0 at the beginning and 1 at the end.
    package func place(of wall: Double) -> Double { (wall - begin) / length }

    /// A moment in words, to the millisecond.
    package func text(of wall: Double) -> String {
        countsSeconds ? seconds(until: wall, decimals: 3) : TimeText.time(wall, milliseconds: true)
    }

    private func seconds(until wall: Double, decimals: Int) -> String {
        String(format: "%.\(decimals)f s", wall - begin)
    }

    /// The ticks of an axis that are at least some part of the range apart: round times, and their texts.
    package func ticks(apart part: Double) -> [(wall: Double, text: String)] {
        let steps: [Double] = [
            0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
            86_400, 172_800, 604_800,
        ]
        let step = steps.first { $0 >= part * length } ?? 604_800
        // Days begin at midnight, local time.
        let midnight = countsSeconds ? begin : TimeText.wall(of: TimeText.date(begin), now: begin) ?? begin
        let first = midnight + ((begin - midnight) / step).rounded(.up) * step
        let count = max(0, Int(((end - first) / step).rounded(.down)))
        return (0...count).map { first + Double($0) * step }.filter { $0 <= end }.map { wall in
            if countsSeconds { return (wall, seconds(until: wall, decimals: step < 1 ? 1 : 0)) }
            let time = TimeText.time(wall, milliseconds: step < 1)
            let text = step >= 86_400 ? TimeText.date(wall) : step >= 60 ? String(time.prefix(5)) : time
            return (wall, step < 1 ? String(text.dropLast(2)) : text)
        }
    }
}
