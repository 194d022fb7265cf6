import CommandLineSupport
import Foundation
import Glibc
import SessionPolicy

/// The style of a text on a terminal with colours.
enum Tint: String {
    case plain = ""
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
}

/// The properties of stdout: whether it is a terminal, its colours and its size.
struct Paper {
    /// Whether stdout is a terminal.
    let isTerminal: Bool
    /// Whether colours are used: on a terminal, with NO_COLOR (no-color.org) unset or empty.
    let inColour: Bool
    /// The columns and rows; nil for lines of any length.
    let size: (columns: Int, rows: Int)?

    /// The properties of this process's stdout.
    init() {
        let environment = ProcessInfo.processInfo.environment
        isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM", default: "dumb"] != "dumb"
        inColour = isTerminal && environment["NO_COLOR", default: ""].isEmpty
        var window = winsize()
        let isKnown =
            isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 && window.ws_row > 0
        size = isKnown ? (Int(window.ws_col), Int(window.ws_row)) : nil
    }

    /// The longest name in columns, except at the end of a line, so that the rest of the line stays visible.
    var longestName: Int { size == nil ? .max : 32 }

    /// The longest device name in columns; longer, as real ones are long and people copy them.
    var longestDevice: Int { size.map { max(longestName, $0.columns * 2 / 3) } ?? .max }

    /// A state whose names are cut to fit this output.
    func worded(_ state: ServerState) -> ServerState {
        guard size != nil else { return state }
        var state = state
        let longest = longestName
        state.spelling = { $0.cut(toColumns: longest) }
        return state
    }

    /// The text in a style, if colours are used.
    func tinted(_ text: String, _ tint: Tint) -> String {
        guard inColour, tint != .plain, !text.isEmpty else { return text }
        return "\u{1B}[\(tint.rawValue)m\(text)\u{1B}[0m"
    }
}

/// A table of rows under headings; the last column takes the rest of the line.
struct TextTable {
    /// One cell, without the control characters that a name from another program may contain.
    struct Cell {
        let text: String
        let tint: Tint

        init(_ text: String, _ tint: Tint = .plain) {
            self.text = text.withoutControls
            self.tint = tint
        }
    }

    let headings: [String]
    private(set) var rows: [[Cell]] = []

    init(_ headings: String...) { self.headings = headings }

    /// Appends a row with a cell for each heading.
    mutating func add(_ row: [Cell]) { rows.append(row) }

    /// The lines, headings first.
    func lines(on paper: Paper) -> [String] {
        let widths = headings.indices.map { column in
            max(headings[column].columns, rows.map { $0[column].text.columns }.max() ?? 0)
        }
        let head = headings.map { Cell($0, .bold) }
        return ([head] + rows).map { line($0, widths: widths, on: paper) }
    }

    private func line(_ cells: [Cell], widths: [Int], on paper: Paper) -> String {
        var rest = paper.size?.columns ?? .max
        var result = ""
        for (index, cell) in cells.enumerated() where rest > 0 {
            let isLast = index == cells.count - 1
            let text = cell.text.cut(toColumns: rest)
            result += paper.tinted(text, cell.tint)
            rest -= text.columns
            guard !isLast else { break }
            let gap = min(rest, widths[index] + 2 - text.columns)
            result += String(repeating: " ", count: max(0, gap))
            rest -= gap
        }
        // No blanks at the end of a line.
        return String(result.reversed().drop { $0 == " " }.reversed())
    }
}
