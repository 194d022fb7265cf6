internal import CTerminal
import Glibc

/// The locale for character widths: Unicode's, independent of the user's language.
// SAFETY: made once, and never changed or freed.
nonisolated(unsafe) private let unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

private let LC_CTYPE_MASK: Int32 = 1 << LC_CTYPE

extension Character {
    /// The columns of this character in a terminal: 2 for ideographs and emoji, 0 for lone marks, else 1.
    package var columns: Int {
        guard let unicode, !isASCII else { return 1 }
        let before = uselocale(unicode)
        defer { uselocale(before) }
        // Two regional indicators form a flag, several emoji a family. An emoji selector makes a text symbol wide.
        let sum = unicodeScalars.reduce(0) { $0 + max(0, Int(terminal_width(wchar_t($1.value)))) }
        return unicodeScalars.contains("\u{FE0F}") ? 2 : min(2, sum)
    }
}

extension StringProtocol {
    /// The columns of this text in a terminal.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The longest beginning of this text that fits into a number of columns, with an ellipsis if it is cut.
    package func cut(toColumns limit: Int) -> String {
        guard columns > limit else { return String(self) }
        var room = limit - 1
        let part = prefix { character in
            room -= character.columns
            return room >= 0
        }
        return limit > 0 ? part + "…" : ""
    }
}
