import Foundation

/// The red, green and blue of a pixel.
typealias Color = (UInt8, UInt8, UInt8)

/// A picture that can be written as a PNG file without any library.
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

    /// Fills a rectangle; what lies outside of the picture is left out.
    mutating func fill(columns: Range<Int>, rows: Range<Int>, _ color: Color) {
        for row in rows.clamped(to: 0..<height) {
            for column in columns.clamped(to: 0..<width) {
                let pixel = 3 * (row * width + column)
                (pixels[pixel], pixels[pixel + 1], pixels[pixel + 2]) = color
            }
        }
    }

    /// Where a text stands beside its place.
    enum Alignment { case leading, center, trailing }

    /// Writes a line of text, two pixels a dot, below `top` and to the right of `column`, around it or to its left.
    mutating func write(
        _ text: String, column: Int, top: Int, _ alignment: Alignment = .leading, color: Color = (60, 60, 60)
    ) {
        let advance = 2 * (Letters.size.width + 1)
        let length = advance * text.count - 2
        var left =
            switch alignment {
            case .leading: column
            case .center: column - length / 2
            case .trailing: column - length
            }
        for character in text {
            for (x, bits) in Letters.columns(of: character).enumerated() {
                for y in 0..<Letters.size.height where bits >> y & 1 == 1 {
                    fill(columns: left + 2 * x..<left + 2 * x + 2, rows: top + 2 * y..<top + 2 * y + 2, color)
                }
            }
            left += advance
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
