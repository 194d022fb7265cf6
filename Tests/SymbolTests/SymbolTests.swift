import Foundation
import TestSupport
import Testing

/// Apple's symbols: each exists under its spelling and with its value, and docs/symbols.md lists its standing.
@Suite("Symbols", .limited)
struct SymbolTests {
    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    private func ledger() -> SymbolLedger {
        var ledger = SymbolLedger()
        ledger.session()
        ledger.sessionTypes()
        ledger.events()
        ledger.routes()
        ledger.playing()
        ledger.formats()
        ledger.buffers()
        ledger.engines()
        ledger.effects()
        ledger.systemSounds()
        ledger.avPlayer()
        ledger.olderTimes()
        ledger.mediaPlayer()
        ledger.older()
        return ledger
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("Every symbol has Apple's value, and no more than 29 are accepted without effect")
    func values() {
        let ledger = ledger()
        #expect(ledger.accepted <= 29)
        #expect(ledger.all > 750)
    }

    @Test("docs/symbols.md is what scripts/symbols makes of these tests")
    func table() throws {
        let script = Process()
        script.executableURL = Self.root.appendingPathComponent("scripts/symbols")
        script.arguments = ["--check"]
        let complaint = Pipe()
        script.standardError = complaint
        try script.run()
        let said = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        script.waitUntilExit()
        #expect(script.terminationStatus == 0, "\(said)")
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("The table has a row for each symbol that was tried")
    func rows() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/symbols.md"), encoding: .utf8)
        let ledger = ledger()
        let rows = text.split(separator: "\n")
        func count(_ standing: String) -> Int { rows.count { $0.hasPrefix("| `") && $0.contains("| \(standing) |") } }
        #expect(count("works") == ledger.working)
        #expect(count("accepted without effect") == ledger.accepted)
        #expect(count("error") == ledger.failing)
    }
}
