import CSystemdBus
import Glibc

// mock-login
//
// What the login manager tells of sleep, on the bus that DBUS_SYSTEM_BUS_ADDRESS names: it owns org.freedesktop.login1,
// and for each line `sleep` or `wake` that it reads it sends PrepareForSleep. It prints `ready`, and `done …` after
// each.
guard let api = systemd_bus_load(), let address = getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
    print("no bus")
    exit(1)
}
var made: OpaquePointer?
guard api.pointee.new(&made) >= 0, let bus = made, api.pointee.set_address(bus, address) >= 0,
    api.pointee.set_bus_client(bus, 1) >= 0, api.pointee.start(bus) >= 0,
    api.pointee.request_name(bus, "org.freedesktop.login1", 0) >= 0
else {
    print("no name")
    exit(1)
}

func say(_ line: String) {
    print(line)
    fflush(nil)
}

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
