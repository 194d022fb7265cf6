internal import Glibc
internal import Locks
package import SessionPolicy

/// The running program's name in mixers and in the server's stored volumes.
package struct AppIdentity: Hashable, Sendable {
    /// The identifier: `PULSE_PROP_application.id`, what the app has chosen, the Flatpak's identifier, or the
    /// executable's name, such as `org.example.Player`.
    package let id: String
    /// The display name.
    package let name: String
    /// The name of an icon in the desktop's theme.
    package let icon: String

    /// What an app says of itself; nil is what is found out without it.
    private struct Choice: Sendable {
        var id, name, icon: String?
    }

    /// The identity, once it was used, and before that the app's choice.
    private struct State {
        var used: AppIdentity?
        var choice = Choice()
    }

    private static let state = Guarded(State())

    /// The running program; from the first read on it stays the same.
    package static var current: AppIdentity {
        state.withLock { state in
            let identity = state.used ?? AppIdentity(state.choice)
            state.used = identity
            return identity
        }
    }

    /// Sets what the app says of itself; nil is what is found out without it.
    ///
    /// Throws `badParam` for a text that is empty, has control characters or is longer than 200 bytes of UTF-8, and
    /// `isBusy` once the identity was used; nothing changes then.
    package static func choose(id: String, name: String?, icon: String?) throws(SessionError) {
        for text in [id, name, icon].compactMap({ $0 }) {
            guard !text.isEmpty, text.utf8.count <= 200, !text.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
                throw SessionError(.badParam, "\(text.debugDescription) is no name to show.")
            }
        }
        try state.withLock { state throws(SessionError) in
            guard state.used == nil else {
                throw SessionError(.isBusy, "The identity is in use; it must be set before the session is used.")
            }
            state.choice = Choice(id: id, name: name, icon: icon)
        }
    }

    /// The environment variables of PulseAudio clients, which are the user's, have precedence.
    private init(_ choice: Choice) {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "unknown"
        id = Self.environment("PULSE_PROP_application.id") ?? choice.id ?? Self.environment("FLATPAK_ID") ?? program
        name = Self.environment("PULSE_PROP_application.name") ?? choice.name ?? program
        icon = Self.environment("PULSE_PROP_application.icon_name") ?? choice.icon ?? id
    }

    /// The process ID for claims, which carry the host name beside it; 0 where the pair is not unique.
    ///
    /// Programs in a Flatpak share the machine's host name but have their own process IDs: nearly all of them are
    /// process 2.
    package static var claimedProcess: Int32 { hasNumbersOfItsOwn ? 0 : getpid() }

    private static let hasNumbersOfItsOwn = isNumberedApart(
        processes: namespace("pid"), names: namespace("uts"), isFlatpak: access("/.flatpak-info", F_OK) == 0)

    /// Whether other processes with the same ID have the same host name, by the kernel's names of the two namespaces.
    ///
    /// A container usually has its own host name, so its process IDs are unique beside it.
    ///
    /// - Parameters:
    ///   - processes: The target of `/proc/self/ns/pid`.
    ///   - names: The target of `/proc/self/ns/uts`.
    ///   - isFlatpak: Whether the process runs in a Flatpak.
    package static func isNumberedApart(processes: String?, names: String?, isFlatpak: Bool) -> Bool {
        guard let processes, processes != "pid:[4026531836]" else { return false }
        return isFlatpak || names == "uts:[4026531838]"
    }

    private static func namespace(_ kind: String) -> String? {
        var target = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/self/ns/" + kind, &target, target.count)
        guard length > 0 else { return nil }
        return String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The value of an environment variable; nil if it is empty or not set.
    ///
    /// Nil in a program with the rights of another user than its caller (setuid), whose environment is the caller's.
    package static func environment(_ name: String) -> String? {
        guard getuid() == geteuid(), getgid() == getegid(), let value = getenv(name), value.pointee != 0 else {
            return nil
        }
        return String(cString: value)
    }
}
