import Foundation
import SoundAnalysis

/// A picture of waveforms that can be written as PNG without any library.
struct Canvas {
    private let width: Int
    private let height: Int
    /// Red, green and blue of each pixel, row by row.
    private var pixels: [UInt8]

    /// A white picture.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 255, count: 3 * width * height)
    }

    /// Draws the first channel into a rectangle, so that its loudest sample fills nine tenths.
    mutating func draw(
        _ recording: Recording, columns: Range<Int>, rows: Range<Int>, color: (UInt8, UInt8, UInt8)
    ) {
        guard let samples = recording.channels.first else { return }
        let peak = max(samples.reduce(0) { max($0, abs($1)) }, 1e-6)
        draw(samples[...], columns: columns, rows: rows, fullScale: peak / 0.9, color: color)
    }

    /// Draws samples into a rectangle: for each column a line from its lowest to its highest sample.
    mutating func draw(
        _ samples: ArraySlice<Float>, columns: Range<Int>, rows: Range<Int>, fullScale: Float,
        color: (UInt8, UInt8, UInt8)
    ) {
        guard !samples.isEmpty, !columns.isEmpty else { return }
        let middle = Float(rows.lowerBound + rows.upperBound) / 2
        let scale = Float(rows.count) / 2 / fullScale
        for column in columns {
            // One sample more than its own, so that neighbouring lines meet.
            let first = samples.startIndex + (column - columns.lowerBound) * samples.count / columns.count
            let end = samples.startIndex + (column - columns.lowerBound + 1) * samples.count / columns.count
            let part = samples[first..<min(end + 1, samples.endIndex)]
            let top = Int(middle - (part.max() ?? 0) * scale)
            let bottom = Int(middle - (part.min() ?? 0) * scale)
            for row in top...max(top, bottom) { set(column, row, color) }
        }
    }

    /// The picture as a PNG file.
    var png: Data {
        var data = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        // 8 bits each of red, green and blue.
        let format: [UInt8] = [8, 2, 0, 0, 0]
        let header: [UInt8] = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + format
        data += chunk("IHDR", header)
        data += chunk("IDAT", stored(scanLines))
        data += chunk("IEND", [])
        return data
    }

    private mutating func set(_ column: Int, _ row: Int, _ color: (UInt8, UInt8, UInt8)) {
        guard (0..<height).contains(row) else { return }
        let pixel = 3 * (row * width + column)
        (pixels[pixel], pixels[pixel + 1], pixels[pixel + 2]) = color
    }

    /// Each row after a byte that says that it is not filtered.
    private var scanLines: [UInt8] {
        var lines: [UInt8] = []
        for row in 0..<height {
            lines.append(0)
            lines += pixels[row * 3 * width..<(row + 1) * 3 * width]
        }
        return lines
    }

    /// A zlib stream of stored blocks: valid and uncompressed.
    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: 65_535) {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let length = UInt16(block.count)
            stream.append(start + block.count == bytes.count ? 1 : 0)
            for word in [length, ~length] { stream += [UInt8(word & 0xff), UInt8(word >> 8)] }
            stream += block
        }
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + bigEndian(high << 16 | low)
    }

    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        var check = ~UInt32(0)
        for byte in body {
            check ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = check & 1 == 1
                check >>= 1
                if isOdd { check ^= 0xedb8_8320 }
            }
        }
        let length: [UInt8] = bigEndian(UInt32(content.count))
        return length + body + bigEndian(~check)
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
    }
}
