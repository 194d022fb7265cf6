import AudioFiles
import Glibc
import SessionPolicy

/// A value of a JSON event.
package enum EventValue: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// Text.
    case string(String)
    /// A number, printed to the microsecond where it is a time in seconds.
    case number(Double)
    /// A whole number.
    case integer(Int)
    /// True or false.
    case boolean(Bool)
    /// Several texts.
    case list([String])

    /// Makes text.
    package init(stringLiteral value: String) { self = .string(value) }

    /// Makes true or false.
    package init(booleanLiteral value: Bool) { self = .boolean(value) }

    fileprivate var json: String {
        switch self {
        case .string(let text): quoted(text)
        case .number(let value): value.isFinite ? "\((value * 1e6).rounded() / 1e6)" : "null"
        case .integer(let value): "\(value)"
        case .boolean(let value): value ? "true" : "false"
        case .list(let texts): "[" + texts.map(quoted).joined(separator: ",") + "]"
        }
    }
}

/// Prints what happens as JSON, one object a line, each line out before the call returns.
package struct EventPrinter: Sendable {
    /// Whether anything is printed at all (`--json`).
    package let isOn: Bool

    private let onFailure: @Sendable (Int32) -> Void

    /// Makes a printer that is silent unless `isOn`.
    ///
    /// - Parameter onFailure: Called with the error's number where a line could not be written. A player plays on, a
    ///   recorder records on, unless it is for want of a reader, which SIGPIPE tells; who is there for nothing but the
    ///   lines may end.
    package init(isOn: Bool, onFailure: @escaping @Sendable (Int32) -> Void = { _ in }) {
        self.isOn = isOn
        self.onFailure = onFailure
    }

    /// Prints one event, and of its fields those that are known.
    package func emit(_ event: String, _ fields: KeyValuePairs<String, EventValue?> = [:]) {
        emit(event, fields: fields.compactMap { key, value in value.map { (key, $0) } })
    }

    /// Prints one event with its time (CLOCK_MONOTONIC, seconds, so that several programs' lines can be merged).
    package func emit(_ event: String, fields: some Sequence<(key: String, value: EventValue)>) {
        guard isOn else { return }
        var line = "{\"t\":\(EventValue.number(monotonicSeconds()).json),\"event\":\(quoted(event))"
        for (key, value) in fields { line += ",\(quoted(key)):\(value.json)" }
        let code = put(line + "}\n", to: STDOUT_FILENO)
        if code != 0 { onFailure(code) }
    }
}

private func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// A text as JSON.
///
/// Names in it come from strangers. What a terminal, or a reader that looks for line ends as JavaScript has them, would
/// take for more than a character is escaped, though JSON does not ask for all of that.
private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.readablePath.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\t": result += "\\t"
        case let scalar where scalar.isSpecial:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

extension Unicode.Scalar {
    /// Whether it is a control character (C0, DEL, C1), one of Unicode's own ends of lines and paragraphs, or one that
    /// turns the order of what follows.
    fileprivate var isSpecial: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x2028...0x2029).contains(value) || turnsText
    }
}
