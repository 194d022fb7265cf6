internal import Glibc

/// Where the buses of the user's session and of the machine are.
///
/// Nothing is ever launched: a program that plays sound must not bring up a bus that nobody asked for.
package enum BusAddress {
    /// The variables of this process that name buses; all of the environment takes a millisecond to read.
    package static var environment: [String: String] {
        var variables: [String: String] = [:]
        for name in ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
            variables[name] = getenv(name).map { String(cString: $0) }
        }
        return variables
    }

    /// The address in force, by the environment; `nil` where there is no session bus.
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

    /// The address of the machine's bus: `DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket; `nil` where there is none.
    static func machine(in environment: [String: String]) -> String? {
        if let named = environment["DBUS_SYSTEM_BUS_ADDRESS"], !named.isEmpty { return named }
        return address(ofSocket: "/run/dbus/system_bus_socket")
    }

    private static func address(ofSocket path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return "unix:path=" + escaped(path)
    }

    /// A value as an address spells it: all but a few characters are written as `%` and two digits.
    static func escaped(_ value: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/.\\*".utf8)
        let digits = Array("0123456789abcdef".utf8)
        let bytes = value.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
