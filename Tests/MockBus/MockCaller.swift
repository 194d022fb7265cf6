import CSystemdBus
import Glibc

/// A remote control that sends calls to a player without waiting for answers in between.
enum MockCaller {
    /// Runs `mock-bus call NAME METHOD…`: calls the methods of `org.mpris.MediaPlayer2.NAME`, and prints `answered` or
    /// `refused` for each, in the order of the answers.
    static func main(_ words: [String]) {
        guard let name = words.first, let api = systemd_bus_load(), let address = getenv("DBUS_SESSION_BUS_ADDRESS")
        else { fail("no bus, or no name") }
        var made: OpaquePointer?
        guard api.pointee.new(&made) >= 0, let bus = made, api.pointee.set_address(bus, address) >= 0,
            api.pointee.set_bus_client(bus, 1) >= 0, api.pointee.start(bus) >= 0
        else { fail("no bus") }
        var open = 0
        withUnsafeMutablePointer(to: &open) { open in
            for method in words.dropFirst() {
                var made: OpaquePointer?
                guard
                    api.pointee.message_new_method_call(
                        bus, &made, "org.mpris.MediaPlayer2.\(name)", "/org/mpris/MediaPlayer2",
                        "org.mpris.MediaPlayer2.Player", method) >= 0, let message = made,
                    api.pointee.call_async(bus, nil, message, answered, open, 10_000_000) >= 0
                else { fail("cannot call \(method)") }
                _ = api.pointee.message_unref(message)
                open.pointee += 1
            }
            while open.pointee > 0 {
                let code = api.pointee.process(bus, nil)
                guard code >= 0 else { fail("the bus is lost") }
                guard code == 0 else { continue }
                var event = pollfd(fd: api.pointee.get_fd(bus), events: Int16(api.pointee.get_events(bus)), revents: 0)
                poll(&event, 1, -1)
            }
        }
    }
}

private func answered(
    _ message: OpaquePointer?, _ open: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let open, let api = systemd_bus_load() else { return 0 }
    print(api.pointee.message_is_method_error(message, nil) > 0 ? "refused" : "answered")
    open.assumingMemoryBound(to: Int.self).pointee -= 1
    return 1
}
