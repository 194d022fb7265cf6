import AVFAudio
import CommandLineSupport
import Glibc
import HeadlessServer
import SessionPolicy

/// The environment of a command, by which its streams belong to a session.
enum CommandEnvironment {
    /// The stream property that names the owning session.
    static let ownerKey = "avaudiosession.owner"

    /// This process's environment, as `KEY=value`.
    static var inherited: [CommandWord] {
        var result: [CommandWord] = []
        var next = environ
        while let entry = next.pointee {
            result.append(CommandWord(copying: entry))
            next += 1
        }
        return result
    }

    /// An environment with the session's properties added; present properties stay.
    ///
    /// | variable | who reads it | what is added |
    /// |---|---|---|
    /// | `PULSE_PROP` | libpulse | the owner, and the category's role unless a role is there |
    /// | `PIPEWIRE_PROPS` | PipeWire's own clients | the owner |
    static func adding(owner: String, role: StreamRole?, to environment: [CommandWord]) -> [CommandWord] {
        let (pulse, pipeWire) = ("PULSE_PROP", "PIPEWIRE_PROPS")
        let given = value(of: pulse, in: environment)
        var properties = [given, "\(ownerKey)=\(owner)"]
        let hasRole = value(of: "\(pulse)_media.role", in: environment) != nil || names(given, "media.role")
        if let role, !hasRole { properties.append("media.role=\(role.rawValue)") }
        let rest = inner(value(of: pipeWire, in: environment))
        return environment.filter { !$0.isValue(of: pulse) && !$0.isValue(of: pipeWire) } + [
            CommandWord("\(pulse)=" + properties.compactMap { $0 }.joined(separator: " ")),
            CommandWord("\(pipeWire)={ \(rest)\(ownerKey) = \"\(owner)\" }"),
        ]
    }

    /// An environment that differs from another one only in its sound server, which is a private one.
    static func leading(to server: HeadlessServer, in environment: [CommandWord]) -> [CommandWord] {
        let ways = ["PULSE_SERVER", "PULSE_RUNTIME_PATH", "PIPEWIRE_RUNTIME_DIR"].compactMap { key in
            server.environment[key].map { (key, $0) }
        }
        // A path in it would lead to the user's own PipeWire all the same.
        let replaced = ways.map(\.0) + ["PIPEWIRE_REMOTE"]
        return environment.filter { entry in !replaced.contains { entry.isValue(of: $0) } }
            + ways.map { CommandWord("\($0)=\($1)") }
    }

    /// The values of variables in an environment.
    static func values(of keys: [String], in environment: [CommandWord]) -> [String: String] {
        keys.reduce(into: [:]) { $0[$1] = value(of: $1, in: environment) }
    }

    private static func value(of key: String, in environment: [CommandWord]) -> String? {
        environment.first { $0.isValue(of: key) }.map { entry in
            CommandWord(bytes: Array(entry.bytes.dropFirst(key.utf8.count + 1))).text
        }
    }

    /// Whether properties in the form of `PULSE_PROP` (`key=value`, separated by blanks) contain a key.
    private static func names(_ text: String?, _ key: String) -> Bool {
        (text ?? "").split(whereSeparator: \.isWhitespace).contains { $0.hasPrefix("\(key)=") || $0 == key }
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

extension CommandWord {
    /// Whether the word sets a variable.
    fileprivate func isValue(of key: String) -> Bool { bytes.starts(with: "\(key)=".utf8) }
}

extension SessionChoice {
    /// The role of the session's own streams; nil if the settings are refused.
    func role(default fallback: CategoryWord) -> StreamRole? {
        let word = category(default: fallback).rawValue
        guard let category = SessionPolicy.Category.allCases.first(where: { $0.name == word }),
            let mode = SessionPolicy.Mode.allCases.first(where: { $0.name == mode.rawValue })
        else { return nil }
        let bits = options.reduce(0) { $0 | $1.option.rawValue }
        return try? SessionSettings.validated(category: category, mode: mode, options: .init(rawValue: bits)).role
    }
}
