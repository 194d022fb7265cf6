internal import Glibc

/// The addresses of the user's session bus and of the machine's system bus.
///
/// No bus is ever launched: a program that plays sound must not start one.
package enum BusAddress {
    /// The environment variables that name buses; copying the whole environment would take a millisecond.
    ///
    /// Empty in a program with the rights of another user or group than its caller's, whose environment is the caller's.
    package static var environment: [String: String] {
        guard getuid() == geteuid(), getgid() == getegid() else { return [:] }
        var variables: [String: String] = [:]
        for name in ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
            variables[name] = getenv(name).map { String(cString: $0) }
        }
        return variables
    }

    /// The address of the session bus, from the environment; nil without one.
    ///
    /// | `DBUS_SESSION_BUS_ADDRESS` | `$XDG_RUNTIME_DIR/bus` | address |
    /// |---|---|---|
    /// | set | | that |
    /// | unset, empty, or `autolaunch:` alone | a socket | that socket |
    /// | the same | not there | none |
    static func user(in environment: [String: String]) -> String? {
        if let named = environment["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty, !named.hasPrefix("autolaunch:") {
            return named
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        return address(ofSocket: folder + "/bus")
    }

    /// The address of the system bus: `DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket; nil without one.
    static func machine(in environment: [String: String]) -> String? {
        if let named = environment["DBUS_SYSTEM_BUS_ADDRESS"], !named.isEmpty { return named }
        return address(ofSocket: "/run/dbus/system_bus_socket")
    }

    private static func address(ofSocket path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return "unix:path=" + escaped(path)
    }

    /// A value escaped for an address: all but a few characters as `%` and two digits.
    static func escaped(_ value: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/.\\*".utf8)
        let digits = Array("0123456789abcdef".utf8)
        let bytes = value.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
