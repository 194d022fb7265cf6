internal import Glibc

/// The running program's name in mixers and in the server's stored volumes.
package struct AppIdentity: Hashable, Sendable {
    /// The identifier: `PULSE_PROP_application.id`, the Flatpak's identifier, or the executable's name, such as
    /// `org.example.Player`.
    package let id: String
    /// The display name.
    package let name: String

    /// The running program; the environment variables of PulseAudio clients have precedence.
    package static let current: AppIdentity = {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "unknown"
        return AppIdentity(
            id: environment("PULSE_PROP_application.id") ?? environment("FLATPAK_ID") ?? program,
            name: environment("PULSE_PROP_application.name") ?? program)
    }()

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
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
