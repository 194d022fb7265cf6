internal import Foundation
internal import Glibc

/// Times as people write and read them.
package enum TimeText {
    /// The wall clock of a text; nil if it is none.
    ///
    /// Accepted are a length before now (`90s`, `15m`, `2h`, `3d`), a time of today, or of yesterday if it is still to come
    /// today (`14:03`, `14:03:12.5`), `now`, `today`, `yesterday`, a date (`2026-11-28`), and a date with a time
    /// (`2026-11-28 14:03`, also with a `T` between them); all in local time.
    package static func wall(of text: String, now: Double) -> Double? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text == "now" { return now }
        if let seconds = length(text) { return now - seconds }
        let midnight = day(of: now)
        if text == "today" { return midnight }
        if text == "yesterday" { return day(of: midnight - 3_600) }
        if let seconds = timeOfDay(text) {
            return midnight + seconds <= now ? midnight + seconds : day(of: midnight - 3_600) + seconds
        }
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" }).map(String.init)
        guard let date = parts.first.flatMap(date), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return date }
        return timeOfDay(parts[1]).map { date + $0 }
    }

    private static func length(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()), number >= 0,
            number * unit < 1e10
        else { return nil }
        return number * unit
    }

    private static func timeOfDay(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hours = Int(parts[0]), let minutes = Int(parts[1]),
            (0..<24).contains(hours), (0..<60).contains(minutes)
        else { return nil }
        let seconds = parts.count == 3 ? Double(parts[2]) : 0
        guard let seconds, (0..<60).contains(seconds) else { return nil }
        return Double(hours * 3_600 + minutes * 60) + seconds
    }

    private static func date(_ text: String) -> Double? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int32($0) }
        guard parts.count == 3, numbers.count == 3, (1970...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday, time.tm_isdst) = (numbers[0] - 1900, numbers[1] - 1, numbers[2], -1)
        let result = mktime(&time)
        // A 31st of June would become the 1st of July.
        return time.tm_mday == numbers[2] ? Double(result) : nil
    }

    /// The wall clock at the beginning of a moment's day.
    private static func day(of wall: Double) -> Double {
        var time = local(wall)
        (time.tm_hour, time.tm_min, time.tm_sec, time.tm_isdst) = (0, 0, 0, -1)
        return Double(mktime(&time))
    }

    private static func local(_ wall: Double) -> tm {
        var seconds = time_t(wall.rounded(.down))
        var time = tm()
        localtime_r(&seconds, &time)
        return time
    }

    /// The local date, such as `2026-11-28`.
    package static func date(_ wall: Double) -> String {
        let time = local(wall)
        return "\(time.tm_year + 1900)-\(digits(time.tm_mon + 1))-\(digits(time.tm_mday))"
    }

    /// The local time of day, such as `14:03:12`, or `14:03:12.120` with milliseconds.
    package static func time(_ wall: Double, milliseconds: Bool = false) -> String {
        // Rounded first, so that 59.9996 s is the next minute.
        let wall = milliseconds ? (wall * 1e3).rounded() / 1e3 : wall
        let time = local(wall)
        let text = [time.tm_hour, time.tm_min, time.tm_sec].map(digits).joined(separator: ":")
        guard milliseconds else { return text }
        let rest = Int(((wall - wall.rounded(.down)) * 1e3).rounded())
        return text + "." + String("00\(rest)".suffix(3))
    }

    private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A length in words of at most two units, such as `0.120 s`, `12.3 s`, `3 min 12 s` or `2 h 5 min`.
    package static func length(_ seconds: Double) -> String {
        let seconds = max(0, seconds.isFinite ? seconds : 0)
        if seconds < 10 { return "\(decimals(seconds, 3)) s" }
        if seconds < 59.95 { return "\(decimals(seconds, 1)) s" }
        let whole = Int(seconds.rounded())
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        if whole < 86_400 { return "\(whole / 3_600) h \(whole % 3_600 / 60) min" }
        return "\(whole / 86_400) d \(whole % 86_400 / 3_600) h"
    }

    private static func decimals(_ number: Double, _ count: Int) -> String {
        String(format: "%.\(count)f", number)
    }
}
