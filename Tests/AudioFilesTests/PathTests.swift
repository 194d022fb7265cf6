import TestSupport
import Testing

@testable import AudioFiles

@Suite("Paths as text", .limited) struct PathTests {
    @Test(
        "have any bytes, and those that are UTF-8 are the text they are",
        arguments: [
            Array("/Müsik/caf\u{E9} 🎵.wav".utf8), [0x63, 0xE9], [0xE9, 0x2E, 0x77], [0xC3, 0xA9, 0xC3], [0xF0, 0x9F],
            // Not the shortest form, a surrogate, and what would be too large.
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80], Array(0x80...0xFF),
            // The characters that stand for bytes.
            Array("a\u{10FF80}\u{10FFFF}\u{10FF7F}".utf8), [0xE9] + Array("\u{10FFE9}é".utf8), [],
        ])
    func bytes(_ bytes: [UInt8]) {
        let text = String(path: bytes)
        #expect(text.pathBytes == bytes)
        #expect(text.readablePath.unicodeScalars.allSatisfy { $0.value < 0x10FF80 })
        #expect(text.hasLoneBytes == (String(validating: bytes, as: UTF8.self) != text))
        #expect(String(path: text.pathForC) == text)
    }
}
