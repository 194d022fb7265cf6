import AVFAudio
import CommandLineSupport
import Glibc
import HeadlessServer
import SessionPolicy

/// The environment that makes a command's streams belong to a session.
enum CommandEnvironment {
    /// The key that names the session in the properties of streams.
    static let ownerKey = "avaudiosession.owner"

    /// Our own environment, as `KEY=value`.
    static var inherited: [CommandWord] {
        var result: [CommandWord] = []
        var next = environ
        while let entry = next.pointee {
            result.append(CommandWord(copying: entry))
            next += 1
        }
        return result
    }

    /// An environment with what the session adds; what it holds already stays.
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

    /// An environment whose programs play on a private server, and are the caller's in all else.
    static func leading(to server: HeadlessServer, in environment: [CommandWord]) -> [CommandWord] {
        let ways = ["PULSE_SERVER", "PULSE_RUNTIME_PATH", "PIPEWIRE_RUNTIME_DIR"].compactMap { key in
            server.environment[key].map { (key, $0) }
        }
        // A path in it would lead to the user's own PipeWire all the same.
        let replaced = ways.map(\.0) + ["PIPEWIRE_REMOTE"]
        return environment.filter { entry in !replaced.contains { entry.isValue(of: $0) } }
            + ways.map { CommandWord("\($0)=\($1)") }
    }

    /// The variables of these names that an environment has.
    static func values(of keys: [String], in environment: [CommandWord]) -> [String: String] {
        keys.reduce(into: [:]) { $0[$1] = value(of: $1, in: environment) }
    }

    private static func value(of key: String, in environment: [CommandWord]) -> String? {
        environment.first { $0.isValue(of: key) }.map { entry in
            CommandWord(bytes: Array(entry.bytes.dropFirst(key.utf8.count + 1))).text
        }
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

extension CommandWord {
    /// Whether it gives a variable its value.
    fileprivate func isValue(of key: String) -> Bool { bytes.starts(with: "\(key)=".utf8) }
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
