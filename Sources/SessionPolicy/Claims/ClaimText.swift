/// The keys and values of a claim's text, which any program can write, and which is therefore checked.
struct ClaimText {
    /// The values by key, as they were written.
    private var fields: [Substring: Substring] = [:]

    /// Splits a text; `nil` if its size, alphabet, version or form is wrong, or a key comes twice.
    init?(_ text: String) {
        guard text.utf8.count <= Claim.longestText, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.first == "1" else { return nil }
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "="), equals != part.startIndex else { return nil }
            let value = part[part.index(after: equals)...]
            guard fields.updateValue(value, forKey: part[..<equals]) == nil else { return nil }
        }
    }

    /// A value, decoded; the default if the key is missing, `nil` if there is no default or the value is malformed.
    func value(_ key: Substring, default fallback: String? = nil) -> String? {
        guard let raw = fields[key] else { return fallback }
        return Self.percentDecoded(raw)
    }

    /// A number in decimal digits.
    func number(_ key: Substring, below limit: UInt64, default fallback: UInt64? = nil) -> UInt64? {
        guard fields[key] != nil else { return fallback }
        return value(key).flatMap { Self.number($0, radix: 10) }.flatMap { $0 < limit ? $0 : nil }
    }

    /// A number in exactly 16 hexadecimal digits.
    func hexadecimal(_ key: Substring) -> UInt64? {
        guard let digits = value(key), digits.utf8.count == 16 else { return nil }
        return Self.number(digits, radix: 16)
    }

    /// A flag, 1 or 0; false if the key is missing.
    func flag(_ key: Substring) -> Bool? {
        switch value(key, default: "0") {
        case "0": false
        case "1": true
        default: nil
        }
    }

    // MARK: Characters

    /// The text with every byte but letters, digits and `-._~` as `%XX`.
    static func percentEncoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The decoded form of a percent-encoded text; `nil` if it is malformed, not UTF-8, or has control characters.
    static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard let result = String(validating: bytes, as: UTF8.self), !result.unicodeScalars.contains(where: \.isControl)
        else { return nil }
        return result
    }

    /// The number in these digits; `nil` for anything else, such as a sign, and on overflow.
    private static func number(_ digits: String, radix: UInt64) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var result: UInt64 = 0
        for byte in digits.utf8 {
            guard let digit = digit(byte), digit < radix else { return nil }
            let (product, tooLarge) = result.multipliedReportingOverflow(by: radix)
            let (sum, tooLargeNow) = product.addingReportingOverflow(UInt64(digit))
            guard !tooLarge, !tooLargeNow else { return nil }
            result = sum
        }
        return result
    }

    /// The value of a hexadecimal digit.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
