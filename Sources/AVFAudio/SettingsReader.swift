/// Reads a settings dictionary, whose numbers may have come in any of Swift's types or as an `NSNumber`.
///
/// A key that is absent is not an error; one with a value of the wrong type is.
struct SettingsReader {
    /// A value of the wrong type.
    struct WrongType: Error {
        /// Its key.
        let key: String
    }

    private let settings: [String: Any]

    /// Reads from this dictionary.
    init(_ settings: [String: Any]) { self.settings = settings }

    /// The number under a key, or `nil` if there is none.
    func number(_ key: String) throws(WrongType) -> Double? {
        switch settings[key] {
        case nil: return nil
        case let value as NSNumber: return value.doubleValue
        case let value as any BinaryInteger: return Double(value)
        case let value as any BinaryFloatingPoint: return Double(value)
        default: throw WrongType(key: key)
        }
    }

    /// The integer under a key, or `nil` if there is none; a fraction is of the wrong type.
    func integer(_ key: String) throws(WrongType) -> Int? {
        guard let number = try number(key) else { return nil }
        guard let integer = Int(exactly: number) else { throw WrongType(key: key) }
        return integer
    }

    /// The truth under a key, or `nil` if there is none; numbers other than 0 are true.
    func bool(_ key: String) throws(WrongType) -> Bool? {
        if let value = settings[key] as? Bool { return value }
        return try number(key).map { $0 != 0 }
    }
}
