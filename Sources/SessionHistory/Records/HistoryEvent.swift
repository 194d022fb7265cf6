internal import Foundation

/// A value of an event's field.
package enum HistoryValue: Hashable, Sendable, Codable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
    /// A Boolean.
    case flag(Bool)
    /// A list of texts.
    case list([String])

    /// Reads a JSON value.
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else {
            self = .list(try value.decode([String].self))
        }
    }

    /// Writes a JSON value.
    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .flag(let flag): try value.encode(flag)
        case .list(let texts): try value.encode(texts)
        }
    }
}

/// One line of a history: an event of `audiosession monitor --json`, with the wall clock and the boot beside its `t`.
///
/// docs/seeing.md lists the keys.
package struct HistoryEvent: Hashable, Sendable {
    /// The moment at which the server told of the event.
    package let moment: Moment
    /// The event's name, such as `interruption`.
    package let name: String
    /// The event's fields without time and name.
    package let fields: [String: HistoryValue]

    /// The longest text of a field in characters.
    ///
    /// Names come from other programs, and may have any length.
    package static let longestText = 200
    /// The most texts of a list.
    package static let mostTexts = 20

    private static let ownKeys = ["wall", "t", "boot", "event"]

    /// Creates an event; longer texts and lists are cut, and numbers that are not finite are left out.
    package init(_ name: String, at moment: Moment, _ fields: [String: HistoryValue] = [:]) {
        self.name = name
        self.moment = moment
        self.fields = fields.compactMapValues { value in
            switch value {
            case .text(let text): .text(String(text.prefix(Self.longestText)))
            case .list(let texts):
                .list(texts.prefix(Self.mostTexts).map { String($0.prefix(Self.longestText * 2)) })
            case .number(let number): number.isFinite ? value : nil
            case .flag: value
            }
        }
    }

    /// Reads a line; nil if it is not one of a history.
    package init?(line: some Sequence<UInt8>) {
        guard let values = try? JSONDecoder().decode([String: HistoryValue].self, from: Data(line)),
            case .text(let name)? = values["event"], case .number(let wall)? = values["wall"],
            case .number(let monotonic)? = values["t"]
        else { return nil }
        var boot = ""
        if case .text(let text)? = values["boot"] { boot = text }
        self.name = name
        moment = Moment(wall: wall, monotonic: monotonic, boot: boot)
        fields = values.filter { !Self.ownKeys.contains($0.key) }
    }

    /// The bytes of the line, with its line feed; the keys are sorted.
    package var line: [UInt8] {
        var values = fields
        values["event"] = .text(name)
        values["wall"] = .number(Self.toMicroseconds(moment.wall))
        values["t"] = .number(Self.toMicroseconds(moment.monotonic))
        values["boot"] = .text(moment.boot)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // All values are finite, so that none is refused.
        guard let data = try? encoder.encode(values) else { return [] }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    private static func toMicroseconds(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }

    /// The text of a field; nil if there is none.
    package func text(_ key: String) -> String? {
        if case .text(let text)? = fields[key] { text } else { nil }
    }

    /// The whole number of a field; nil if there is none.
    package func integer(_ key: String) -> Int? {
        if case .number(let number)? = fields[key] { Int(exactly: number) } else { nil }
    }

    /// The number of a field; nil if there is none.
    package func number(_ key: String) -> Double? {
        if case .number(let number)? = fields[key] { number } else { nil }
    }

    /// The Boolean of a field; false if there is none.
    package func flag(_ key: String) -> Bool { fields[key] == .flag(true) }

    /// The texts of a field; a single text counts as a list of one.
    package func texts(_ key: String) -> [String] {
        switch fields[key] {
        case .list(let texts): texts
        case .text(let text): [text]
        default: []
        }
    }
}

extension HistoryValue: ExpressibleByStringLiteral {
    /// Creates a text.
    package init(stringLiteral text: String) { self = .text(text) }
}
