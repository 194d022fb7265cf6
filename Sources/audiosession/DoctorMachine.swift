import Foundation
import Glibc
import SessionPolicy
import SoundHost

/// The checks of the machine.
extension Finding {
    /// Checks of the user's settings, libraries and limits.
    static func ofMachine() -> [Finding] {
        ofSettings()
            + [ofSilentSwitch(), ofSandbox(), ofSessionBus(), ofBusLibrary(), ofPipeWireLibrary(), ofPriority()]
            .compactMap { $0 }
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    private static func ofSettings() -> [Finding] {
        let settings = UserSettings.current
        let path = settings.path ?? "the environment"
        if settings.problems.isEmpty { return [.ok("settings", path)] }
        return settings.problems.map { problem in
            // What a variable says comes before the file, and begins with its name.
            let isOfVariable = UserPolicy.environmentKeys.contains { problem.hasPrefix("\($0):") }
            return .warn(
                "settings", problem.hasSuffix(".") ? String(problem.dropLast()) : problem,
                isOfVariable ? "correct the variable" : "correct it in \(path)")
        }
    }

    /// A warning if the silent switch is on, as an inaudible game looks broken.
    private static func ofSilentSwitch() -> Finding? {
        guard SilentSwitch.current.isOn else { return nil }
        return .warn(
            "silent switch", "it is on: sessions of the categories ambient and soloAmbient are not heard",
            "turn it off (audiosession silent off)")
    }

    private static func ofSandbox() -> Finding? {
        guard access("/.flatpak-info", F_OK) == 0 else { return nil }
        return .warn(
            "sandbox", "this is a Flatpak sandbox: streams of other programs may be out of reach",
            "run audiosession outside of it to see what others see")
    }

    /// A check of the session bus, over which media players are paused.
    private static func ofSessionBus() -> Finding {
        let fallback = environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" } ?? ""
        let address = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 } ?? fallback
        let path = address.split(separator: ",").first { $0.hasPrefix("unix:path=") }?.dropFirst("unix:path=".count)
        if address.isEmpty || path.map({ access(String($0), F_OK) != 0 }) == true {
            return .warn(
                "session bus", "there is none; media players cannot be asked to pause",
                "log in to a desktop, or start one (dbus-run-session)")
        }
        return .ok("session bus", address)
    }

    private static func ofBusLibrary() -> Finding {
        ofLibrary(
            ["libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"], "D-Bus library",
            "media players cannot be asked to pause", "install libsystemd0, libelogind0 or basu")
    }

    private static func ofPipeWireLibrary() -> Finding {
        ofLibrary(
            ["libpipewire-0.3.so.0"], "PipeWire library",
            "other programs cannot be lowered on PipeWire without their mixers showing it", "install libpipewire-0.3-0")
    }

    private static func ofLibrary(
        _ names: [String], _ topic: String, _ consequence: String, _ advice: String
    ) -> Finding {
        for name in names {
            guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { continue }
            dlclose(library)
            return .ok(topic, name)
        }
        return .warn(topic, "\(names.joined(separator: " or ")) cannot be loaded: \(consequence)", advice)
    }

    /// A check of the real-time priority for the threads of the sound server and of PipeWire's clients.
    private static func ofPriority() -> Finding {
        var limit = rlimit()
        getrlimit(realTimePriority, &limit)
        if limit.rlim_cur > 0 { return .ok("real-time priority", "up to \(limit.rlim_cur)") }
        let helpers = ["/usr/libexec/rtkit-daemon", "/usr/lib/rtkit/rtkit-daemon", "/usr/lib/rtkit-daemon"]
        if helpers.contains(where: { access($0, F_OK) == 0 }) { return .ok("real-time priority", "through rtkit") }
        return .warn(
            "real-time priority", "none by the limits, and no rtkit: sound may stutter on a busy machine",
            "install rtkit, or add your user to a group with rtprio in /etc/security/limits.d")
    }
}

/// `RLIMIT_RTPRIO`, which glibc's headers hide from Swift.
private let realTimePriority = __rlimit_resource_t(14)

/// A version number, such as 0.5.15.
struct Version: Comparable, CustomStringConvertible {
    private let parts: [Int]

    init(_ parts: [Int]) { self.parts = parts }

    /// The first version number in a text; nil if there is none.
    init?(in text: String) {
        for word in text.split(whereSeparator: { !$0.isNumber && $0 != "." }) {
            let parts = word.split(separator: ".").compactMap { Int($0) }
            guard parts.count >= 2 else { continue }
            self.parts = parts
            return
        }
        return nil
    }

    var description: String { parts.map(String.init).joined(separator: ".") }

    static func < (left: Version, right: Version) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

    /// The version of the WirePlumber in PATH, for a running one that states none; nil if there is none.
    static func ofWirePlumber() -> Version? {
        let words = ["wireplumber", "--version"].map { CommandWord($0) }
        guard let program = try? CommandProgram(words) else { return nil }
        return program.output().flatMap { Version(in: $0) }
    }
}
