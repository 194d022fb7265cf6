import Foundation
import TestSupport
import Testing

/// Snippets in the documentation are parts of programs that are compiled and run.
@Suite("The corpus: documentation", .limited)
struct DocumentTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A fenced block, and the line above it: `<!-- after: FILE -->`, or `<!-- before -->` for what does not compile.
    private struct Snippet {
        let mark: String
        let lines: [String]
    }

    private func text(_ path: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func snippets(_ page: String) throws -> [Snippet] {
        var found: [Snippet] = []
        var (mark, lines): (String, [String]?) = ("", nil)
        for line in try text(page) {
            if let inside = lines {
                lines = line == "```" ? nil : inside + [line]
                if lines == nil { found.append(Snippet(mark: mark, lines: inside)) }
            } else if line == "```swift" {
                lines = []
            } else {
                mark = line
            }
        }
        return found
    }

    @Test(
        "Each snippet that is said to compile is in the program that it names",
        arguments: [("porting", 10), ("by-app-type", 10), ("engine", 4)])
    func snippetsAreCompiled(page: String, atLeast count: Int) throws {
        var compiled = 0
        for snippet in try snippets("docs/\(page).md") where snippet.mark != "<!-- before -->" {
            let words = snippet.mark.split(separator: " ")
            try #require(words.count == 4 && words[1] == "after:", "\(snippet.lines) stands below \(snippet.mark)")
            let program = try text("Tests/Corpus/\(words[2])")
            let isThere = program.indices.contains { program[$0...].starts(with: snippet.lines) }
            #expect(isThere, "\(words[2]) has nothing like \(snippet.lines)")
            compiled += 1
        }
        #expect(compiled >= count)
    }

    @Test("What does not compile stands above what does")
    func beforeAndAfter() throws {
        let marks = try snippets("docs/porting.md").map(\.mark)
        let isBefore = marks.map { $0 == "<!-- before -->" }
        #expect(isBefore.contains(true) && !zip(isBefore, isBefore.dropFirst()).contains { $0 && $1 })
        #expect(isBefore.last == false)
    }

    @Test("Every program is in the table that runs them, and has a line in a test")
    func allPrograms() throws {
        let folder = Self.root.appendingPathComponent("Tests/Corpus")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let programs = (files?.allObjects as? [URL] ?? []).filter { url in
            url.pathExtension == "swift" && url.deletingLastPathComponent().lastPathComponent != "Corpus"
        }
        let names = programs.map { $0.deletingPathExtension().lastPathComponent }
        #expect(names.count >= 36)
        let table = try text("Tests/Corpus/Stories.swift").joined(separator: "\n")
        let tests = try ["Solo", "Company"].flatMap { try text("Tests/CorpusTests/\($0)Tests.swift") }.joined()
        for name in names {
            #expect(table.contains("\(name).self"), "\(name) is not run")
            #expect(tests.contains("\"\(name)\""), "\(name) is not judged")
        }
    }
}
