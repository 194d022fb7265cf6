/// A reader of settings dictionaries, whose numbers may be of any Swift type or an `NSNumber`.
///
/// A missing key is not an error; a value of the wrong type is.
struct SettingsReader {
    /// A value of the wrong type.
    struct WrongType: Error {
        /// The key.
        let key: String
        /// The expected type, with its article.
        var wanted = "a number"
    }

    private let settings: [String: Any]

    /// A reader of a dictionary.
    init(_ settings: [String: Any]) { self.settings = settings }

    /// The number of a key; nil if the key is missing.
    ///
    /// Apple's enumerations count as numbers, because apps write `AVAudioQuality.high` without its raw value.
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

    /// The integer of a key; nil if the key is missing.
    ///
    /// A fraction is of the wrong type.
    func integer(_ key: String) throws(WrongType) -> Int? {
        guard let number = try number(key) else { return nil }
        guard let integer = Int(exactly: number) else { throw WrongType(key: key, wanted: "a whole number") }
        return integer
    }

    /// The boolean of a key; nil if the key is missing.
    ///
    /// Numbers other than 0 are true.
    func bool(_ key: String) throws(WrongType) -> Bool? {
        if let value = settings[key] as? Bool { return value }
        return try number(key).map { $0 != 0 }
    }

    /// The string of a key; nil if the key is missing.
    func text(_ key: String) throws(WrongType) -> String? {
        guard let value = settings[key] else { return nil }
        guard let text = value as? String else { throw WrongType(key: key, wanted: "a string") }
        return text
    }

    /// The data of a key; nil if the key is missing.
    func data(_ key: String) throws(WrongType) -> Data? {
        guard let value = settings[key] else { return nil }
        guard let data = value as? Data else { throw WrongType(key: key, wanted: "data") }
        return data
    }
}
