import Foundation

/// One line of a program's `--json` output.
package struct JSONLine: Sendable, CustomStringConvertible {
    /// The line as it was printed.
    package let description: String
    /// Its number on standard output, from 0; -1 if unknown.
    package let number: Int
    private let strings: [String: String]
    private let numbers: [String: Double]
    private let lists: [String: [String]]

    /// Reads a line; nil if it is not a JSON object.
    package init?(_ text: String, number: Int = -1) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            return nil
        }
        description = text
        self.number = number
        strings = object.compactMapValues { $0 as? String }
        numbers = object.compactMapValues { ($0 as? NSNumber)?.doubleValue }
        lists = object.compactMapValues { $0 as? [String] }
    }

    /// The string under a key; nil if there is none.
    package func string(_ key: String) -> String? { strings[key] }

    /// The number under a key; nil if there is none.
    package func number(_ key: String) -> Double? { numbers[key] }

    /// The strings under a key; nil if there are none.
    package func strings(_ key: String) -> [String]? { lists[key] }

    /// The truth value under a key; nil if there is none.
    package func bool(_ key: String) -> Bool? { numbers[key].map { $0 != 0 } }
}
