public import Foundation

/// An MP3 file of silence with an ID3 tag (version 2.4) in front.
public struct TaggedSound {
    private var frames = Data()

    /// A file without a frame in its tag.
    public init() {}

    /// Adds a text, such as `TIT2`.
    public mutating func add(_ name: String, _ text: String) { add(name, Data([3]) + Data(text.utf8)) }

    /// Adds a picture as the front cover.
    public mutating func add(cover: Data, type: String) {
        add("APIC", Data([0]) + Data(type.utf8) + Data([0, 3, 0]) + cover)
    }

    private mutating func add(_ name: String, _ content: Data) {
        frames += Data(name.utf8) + Self.size(content.count) + Data([0, 0]) + content
    }

    /// A number with seven bits in a byte.
    private static func size(_ number: Int) -> Data {
        Data([21, 14, 7, 0].map { UInt8(number >> $0 & 127) })
    }

    /// The file: the tag, and 40 frames of MPEG-1 layer 3 of 128 kbit/s and 44.1 kHz, which last 1.04 s.
    public var data: Data {
        let frame = Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 413)
        return Data("ID3".utf8) + Data([4, 0, 0]) + Self.size(frames.count) + frames
            + Data((0..<40).map { _ in frame }.joined())
    }

    /// A picture of one pixel, a PNG file.
    public static let picture = Data(base64Encoded: base64.joined()) ?? Data()

    private static let base64 = [
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAC",
        "hwGA60e6kgAAAABJRU5ErkJggg==",
    ]
}
