import AVFAudio
import CommandLineSupport
import Glibc
import HeadlessServer
import SessionPolicy

/// The environment of a command, by which its streams belong to a session.
enum CommandEnvironment {
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

    /// An environment with the session's properties added; see `StreamEnvironment`.
    static func adding(owner: String, role: StreamRole?, to environment: [CommandWord]) -> [CommandWord] {
        StreamEnvironment.adding(owner: owner, role: role, to: environment.map(\.bytes)).map { CommandWord(bytes: $0) }
    }

    /// An environment that differs from another one only in its sound server, which is a private one.
    static func leading(to server: HeadlessServer, in environment: [CommandWord]) -> [CommandWord] {
        let ways = ["PULSE_SERVER", "PULSE_RUNTIME_PATH", "PIPEWIRE_RUNTIME_DIR"].compactMap { key in
            server.environment[key].map { (key, $0) }
        }
        // A path in it would lead to the user's own PipeWire all the same.
        let replaced = ways.map(\.0) + ["PIPEWIRE_REMOTE"]
        return environment.filter { entry in !replaced.contains { StreamEnvironment.sets($0, entry.bytes) } }
            + ways.map { CommandWord("\($0)=\($1)") }
    }

    /// The values of variables in an environment.
    static func values(of keys: [String], in environment: [CommandWord]) -> [String: String] {
        let entries = environment.map(\.bytes)
        return keys.reduce(into: [:]) { $0[$1] = StreamEnvironment.value(of: $1, in: entries) }
    }
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
