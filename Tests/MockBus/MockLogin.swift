import CSystemdBus
import Glibc

/// A login manager that announces sleep.
///
/// It owns `org.freedesktop.login1` on the bus of `DBUS_SYSTEM_BUS_ADDRESS`. For each line `sleep` or `wake` of
/// standard input it sends `PrepareForSleep` and prints `done …`; it prints `ready` first and ends with its input.
enum MockLogin {
    static func main() {
        guard let api = systemd_bus_load(), let address = getenv("DBUS_SYSTEM_BUS_ADDRESS") else { fail("no bus") }
        var made: OpaquePointer?
        guard api.pointee.new(&made) >= 0, let bus = made, api.pointee.set_address(bus, address) >= 0,
            api.pointee.set_bus_client(bus, 1) >= 0, api.pointee.start(bus) >= 0,
            api.pointee.request_name(bus, "org.freedesktop.login1", 0) >= 0
        else { fail("no name") }
        say("ready")
        while let line = readLine() {
            var made: OpaquePointer?
            let code = api.pointee.message_new_signal(
                bus, &made, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep")
            guard code >= 0, let message = made else { exit(1) }
            var begins: Int32 = line == "sleep" ? 1 : 0
            _ = api.pointee.message_append_basic(message, CChar(UInt8(ascii: "b")), &begins)
            _ = api.pointee.send(bus, message, nil)
            _ = api.pointee.message_unref(message)
            // Sends what is queued.
            while api.pointee.process(bus, nil) > 0 {}
            say("done \(line)")
        }
    }
}

/// Prints a line at once, which `print` alone does on terminals only.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Prints a line and ends the program with status 1.
func fail(_ line: String) -> Never {
    say(line)
    exit(1)
}
