internal import Glibc

/// The running program as mixers show it and as the server's memory of volumes knows it.
package struct AppIdentity: Hashable, Sendable {
    /// Such as `org.example.Player`: `PULSE_PROP_application.id`, the Flatpak's name, or the program's.
    package let id: String
    /// The name that people see.
    package let name: String

    /// The running program, overridden by what the environment says for any PulseAudio client.
    package static let current: AppIdentity = {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "unknown"
        return AppIdentity(
            id: environment("PULSE_PROP_application.id") ?? environment("FLATPAK_ID") ?? program,
            name: environment("PULSE_PROP_application.name") ?? program)
    }()

    /// The number of this process as claims have it, beside the machine's name; 0 where others would take it for another
    /// process.
    ///
    /// Programs in a Flatpak keep the machine's name but count their processes anew: nearly all of them are number 2.
    package static var claimedProcess: Int32 { hasNumbersOfItsOwn ? 0 : getpid() }

    private static let hasNumbersOfItsOwn = isNumberedApart(
        processes: namespace("pid"), names: namespace("uts"), isFlatpak: access("/.flatpak-info", F_OK) == 0)

    /// Whether other processes with our number go by the same machine's name, told from the kernel's names of
    /// namespaces.
    ///
    /// A container has a name of its own, as a rule: there the number is good.
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

    /// A variable of the environment; nil where it is empty or not set.
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
