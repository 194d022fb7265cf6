/// What a peer sent, as far as anybody here wants to know it.
package indirect enum BusValue: Hashable, Sendable {
    /// A string, an object path or a signature.
    case text(String)
    /// A boolean.
    case flag(Bool)
    /// A number of any kind that fits.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// A list of strings.
    case texts([String])
    /// A dictionary of anything by name (`a{sv}`).
    case table([String: BusValue])
    /// Anything else, unread.
    case other

    /// The string, if it is one.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The boolean, if it is one.
    package var flag: Bool? {
        if case .flag(let flag) = self { flag } else { nil }
    }

    /// The whole number, if it is one.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number, if it is one, whole or not.
    package var number: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    /// The strings, if it is a list of them.
    package var texts: [String]? {
        if case .texts(let texts) = self { texts } else { nil }
    }

    /// The dictionary, if it is one.
    package var table: [String: BusValue]? {
        if case .table(let table) = self { table } else { nil }
    }
}
