/// Reads a settings dictionary, whose numbers may have come in any of Swift's types or as an `NSNumber`.
///
/// A key that is absent is not an error; one with a value of the wrong type is.
struct SettingsReader {
    /// A value of the wrong type.
    struct WrongType: Error {
        /// Its key.
        let key: String
        /// What it should have been, with its article.
        var wanted = "a number"
    }

    private let settings: [String: Any]

    /// Reads from this dictionary.
    init(_ settings: [String: Any]) { self.settings = settings }

    /// The number under a key, or `nil` if there is none.
    ///
    /// Apple's enumerations come as numbers there, so that apps write `AVAudioQuality.high` without its raw value.
    func number(_ key: String) throws(WrongType) -> Double? {
        switch settings[key] {
        case nil: return nil
        case let value as NSNumber: return value.doubleValue
        case let value as any BinaryInteger: return Double(value)
        case let value as any BinaryFloatingPoint: return Double(value)
        case let value as AVAudioQuality: return Double(value.rawValue)
        default: throw WrongType(key: key)
        }
    }

    /// The integer under a key, or `nil` if there is none; a fraction is of the wrong type.
    func integer(_ key: String) throws(WrongType) -> Int? {
        guard let number = try number(key) else { return nil }
        guard let integer = Int(exactly: number) else { throw WrongType(key: key, wanted: "a whole number") }
        return integer
    }

    /// The truth under a key, or `nil` if there is none; numbers other than 0 are true.
    func bool(_ key: String) throws(WrongType) -> Bool? {
        if let value = settings[key] as? Bool { return value }
        return try number(key).map { $0 != 0 }
    }

    /// The text under a key, or `nil` if there is none.
    func text(_ key: String) throws(WrongType) -> String? {
        guard let value = settings[key] else { return nil }
        guard let text = value as? String else { throw WrongType(key: key, wanted: "a string") }
        return text
    }

    /// The bytes under a key, or `nil` if there are none.
    func data(_ key: String) throws(WrongType) -> Data? {
        guard let value = settings[key] else { return nil }
        guard let data = value as? Data else { throw WrongType(key: key, wanted: "data") }
        return data
    }
}
