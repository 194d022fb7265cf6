/// The peak levels of a sink over time, as events named `levels` tell them.
package struct LevelCurve: Hashable, Sendable {
    /// The peak of one interval.
    package struct Point: Hashable, Sendable {
        /// The beginning of the interval.
        package let begin: Moment
        /// The length of the interval in seconds.
        package let seconds: Double
        /// The peak in dBFS; ``LevelCurve/silence`` for less.
        package let peak: Double
    }

    /// The level in dBFS that stands for silence.
    package static let silence = -90.0
    /// The most values of one event.
    package static let mostValues = 20

    /// The name of the sink, or of another source of sound.
    package let name: String
    /// The intervals in their order.
    package internal(set) var points: [Point] = []

    /// An event with the peaks of consecutive intervals, the last of which ends at a moment.
    ///
    /// - Parameters:
    ///   - peaks: The peaks in dBFS, at most ``mostValues``; they are rounded to whole decibels.
    ///   - seconds: The length of each interval.
    package static func event(_ name: String, peaks: [Double], seconds: Double, end: Moment) -> HistoryEvent {
        let texts = peaks.prefix(mostValues).map { peak in
            "\(Int(min(0, max(silence, peak.isNaN ? silence : peak)).rounded()))"
        }
        return HistoryEvent(
            "levels", at: end,
            ["sink": .text(name), "seconds": .number(seconds), "peaks": .text(texts.joined(separator: " "))])
    }

    /// The points of an event; none if it is not one of levels.
    static func points(of event: HistoryEvent) -> [Point] {
        guard let seconds = event.number("seconds"), seconds > 0, seconds <= 3_600 else { return [] }
        let peaks = (event.text("peaks") ?? "").split(separator: " ").compactMap { Double($0) }
        return peaks.enumerated().map { place, peak in
            let begin = event.moment.earlier(by: Double(peaks.count - place) * seconds)
            return Point(begin: begin, seconds: seconds, peak: min(0, max(silence, peak)))
        }
    }
}

/// The levels of sinks that are not written yet; a value.
///
/// Silence that lasts is left out, so that a sink on which nothing plays costs no lines.
package struct LevelBatches: Sendable {
    private struct Batch {
        var peaks: [Double] = []
        var end: Moment
    }

    private let seconds: Double
    private var batches: [String: Batch] = [:]

    /// No levels; each that is added later is the peak of so many seconds.
    package init(seconds: Double) { self.seconds = seconds }

    /// Adds the peak of the interval that ends at a moment, in dBFS, and returns the events that are complete.
    package mutating func add(_ name: String, peak: Double, end: Moment) -> [HistoryEvent] {
        var events: [HistoryEvent] = []
        // A sink that was suspended meanwhile begins anew.
        if let batch = batches[name], end.seconds(since: batch.end) > 2.5 * seconds { events += close(name) }
        batches[name, default: Batch(end: end)].peaks.append(peak)
        batches[name]?.end = end
        if batches[name]?.peaks.count ?? 0 >= LevelCurve.mostValues { events += close(name) }
        return events
    }

    /// Returns what is not written yet, and forgets it.
    package mutating func flush() -> [HistoryEvent] { batches.keys.sorted().flatMap { close($0) } }

    private mutating func close(_ name: String) -> [HistoryEvent] {
        guard let batch = batches.removeValue(forKey: name), batch.peaks.contains(where: { $0 > LevelCurve.silence })
        else { return [] }
        return [LevelCurve.event(name, peaks: batch.peaks, seconds: seconds, end: batch.end)]
    }
}
