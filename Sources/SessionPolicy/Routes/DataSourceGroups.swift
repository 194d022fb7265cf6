/// The grouping of a source's connectors into data sources.
///
/// A microphone with switchable directivity appears as several connectors, whose names only differ by the pattern's
/// name. They are one data source with several polar patterns. Words begin at a letter after a non-letter, or at a
/// capital:
///
/// | connectors | data sources |
/// |---|---|
/// | `FrontMicOmni`, `FrontMicCardioid`, `RearMic` | the front one, with two patterns, and the rear one |
/// | `analog-input-mic`, `analog-input-linein` | two |
/// | `mic-cardioid` alone | one without a choice of patterns |
extension RoutePort.DataSource {
    /// The data sources of these connectors, in their order.
    package static func grouped(_ connectors: [(port: String, name: String)]) -> [Self] {
        let read = connectors.map { ($0, NamedPattern(port: $0.port, name: $0.name)) }
        var result: [Self] = []
        for (connector, named) in read {
            guard let named else {
                result.append(Self(port: connector.port, name: connector.name))
                continue
            }
            let family = read.filter { $0.1?.rest == named.rest }
            let patterns = family.compactMap { member in
                member.1.map { Pattern(name: $0.pattern, port: member.0.port) }
            }
            guard patterns.count > 1, Set(patterns.map(\.name)).count == patterns.count else {
                result.append(Self(port: connector.port, name: connector.name))
                continue
            }
            // The whole group has the position of its first member.
            if family.first?.0.port == connector.port {
                result.append(Self(port: connector.port, name: named.rest, patterns: patterns))
            }
        }
        return result
    }
}

/// A connector's name that contains a polar pattern.
private struct NamedPattern {
    /// Apple's name of the pattern.
    let pattern: String
    /// The name to display, without the pattern.
    let rest: String

    private static let words = [
        "omni": "Omnidirectional", "omnidirectional": "Omnidirectional", "cardioid": "Cardioid",
        "subcardioid": "Subcardioid", "stereo": "Stereo",
    ]

    init?(port: String, name: String) {
        let words = Self.words(of: name)
        let found = (Self.words(of: port) + words).lazy.compactMap { Self.words[$0.lowercased()] }.first
        guard let found else { return nil }
        pattern = found
        rest = words.filter { Self.words[$0.lowercased()] == nil }.joined(separator: " ")
    }

    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var last: Character = " "
        for letter in text {
            defer { last = letter }
            guard letter.isLetter || letter.isNumber else { continue }
            let begins = !(last.isLetter || last.isNumber) || letter.isUppercase && last.isLowercase
            if begins || words.isEmpty { words.append("") }
            words[words.count - 1].append(letter)
        }
        return words
    }
}
