import CommandLineSupport
import TestSupport
import Testing

@Suite("The width of a text on a terminal", .limited) struct TextWidthTests {
    @Test(
        arguments: [
            ("plain", 5), ("Brücke", 6), ("e\u{301}", 1), ("音楽", 4), ("ｱ", 1), ("🎧", 2), ("🇯🇵", 2),
            ("👨\u{200D}👩\u{200D}👧", 2), ("❤\u{FE0F}", 2), ("", 0),
        ])
    func columns(text: String, columns: Int) { #expect(text.columns == columns) }

    @Test(
        arguments: [
            ("music", 5, "music"), ("music", 4, "mus…"), ("音楽", 4, "音楽"), ("音楽", 3, "音…"), ("音楽", 2, "…"),
            ("音", 1, "…"),
            ("music", 0, ""), ("e\u{301}a", 2, "e\u{301}a"),
        ])
    func cut(text: String, limit: Int, result: String) {
        #expect(text.cut(toColumns: limit) == result)
        #expect(result.columns <= limit)
    }
}
