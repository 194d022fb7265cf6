import CSystemdBus
import Glibc

/// A media player on the session bus (MPRIS) that plays nothing and may misbehave.
///
/// | quirk | a player that |
/// |---|---|
/// | `late` | answers first and pauses or plays later |
/// | `seeks` | sends `Seeked` before `PlaybackStatus` whenever it pauses or plays |
/// | `trails` | sends `Seeked` after `PlaybackStatus` |
/// | `mute` | sends no signals |
/// | `vague` | invalidates `PlaybackStatus` without its new value |
/// | `refuses` | answers requests with an error |
/// | `immovable` | says that it cannot be paused |
/// | `nonsense` | answers with values of wrong types |
/// | `noncharacter` | has a title that libsystemd does not read, and sends it with each status |
final class MockPlayer {
    private static let path = "/org/mpris/MediaPlayer2"
    private static let interface = "org.mpris.MediaPlayer2.Player"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let api: UnsafePointer<systemd_bus>
    private let bus: OpaquePointer
    private let orders: Int32
    private let quirks: Set<String>
    private let name: String
    private var status = "Playing"
    private var track = "/track/1"
    private var pending: String?
    private var isRunning = true

    private init?(name: String, orders: String, quirks: Set<String>) {
        guard let api = systemd_bus_load(), let address = getenv("DBUS_SESSION_BUS_ADDRESS") else { return nil }
        var made: OpaquePointer?
        guard api.pointee.new(&made) >= 0, let bus = made, api.pointee.set_address(bus, address) >= 0,
            api.pointee.set_bus_client(bus, 1) >= 0, api.pointee.start(bus) >= 0
        else { return nil }
        self.api = api
        self.bus = bus
        self.name = name
        self.quirks = quirks
        // For writing too, or the pipe would be at its end whenever a writer leaves.
        self.orders = open(orders, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        // SAFETY: the player lives until the process exits.
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard self.orders >= 0, api.pointee.add_object(bus, nil, Self.path, methodCalled, context) >= 0,
            api.pointee.request_name(bus, "org.mpris.MediaPlayer2.\(name)", 0) >= 0
        else { return nil }
        var unique: UnsafePointer<CChar>?
        _ = api.pointee.get_unique_name(bus, &unique)
        say("ready \(unique.map { String(cString: $0) } ?? "")")
    }

    /// Runs `mock-bus player NAME ORDERS [QUIRK…] [-- COMMAND…]` until the order `quit` or the end of the bus.
    ///
    /// The player owns `org.mpris.MediaPlayer2.NAME`, starts out playing, and carries out each line of the pipe ORDERS,
    /// which exists already (see ``obey()``). COMMAND runs as its child, as a browser's sound process does. It prints
    /// `ready BUSNAME`, one line for each call, and `status …` for each change.
    static func main(_ words: [String]) {
        let own = words.prefix { $0 != "--" }
        guard own.count >= 2, let player = MockPlayer(name: own[0], orders: own[1], quirks: Set(own.dropFirst(2)))
        else {
            fail("no bus, or no name and pipe")
        }
        let child = start(Array(words.dropFirst(own.count + 1)))
        player.run()
        if let child { kill(child, SIGKILL) }
    }

    private static func start(_ command: [String]) -> pid_t? {
        guard let program = command.first else { return nil }
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        return posix_spawn(&process, program, nil, nil, &words, environ) == 0 ? process : nil
    }

    // MARK: The loop

    func run() {
        while isRunning {
            let code = api.pointee.process(bus, nil)
            guard code >= 0 else { return }
            if code > 0 { continue }
            if let next = pending {
                pending = nil
                change(to: next)
                continue
            }
            var events = [
                pollfd(fd: api.pointee.get_fd(bus), events: Int16(api.pointee.get_events(bus)), revents: 0),
                pollfd(fd: orders, events: Int16(POLLIN), revents: 0),
            ]
            poll(&events, 2, -1)
            if events[1].revents != 0 { obey() }
        }
    }

    private func obey() {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(orders, &bytes, bytes.count)
        guard count > 0 else { return }
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            switch line {
            case "play": change(to: "Playing")
            case "pause": change(to: "Paused")
            case "stop": change(to: "Stopped")
            case "seek": tellSeeked()
            case "next":
                track = "/track/2"
                tellChanged(["Metadata"])
            case "quit": isRunning = false
            default: break
            }
            say("done \(line)")
        }
    }

    private func change(to next: String) {
        guard next != status else { return }
        status = next
        say("status \(next)")
        if quirks.contains("seeks") { tellSeeked() }
        tellChanged(quirks.contains("noncharacter") ? ["PlaybackStatus", "Metadata"] : ["PlaybackStatus"])
        if quirks.contains("trails") { tellSeeked() }
    }

    // MARK: The bus

    fileprivate func called(_ message: OpaquePointer) -> Int32 {
        func isCall(_ interface: String, _ method: String) -> Bool {
            api.pointee.message_is_method_call(message, interface, method) > 0
        }
        if isCall(Self.properties, "GetAll") {
            guard let interface = text(in: message) else { return -22 }
            return answer(message) { self.append(self.values(of: interface), to: $0) }
        }
        if isCall(Self.properties, "Get") {
            guard let interface = text(in: message), let name = text(in: message),
                let value = values(of: interface).first(where: { $0.0 == name })?.1
            else { return -22 }
            return answer(message) { self.append(value, to: $0) }
        }
        for (method, next) in [("Pause", "Paused"), ("Play", "Playing")] where isCall(Self.interface, method) {
            say(method)
            guard !quirks.contains("refuses") else { return -95 }
            if quirks.contains("late") { pending = next } else { change(to: next) }
            return answer(message) { _ in }
        }
        return 0
    }

