import AudioFiles
import Glibc
import SessionPolicy

/// A value of a JSON event.
package enum EventValue: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// A text.
    case string(String)
    /// A number, printed with six decimals if it is a time in seconds.
    case number(Double)
    /// A whole number.
    case integer(Int)
    /// A Boolean.
    case boolean(Bool)
    /// A list of texts.
    case list([String])

    /// Creates a text.
    package init(stringLiteral value: String) { self = .string(value) }

    /// Creates a Boolean.
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

/// A printer of events as JSON, one object per line; each line is written before the call returns.
package struct EventPrinter: Sendable {
    /// Whether events are printed (`--json`).
    package let isOn: Bool

    private let onFailure: @Sendable (Int32) -> Void

    /// Creates a printer that is silent unless `isOn`.
    ///
    /// - Parameter onFailure: Called with the `errno` of a failed write. Players and recorders continue then; a program
    ///   that only prints events can end. A missing reader is reported by SIGPIPE instead.
    package init(isOn: Bool, onFailure: @escaping @Sendable (Int32) -> Void = { _ in }) {
        self.isOn = isOn
        self.onFailure = onFailure
    }

    /// Prints one event, with those fields that have a value.
    package func emit(_ event: String, _ fields: KeyValuePairs<String, EventValue?> = [:]) {
        emit(event, fields: fields.compactMap { key, value in value.map { (key, $0) } })
    }

    /// Prints one event with its time (CLOCK_MONOTONIC, seconds), by which the output of several programs can be
    /// merged.
    ///
    /// - Parameter time: The time of an event of the past; nil for the present.
    package func emit(
        _ event: String, at time: Double? = nil, fields: some Sequence<(key: String, value: EventValue)>
    ) {
        guard isOn else { return }
        var line = "{\"t\":\(EventValue.number(time ?? monotonicSeconds()).json),\"event\":\(quoted(event))"
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
/// Names in it are not trusted. Characters with an effect on a terminal, or on a reader with JavaScript's line ends,
/// are escaped, though JSON does not require all of that.
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
    /// Whether it is a control character (C0, DEL, C1), a line or paragraph separator of Unicode, or a character that
    /// changes the text's direction.
    fileprivate var isSpecial: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x2028...0x2029).contains(value) || turnsText
    }
}
