internal import AVFAudio

/// The parts of a status line, each of a fixed width, so that the caller can distribute the columns.
package enum Drawing {
    private static let meterTable = MeterTable()

    /// A bar that is filled up to `fraction` (0…1).
    package static func progressBar(_ fraction: Double, width: Int) -> String {
        guard width > 0 else { return "" }
        let filled = min(width, max(0, Int((fraction * Double(width)).rounded())))
        return String(repeating: "=", count: filled) + String(repeating: "-", count: width - filled)
    }

    /// A level meter: the average as a bar, the peak as a mark; levels in dBFS.
    ///
    /// In colour the last fifth is yellow and the last cell red, as on a mixing desk.
    package static func levelMeter(average: Float, peak: Float, width: Int, inColour: Bool) -> String {
        guard width > 0 else { return "" }
        let filled = Int(meterTable.valueForPower(average) * Float(width))
        let mark = Int((meterTable.valueForPower(peak) * Float(width)).rounded(.up)) - 1
        var result = ""
        for cell in 0..<width {
            let glyph = cell == mark ? "|" : cell < filled ? "#" : "."
            result += inColour ? colour(of: cell, width: width) + glyph : glyph
        }
        return inColour ? result + "\u{1B}[0m" : result
    }

    /// Seconds as `m:ss`, with hours only if there are any.
    package static func time(_ seconds: Double) -> String {
        let whole = seconds.isFinite ? Int(max(0, seconds)) : 0
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = (rest < 10 ? "0" : "") + "\(rest)"
        return hours == 0 ? "\(minutes):\(tail)" : "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes):\(tail)"
    }

    private static func colour(of cell: Int, width: Int) -> String {
        if cell == width - 1 { return "\u{1B}[31m" }
        return cell >= width * 4 / 5 ? "\u{1B}[33m" : "\u{1B}[32m"
    }
}