    private func text(in message: OpaquePointer) -> String? {
        var text: UnsafePointer<CChar>?
        guard api.pointee.message_read_basic(message, code("s"), &text) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    private enum Value { case text(String), path(String), flag(Bool), number(UInt32), table([(String, Value)]) }

    private func values(of interface: String) -> [(String, Value)] {
        interface == Self.interface ? playerValues : rootValues
    }

    private var rootValues: [(String, Value)] { [("Identity", .text("Mock \(name)")), ("DesktopEntry", .text(name))] }

    private var playerValues: [(String, Value)] {
        guard !quirks.contains("nonsense") else {
            return [("PlaybackStatus", .number(1)), ("Metadata", .flag(true)), ("CanPause", .text("yes"))]
        }
        return [
            ("PlaybackStatus", .text(status)), ("CanPause", .flag(!quirks.contains("immovable"))),
            ("CanPlay", .flag(true)), ("Volume", .number(1)), ("Metadata", metadata),
        ]
    }

    private var metadata: Value {
        let title = quirks.contains("noncharacter") ? "Ti\u{FFFF}tle" : "Title"
        return .table([("mpris:trackid", .path(track)), ("xesam:title", .text(title))])
    }

    private func answer(_ call: OpaquePointer, _ fill: (OpaquePointer) -> Void) -> Int32 {
        var made: OpaquePointer?
        guard api.pointee.message_new_method_return(call, &made) >= 0, let message = made else { return -12 }
        fill(message)
        return send(message)
    }

    private func signal(_ interface: String, _ member: String, _ fill: (OpaquePointer) -> Void) {
        var made: OpaquePointer?
        guard !quirks.contains("mute"),
            api.pointee.message_new_signal(bus, &made, Self.path, interface, member) >= 0, let message = made
        else { return }
        fill(message)
        _ = send(message)
    }

    private func send(_ message: OpaquePointer) -> Int32 {
        defer { _ = api.pointee.message_unref(message) }
        return api.pointee.send(bus, message, nil)
    }

    private func tellSeeked() {
        signal(Self.interface, "Seeked") { message in
            var position: Int64 = 1_000_000
            _ = api.pointee.message_append_basic(message, code("x"), &position)
        }
    }

    private func tellChanged(_ names: [String]) {
        let isVague = quirks.contains("vague")
        signal(Self.properties, "PropertiesChanged") { message in
            append(Self.interface, to: message)
            append(isVague ? [] : playerValues.filter { names.contains($0.0) }, to: message)
            _ = api.pointee.message_open_container(message, code("a"), "s")
            if isVague { names.forEach { append($0, to: message) } }
            _ = api.pointee.message_close_container(message)
        }
    }

    // MARK: Writing

    private func append(_ text: String, to message: OpaquePointer, as type: Unicode.Scalar = "s") {
        guard !text.unicodeScalars.contains(where: \.properties.isNoncharacterCodePoint) else {
            return appendUnchecked(text, to: message)
        }
        _ = text.withCString { api.pointee.message_append_basic(message, code(type), $0) }
    }

    /// libsystemd refuses to write such a text, too, but leaves room for one that it does not look at.
    private func appendUnchecked(_ text: String, to message: OpaquePointer) {
        typealias Room = UnsafeMutablePointer<CChar>?
        typealias MakeRoom = @convention(c) (OpaquePointer, Int, UnsafeMutablePointer<Room>) -> Int32
        let names = ["libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"]
        let library = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_NOLOAD) }.first
        guard let symbol = dlsym(library, "sd_bus_message_append_string_space") else { return }
        let makeRoom = unsafeBitCast(symbol, to: MakeRoom.self)
        var room: Room = nil
        guard makeRoom(message, text.utf8.count, &room) >= 0, let room else { return }
        _ = text.withCString { memcpy(room, $0, text.utf8.count) }
    }

    private func append(_ table: [(String, Value)], to message: OpaquePointer) {
        _ = api.pointee.message_open_container(message, code("a"), "{sv}")
        for (key, value) in table {
            _ = api.pointee.message_open_container(message, code("e"), "sv")
            append(key, to: message)
            append(value, to: message)
            _ = api.pointee.message_close_container(message)
        }
        _ = api.pointee.message_close_container(message)
    }

    private func append(_ value: Value, to message: OpaquePointer) {
        let signature =
            switch value {
            case .text: "s"
            case .path: "o"
            case .flag: "b"
            case .number: "u"
            case .table: "a{sv}"
            }
        _ = api.pointee.message_open_container(message, code("v"), signature)
        switch value {
        case .text(let text): append(text, to: message)
        case .path(let path): append(path, to: message, as: "o")
        case .flag(let flag):
            var number: Int32 = flag ? 1 : 0
            _ = api.pointee.message_append_basic(message, code("b"), &number)
        case .number(var number): _ = api.pointee.message_append_basic(message, code("u"), &number)
        case .table(let table): append(table, to: message)
        }
        _ = api.pointee.message_close_container(message)
    }

    private func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}

private func methodCalled(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    // SAFETY: the player lives until the process exits.
    return Unmanaged<MockPlayer>.fromOpaque(context).takeUnretainedValue().called(message)
}
