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
    /// | variable | who reads it | what is added |
    /// |---|---|---|
    /// | `PULSE_PROP` | libpulse | the owner, and the category's role unless a role is there |
    /// | `PIPEWIRE_PROPS` | PipeWire's own clients | the owner |
    package static func adding(owner: String, role: StreamRole?, to environment: [[UInt8]]) -> [[UInt8]] {
        let given = value(of: pulse, in: environment)
        let (pair, node) = ("\(ownerKey)=\(owner)", "\(ownerKey) = \"\(owner)\"")
        var properties = words(given ?? "").contains { $0 == pair } ? [given] : [given, pair]
        let hasRole = value(of: "\(pulse)_media.role", in: environment) != nil || names(given, "media.role")
        if let role, !hasRole { properties.append("media.role=\(role.rawValue)") }
        let rest = inner(value(of: pipeWire, in: environment))
        return environment.filter { entry in !keys.contains { sets($0, entry) } } + [
            Array("\(pulse)=\(properties.compactMap { $0 }.joined(separator: " "))".utf8),
            Array("\(pipeWire)={ \(rest.contains(node) ? rest : "\(rest)\(node) ")}".utf8),
        ]
    }

    /// The value of a variable in an environment, as text; nil if it is not set.
    package static func value(of key: String, in environment: [[UInt8]]) -> String? {
        environment.first { sets(key, $0) }.map { String(decoding: $0.dropFirst(key.utf8.count + 1), as: UTF8.self) }
    }

    /// Whether an entry sets a variable.
    package static func sets(_ key: String, _ entry: [UInt8]) -> Bool { entry.starts(with: "\(key)=".utf8) }

    private static func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    /// Whether properties in the form of `PULSE_PROP` (`key=value`, separated by blanks) contain a key.
    private static func names(_ text: String?, _ key: String) -> Bool {
        words(text ?? "").contains { $0.hasPrefix("\(key)=") || $0 == key }
    }

    /// The properties without the braces around them, which are optional for PipeWire.
    private static func inner(_ text: String?) -> String {
        guard let text else { return "" }
        var inner = text.drop(while: \.isWhitespace)
        while inner.last?.isWhitespace == true { inner.removeLast() }
        if inner.hasPrefix("{"), inner.hasSuffix("}") { inner = inner.dropFirst().dropLast() }
        return inner.isEmpty ? "" : "\(inner) "
    }
}
