/// A value received from a peer, as far as it is needed here.
package indirect enum BusValue: Hashable, Sendable {
    /// A string, an object path or a signature.
    case text(String)
    /// A boolean.
    case flag(Bool)
    /// An integer that fits.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A list of strings.
    case texts([String])
    /// A dictionary of anything by name (`a{sv}`).
    case table([String: BusValue])
    /// Any other value, unread.
    case other

    /// The string, or nil for another value.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The Boolean, or nil for another value.
    package var flag: Bool? {
        if case .flag(let flag) = self { flag } else { nil }
    }

    /// The integer, or nil for another value.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number, integer or not, or nil for another value.
    package var number: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    /// The list of strings, or nil for another value.
    package var texts: [String]? {
        if case .texts(let texts) = self { texts } else { nil }
    }

    /// The dictionary, or nil for another value.
    package var table: [String: BusValue]? {
        if case .table(let table) = self { table } else { nil }
    }
}
