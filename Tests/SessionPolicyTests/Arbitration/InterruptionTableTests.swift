import Foundation
import SoundAnalysis
import TestSupport
import Testing

@testable import SessionPolicy

/// The table of interruptions stands in the code's comment and in docs/claims.md, and the code decides.
@Suite("Who interrupts whom, as it is written and as it is decided", .limited)
struct InterruptionTableTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
    }

    /// The cells of the rows of the first table with this head.
    private static func table(headed head: String, in path: String) throws -> [[String]] {
        let lines = try lines(of: path).map { $0.hasPrefix("/// ") ? String($0.dropFirst(4)) : $0 }
        let start = try #require(lines.firstIndex { $0.hasPrefix(head) }, "\(path) has no table with the head \(head)")
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func documented() throws -> [[String]] {
        try table(headed: "| x | y | x interrupts y |", in: "docs/claims.md")
    }

    private static let rules = "Sources/SessionPolicy/Arbitration/InterruptionRules.swift"

    @Test("The comment of InterruptionRules and docs/claims.md have the same table")
    func sameTable() throws {
        let comment = try Self.table(headed: "| x | y | x interrupts y |", in: Self.rules)
        #expect(try comment.map { Array($0.prefix(3)) } == Self.documented())
        #expect(comment.count > 4)
    }

    /// Two participants, and the call among all.
    private struct Case {
        let x: Participant
        let y: Participant
        let call: Participant?

        func isOlder(_ some: Participant, than other: Participant) -> Bool {
            (some.claim.seq, some.claim.uid, some.id) < (other.claim.seq, other.claim.uid, other.id)
        }

        func isNewerThanCall(_ some: Participant) -> Bool {
            call.map { isOlder($0, than: some) && !areOfOneProcess($0, some) } ?? false
        }

        func areOfOneProcess(_ some: Participant, _ other: Participant) -> Bool {
            some.claim.pid > 0 && (some.claim.host, some.claim.pid) == (other.claim.host, other.claim.pid)
        }

        func records(_ some: Participant) -> Bool {
            [.record, .playAndRecord, .multiRoute].contains(some.claim.settings.category)
        }

        /// What a cell says of x.
        func holds(x cell: String) throws -> Bool {
            switch cell {
            case "any", "any other": true
            case "the call": x.id == call?.id
            case "refused": isNewerThanCall(x) && records(x)
            case "interrupts spoken audio":
                x.claim.settings.options.contains(.interruptSpokenAudioAndMixWithOthers)
            case "not mixable": !x.claim.isMixable
            default: throw Unknown(cell: cell)
            }
        }

        /// What a cell says of y.
        func holds(y cell: String) throws -> Bool {
            switch cell {
            case "any", "": true
            case "the call": y.id == call?.id
            case "of the same process": areOfOneProcess(x, y)
            case "older": isOlder(y, than: x)
            case "newer, `record`, `playAndRecord` or `multiRoute`": isOlder(x, than: y) && records(y)
            case "older, mode `spokenAudio`": isOlder(y, than: x) && y.claim.settings.mode == .spokenAudio
            case "older, not mixable; neither is newer than the call":
                isOlder(y, than: x) && !y.claim.isMixable && !isNewerThanCall(x) && !isNewerThanCall(y)
            default: throw Unknown(cell: cell)
            }
        }
    }

    private struct Unknown: Error { let cell: String }

    @Test("The code decides as the first row that holds, and by the rule that the row names")
    func decides() throws {
        let documented = try Self.documented()
        let names = try Self.table(headed: "| x | y | x interrupts y |", in: Self.rules).map { $0[3] }
        var random = SeededGenerator(seed: 12)
        var used = [Int](repeating: 0, count: documented.count)
        for _ in 0..<4_000 {
            let participants = (1...4).map { Participant.random(id: $0, processes: 3, using: &random) }
            let live = participants.filter { $0.claim.state != .idle && !$0.isStopped }
            let call = live.filter(\.claim.isCall).min {
                ($0.claim.seq, $0.claim.uid, $0.id) < ($1.claim.seq, $1.claim.uid, $1.id)
            }
            let rules = InterruptionRules(among: participants)
            for x in live {
                for y in live where y.id != x.id {
                    let pair = Case(x: x, y: y, call: call)
                    let row = try documented.firstIndex { try pair.holds(x: $0[0]) && pair.holds(y: $0[1]) }
                    let index = try #require(row)
                    used[index] += 1
                    let decided = rules.rule(by: x, against: y)
                    #expect(
                        (decided != nil) == documented[index][2].hasPrefix("yes"), "\(x) and \(y): \(documented[index])"
                    )
                    #expect(decided.map { "`\($0)`" } ?? "" == names[index], "\(x) and \(y)")
                }
            }
        }
        #expect(used.allSatisfy { $0 > 0 }, "rows that no case has reached: \(used)")
    }

    @Test("The README of the folder names each of its files once")
    func readme() throws {
        let folder = "Sources/SessionPolicy/Arbitration"
        let rows = try Self.table(headed: "| rule | file | the question it answers |", in: "\(folder)/README.md")
        let listed = rows.map { row in row[1].prefix { $0 != "]" }.dropFirst() }.map(String.init)
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent(folder).path)
        #expect(listed.sorted() == files.filter { $0.hasSuffix(".swift") }.sorted())
        #expect(
            rows.allSatisfy {
                $0[1] == "[\($0[1].prefix { $0 != "]" }.dropFirst())](\($0[1].prefix { $0 != "]" }.dropFirst()))"
            })
    }
}
