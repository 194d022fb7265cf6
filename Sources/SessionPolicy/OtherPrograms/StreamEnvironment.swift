/// The environment of a process whose streams belong to a session: of a command, a child, or of the app itself.
///
/// An entry is `KEY=value` in any bytes but 0, not necessarily UTF-8.
package enum StreamEnvironment {
    /// The stream property that names the owning session.
    package static let ownerKey = "avaudiosession.owner"
    /// The variables that are set.
    package static let keys = [pulse, pipeWire]

    private static let pulse = "PULSE_PROP"
    private static let pipeWire = "PIPEWIRE_PROPS"

    /// Returns an environment with the session's properties added; present properties stay.
    ///
    /// An owner that is there already, and a role right behind it, were added by an earlier call, of this program or of
    /// its parent. They are replaced: the category may have changed since.
    ///
    /// | variable | who reads it | what is added |
    /// |---|---|---|
    /// | `PULSE_PROP` | libpulse | the owner, and the category's role unless a role is there |
    /// | `PIPEWIRE_PROPS` | PipeWire's own clients | the owner |
    package static func adding(owner: String, role: StreamRole?, to environment: [[UInt8]]) -> [[UInt8]] {
        let given = withoutAdded(value(of: pulse, in: environment) ?? "")
        var properties = (given.isEmpty ? [] : [given]) + ["\(ownerKey)=\(owner)"]
        let hasRole = value(of: "\(pulse)_media.role", in: environment) != nil || names(given, "media.role")
        if let role, !hasRole { properties.append("media.role=\(role.rawValue)") }
        let rest = withoutOwner(inner(value(of: pipeWire, in: environment) ?? ""))
        let node = (rest.isEmpty ? [] : [rest]) + ["\(ownerKey) = \"\(owner)\""]
        return environment.filter { entry in !keys.contains { sets($0, entry) } } + [
            Array("\(pulse)=\(properties.joined(separator: " "))".utf8),
            Array("\(pipeWire)={ \(node.joined(separator: " ")) }".utf8),
        ]
    }

    /// Properties in the form of `PULSE_PROP` without owners, and without the role right behind an owner.
    private static func withoutAdded(_ text: String) -> String {
        var (kept, end, isBehindOwner) = ("", text.startIndex, false)
        for word in words(text) {
            let isOwner = word.hasPrefix("\(ownerKey)=")
            if !isOwner, !isBehindOwner || !word.hasPrefix("media.role=") { kept += text[end..<word.endIndex] }
            (end, isBehindOwner) = (word.endIndex, isOwner)
        }
        return trimmed(kept)
    }

    /// Properties of PipeWire without owners in the form in which they are added.
    private static func withoutOwner(_ text: String) -> String {
        let start = "\(ownerKey) = \""
        var (kept, rest) = ("", Substring(text))
        while let index = rest.indices.first(where: { rest[$0...].hasPrefix(start) }) {
            kept += rest[..<index]
            rest = rest[index...].dropFirst(start.count).drop { $0 != "\"" }.dropFirst().drop(while: \.isWhitespace)
        }
        return trimmed(kept + rest)
    }

    /// The value of a variable in an environment, as text; nil if it is not set.
    package static func value(of key: String, in environment: [[UInt8]]) -> String? {
        environment.first { sets(key, $0) }.map { String(decoding: $0.dropFirst(key.utf8.count + 1), as: UTF8.self) }
    }

    /// Whether an entry sets a variable.
    package static func sets(_ key: String, _ entry: [UInt8]) -> Bool { entry.starts(with: "\(key)=".utf8) }

    private static func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    /// Whether properties in the form of `PULSE_PROP` (`key=value`, separated by blanks) contain a key.
    private static func names(_ text: String, _ key: String) -> Bool {
        words(text).contains { $0.hasPrefix("\(key)=") || $0 == key }
    }

    /// The properties without the braces around them, which are optional for PipeWire.
    private static func inner(_ text: String) -> String {
        let inner = trimmed(text)
        return inner.hasPrefix("{") && inner.hasSuffix("}") ? String(inner.dropFirst().dropLast()) : inner
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text.drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
