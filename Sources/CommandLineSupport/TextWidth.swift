internal import CTerminal
import Glibc

/// The locale whose widths count: Unicode's, whatever language a person has set.
// SAFETY: made once, and never changed or freed.
nonisolated(unsafe) private let unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

private let LC_CTYPE_MASK: Int32 = 1 << LC_CTYPE

extension Character {
    /// The columns that a terminal draws this in: 2 for ideographs and emoji, 0 for marks alone, else 1.
    package var columns: Int {
        guard let unicode, !isASCII else { return 1 }
        let before = uselocale(unicode)
        defer { uselocale(before) }
        // Two letters make a flag, several emoji a family. An emoji's selector makes a text symbol wide.
        let sum = unicodeScalars.reduce(0) { $0 + max(0, Int(terminal_width(wchar_t($1.value)))) }
        return unicodeScalars.contains("\u{FE0F}") ? 2 : min(2, sum)
    }
}

extension StringProtocol {
    /// The columns that a terminal draws this in.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// As much of this as fits into so many columns, with an ellipsis at the end where that is not all.
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
