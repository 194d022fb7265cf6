import AVFAudio
import ExampleSupport
import SessionPolicy

/// The environment that makes a command's streams belong to a session.
enum CommandEnvironment {
    /// The key that names the session in the properties of streams.
    static let ownerKey = "avaudiosession.owner"

    /// An environment with what the session adds; what it holds already stays.
    ///
    /// | variable | who reads it | what is added |
    /// |---|---|---|
    /// | `PULSE_PROP` | libpulse | the owner, and the category's role unless a role is there |
    /// | `PIPEWIRE_PROPS` | PipeWire's own clients | the owner |
    static func adding(owner: String, role: StreamRole?, to environment: [String: String]) -> [String: String] {
        var result = environment
        var pulse = [environment["PULSE_PROP"], "\(ownerKey)=\(owner)"]
        let hasRole = environment["PULSE_PROP_media.role"] != nil || names(environment["PULSE_PROP"], "media.role")
        if let role, !hasRole { pulse.append("media.role=\(role.rawValue)") }
        result["PULSE_PROP"] = pulse.compactMap { $0 }.joined(separator: " ")
        result["PIPEWIRE_PROPS"] = "{ \(inner(environment["PIPEWIRE_PROPS"]))\(ownerKey) = \"\(owner)\" }"
        return result
    }

    /// Whether properties as `PULSE_PROP` has them, `key=value` separated by blanks, name a key.
    private static func names(_ text: String?, _ key: String) -> Bool {
        (text ?? "").split(whereSeparator: \.isWhitespace).contains { $0.hasPrefix("\(key)=") || $0 == key }
    }

    /// What stands between the braces, which PipeWire lets one leave out.
    private static func inner(_ text: String?) -> String {
        guard let text else { return "" }
        var inner = text.drop(while: \.isWhitespace)
        while inner.last?.isWhitespace == true { inner.removeLast() }
        if inner.hasPrefix("{"), inner.hasSuffix("}") { inner = inner.dropFirst().dropLast() }
        return inner.isEmpty ? "" : "\(inner) "
    }
}

extension SessionChoice {
    /// The role that the session's own streams would have; nil where the settings are refused.
    func role(default fallback: CategoryWord) -> StreamRole? {
        let word = category(default: fallback).rawValue
        guard let category = SessionPolicy.Category.allCases.first(where: { $0.name == word }),
            let mode = SessionPolicy.Mode.allCases.first(where: { $0.name == mode.rawValue })
        else { return nil }
        let bits = options.reduce(0) { $0 | $1.option.rawValue }
        return try? SessionSettings.validated(category: category, mode: mode, options: .init(rawValue: bits)).role
    }
}
