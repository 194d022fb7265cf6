import Foundation

/// A diagram of sound over time with labelled axes.
struct Chart {
    /// The quietest level that is drawn, in dBFS.
    private static let floor = -60
    private static let frame: Color = (120, 120, 120)
    private static let grid: Color = (222, 222, 222)

    /// Where the diagram lies in the picture, without its labels.
    let columns: Range<Int>
    let rows: Range<Int>
    /// The length of the axis of time, in seconds.
    let seconds: Double

    /// Draws levels: for each column a bar as high as its loudest sample in dBFS.
    ///
    /// `start` is the second at which the samples begin.
    func drawLevel(_ samples: ArraySlice<Float>, rate: Int, start: Double, color: Color, on canvas: inout Canvas) {
        for (column, part) in parts(of: samples, rate: rate, start: start) {
            let peak = part.reduce(Float(0)) { max($0, abs($1)) }
            guard peak > 0 else { continue }
            let top = row(ofLevel: Double(20 * log10(peak)))
            if top < rows.upperBound { canvas.fill(columns: column..<column + 1, rows: top..<rows.upperBound, color) }
        }
    }

    /// Draws a waveform from its first sample on, as high as `fullScale` allows.
    func drawWave(_ samples: ArraySlice<Float>, rate: Int, fullScale: Float, color: Color, on canvas: inout Canvas) {
        let middle = Float(rows.lowerBound + rows.upperBound) / 2
        let scale = Float(rows.count) / 2 / max(fullScale, 1e-6)
        for (column, part) in parts(of: samples, rate: rate, start: 0) {
            let top = Int(middle - (part.max() ?? 0) * scale)
            let bottom = Int(middle - (part.min() ?? 0) * scale)
            canvas.fill(columns: column..<column + 1, rows: top..<bottom + 2, color)
        }
    }

    /// Draws the axis of levels, with lines across the diagram.
    func drawDecibels(on canvas: inout Canvas) {
        for level in stride(from: 0, through: Self.floor, by: -20) {
            let row = row(ofLevel: Double(level))
            canvas.fill(columns: columns, rows: row..<row + 1, Self.grid)
            canvas.write("\(level)", column: columns.lowerBound - 8, top: row - 7, .trailing)
        }
        canvas.write("dBFS", column: columns.lowerBound - 8, top: rows.lowerBound - 32, .trailing)
    }

    /// Draws the frame and the axis of time, with a label every `step` of it; a unit has `seconds` of length.
    func drawTime(unit: String, seconds length: Double = 1, step: Int, on canvas: inout Canvas) {
        canvas.fill(columns: columns, rows: rows.upperBound..<rows.upperBound + 2, Self.frame)
        canvas.fill(columns: columns.lowerBound - 2..<columns.lowerBound, rows: rows, Self.frame)
        var value = 0
        while Double(value) * length <= seconds {
            let column = column(of: Double(value) * length)
            canvas.fill(columns: column..<column + 2, rows: rows.upperBound..<rows.upperBound + 8, Self.frame)
            canvas.write("\(value)", column: column, top: rows.upperBound + 12, .center)
            value += step
        }
        canvas.write(unit, column: columns.upperBound, top: rows.upperBound + 32, .trailing)
    }

    /// The column of a time, in seconds.
    func column(of time: Double) -> Int { columns.lowerBound + Int(time / seconds * Double(columns.count)) }

    /// The row of a level, in dBFS.
    func row(ofLevel level: Double) -> Int {
        let share = min(1, max(0, level / Double(Self.floor)))
        return rows.lowerBound + Int(share * Double(rows.count))
    }

    /// The samples of each column, and one more, so that neighbouring waves meet.
    private func parts(of samples: ArraySlice<Float>, rate: Int, start: Double) -> [(Int, ArraySlice<Float>)] {
        func frame(_ column: Int) -> Int {
            let time = Double(column - columns.lowerBound) / Double(columns.count) * seconds
            return samples.startIndex + Int(((time - start) * Double(rate)).rounded())
        }
        return columns.compactMap { column in
            let frames = frame(column)..<frame(column + 1) + 1
            let part = samples[frames.clamped(to: samples.indices)]
            return part.isEmpty ? nil : (column, part)
        }
    }
}
