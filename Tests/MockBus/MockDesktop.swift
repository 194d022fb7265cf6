import CSystemdBus
import Glibc

/// The services of a desktop that can silence an app: lock screen, silent switch, sleep, permissions.
///
/// They are on the bus of `DBUS_SESSION_BUS_ADDRESS`, which in tests may be the session's and the system's at once, and
/// none is owned at first. Each line of standard input is an order; it prints `done …` after each, and a line for each
/// call that changes something or asks the user. It ends with its input.
///
/// | order | what happens |
/// |---|---|
/// | `own login`, `saver`, `gnome`, `feedback`, `store`, `dialog` | the service is there from now on |
/// | `disown …` | it leaves the bus |
/// | `login 1`, `saver 1`, `gnome 1` (or 0) | the screen is locked, in the words of that service |
/// | `sleep 1` (or 0) | the machine goes to sleep, or has woken up |
/// | `feedback silent` | the profile changes |
/// | `store APP yes` (`no`, `ask`, `nothing`) | the permission of an app changes |
/// | `hold store`, `release store` | questions to the store have no answer until it is released |
/// | `fail store ERROR`, `description`, `dialog` | questions to the store, for the description of the dialogs, or to the user have this error |
/// | `hold description` | nobody describes the dialogs |
/// | `refuse dialog` | the backend shows no such dialogs, and has none in its description |
/// | `answer 0` (1, 2) | the user answers the oldest dialog: yes, no, waved away |
final class MockDesktop {
    private typealias Service = (word: String, name: String, path: String)
    private static let services: [Service] = [
        ("login", "org.freedesktop.login1", "/org/freedesktop/login1/session/auto"),
        ("saver", "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
        ("gnome", "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
        ("feedback", "org.sigxcpu.Feedback", "/org/sigxcpu/Feedback"),
        (
            "store", "org.freedesktop.impl.portal.PermissionStore",
            "/org/freedesktop/impl/portal/PermissionStore"
        ),
        ("dialog", "org.freedesktop.impl.portal.desktop.mock", "/org/freedesktop/portal/desktop"),
    ]
    private static let properties = "org.freedesktop.DBus.Properties"

    private let api: UnsafePointer<systemd_bus>
    private let bus: OpaquePointer
    private var input: [UInt8] = []
    private var isLocked: [String: Bool] = [:]
    private var profile = "full"
    private var permissions: [String: String] = [:]
    /// Answers that the store has still to give.
    private var held: [OpaquePointer]?
    private var showsDialogs = true
    private var describesDialogs = true
    /// The errors that questions have, by their words in `fail`.
    private var failures: [String: String] = [:]
    /// Answers that a user has still to give.
    private var dialogs: [OpaquePointer] = []

    /// Runs `mock-bus desktop` until its input ends.
    static func main() {
        guard let desktop = MockDesktop() else { fail("no bus") }
        desktop.run()
    }

    private init?() {
        guard let api = systemd_bus_load(), let address = getenv("DBUS_SESSION_BUS_ADDRESS") else { return nil }
        var made: OpaquePointer?
        guard api.pointee.new(&made) >= 0, let bus = made, api.pointee.set_address(bus, address) >= 0,
            api.pointee.set_bus_client(bus, 1) >= 0, api.pointee.start(bus) >= 0
        else { return nil }
        self.api = api
        self.bus = bus
        // SAFETY: the desktop lives until the process exits.
        let context = Unmanaged.passUnretained(self).toOpaque()
        for service in Self.services {
            guard api.pointee.add_object(bus, nil, service.path, methodCalled, context) >= 0 else { return nil }
        }
        say("ready")
    }

    func run() {
        while true {
            let code = api.pointee.process(bus, nil)
            guard code >= 0 else { return }
            if code > 0 { continue }
            var events = [
                pollfd(fd: api.pointee.get_fd(bus), events: Int16(api.pointee.get_events(bus)), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            poll(&events, 2, -1)
            guard events[1].revents == 0 || takeOrders() else { return }
        }
    }

    private func takeOrders() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return false }
        input += bytes[..<count]
        while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: input[..<end], as: UTF8.self)
            input.removeSubrange(...end)
            obey(line.split(separator: " ").map(String.init))
            say("done \(line)")
        }
        return true
    }

    private func obey(_ words: [String]) {
        guard let order = words.first, let what = words.dropFirst().first else { return }
        let service = Self.services.first { $0.word == what }
        switch order {
        case "own": if let service { _ = api.pointee.request_name(bus, service.name, 0) }
        case "disown": if let service { _ = api.pointee.release_name(bus, service.name) }
        case "login":
            isLocked[order] = what == "1"
            tellChanged("org.freedesktop.login1.Session", at: "/org/freedesktop/login1/session/_31", "LockedHint")
        case "saver", "gnome":
            isLocked[order] = what == "1"
            if let own = Self.services.first(where: { $0.word == order }) {
                signal(own.path, own.name, "ActiveChanged") { append($0, flag: what == "1") }
            }
        case "sleep":
            signal("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep") {
                append($0, flag: what == "1")
            }
        case "feedback":
            profile = what
            tellChanged("org.sigxcpu.Feedback", at: "/org/sigxcpu/Feedback", "Profile")
        case "store": store(words[2], of: what)
        case "fail": failures[what] = words.count > 2 ? words[2] : nil
        case "hold" where what == "description": describesDialogs = false
        case "hold": held = []
        case "release":
            let late = held ?? []
            held = nil
            for reply in late {
                fillLookup(reply)
                _ = send(reply)
            }
        case "refuse": showsDialogs = false
        case "answer": answerDialog(UInt32(what) ?? 2)
        default: break
        }
    }

    // MARK: What is asked

    fileprivate func called(_ message: OpaquePointer) -> Int32 {
        func isCall(_ interface: String, _ method: String) -> Bool {
            api.pointee.message_is_method_call(message, interface, method) > 0
        }
        for (word, name, _) in Self.services where isCall(name, "GetActive") {
            return answer(message) { append($0, flag: isLocked[word] == true) }
        }
        if isCall(Self.properties, "Get") { return answerProperty(message) }
        if isCall(Self.properties, "Set") { return setProfile(message) }
        let permissionStore = "org.freedesktop.impl.portal.PermissionStore"
        if isCall(permissionStore, "Lookup") {
            say("Lookup")
            if let error = failures["store"] { return answer(message, error: error) }
            if held != nil { return hold(message) }
            // As the store does for a table that it does not have.
            guard !permissions.isEmpty else { return -2 }
            return answer(message, fillLookup)
        }
        if isCall(permissionStore, "SetPermission") { return setPermission(message) }
        // Without them the library answers: that there is no such method, and that the description is empty.
        guard showsDialogs else { return 0 }
        if isCall("org.freedesktop.DBus.Introspectable", "Introspect") {
            say("Introspect")
            if let error = failures["description"] { return answer(message, error: error) }
            guard describesDialogs else { return 1 }
            let description = "<node><interface name=\"org.freedesktop.impl.portal.Access\"/></node>"
            return answer(message) { append($0, description) }
        }
        if isCall("org.freedesktop.impl.portal.Access", "AccessDialog") {
            if let error = failures["dialog"] {
                say("AccessDialog failed")
                return answer(message, error: error)
            }
            return openDialog(message)
        }
        return 0
    }

    private func hold(_ message: OpaquePointer) -> Int32 {
        var made: OpaquePointer?
        guard api.pointee.message_new_method_return(message, &made) >= 0, let reply = made else { return -12 }
        held?.append(reply)
        return 1
    }

    private func fillLookup(_ reply: OpaquePointer) {
        appendPermissions(reply)
        contained("v", "s", reply) { append(reply, "") }
    }

    private func answerProperty(_ message: OpaquePointer) -> Int32 {
        _ = text(message)
        switch text(message) {
        case "LockedHint":
            return answer(message) { reply in
                contained("v", "b", reply) { append(reply, flag: isLocked["login"] == true) }
            }
        case "Profile":
            return answer(message) { reply in contained("v", "s", reply) { append(reply, profile) } }
        default: return -2
        }
    }

    private func setProfile(_ message: OpaquePointer) -> Int32 {
        _ = (text(message), text(message))
        guard api.pointee.message_enter_container(message, code("v"), "s") > 0, let new = text(message) else {
            return -22
        }
        profile = new
        say("profile \(new)")
        tellChanged("org.sigxcpu.Feedback", at: "/org/sigxcpu/Feedback", "Profile")
        return answer(message) { _ in }
    }

    private func setPermission(_ message: OpaquePointer) -> Int32 {
        let table = text(message)
        var create: Int32 = 0
        _ = api.pointee.message_read_basic(message, code("b"), &create)
        let id = text(message)
        guard let app = text(message), api.pointee.message_enter_container(message, code("a"), "s") > 0,
            let word = text(message)
        else { return -22 }
        say("SetPermission \(table ?? "") \(id ?? "") \(app) \(word)")
        store(word, of: app)
        return answer(message) { _ in }
    }

    private func openDialog(_ message: OpaquePointer) -> Int32 {
        var made: OpaquePointer?
        var handle: UnsafePointer<CChar>?
        guard api.pointee.message_read_basic(message, code("o"), &handle) > 0, let app = text(message),
            text(message) != nil, let title = text(message),
            api.pointee.message_new_method_return(message, &made) >= 0, let reply = made
        else { return -22 }
        dialogs.append(reply)
        say("AccessDialog \(app): \(title)")
        return 1
    }

    private func answerDialog(_ response: UInt32) {
        guard !dialogs.isEmpty else { return }
        let reply = dialogs.removeFirst()
        var response = response
        _ = api.pointee.message_append_basic(reply, code("u"), &response)
        contained("a", "{sv}", reply) {}
        _ = send(reply)
    }

    // MARK: What is told

    private func store(_ word: String, of app: String) {
        permissions[app] = word == "nothing" ? nil : word
        signal(
            "/org/freedesktop/impl/portal/PermissionStore", "org.freedesktop.impl.portal.PermissionStore", "Changed"
        ) { message in
            append(message, "devices")
            append(message, "microphone")
            append(message, flag: false)
            contained("v", "s", message) { append(message, "") }
            appendPermissions(message)
        }
    }

    /// In the words of a service that does not say what to, as it may.
    private func tellChanged(_ interface: String, at path: String, _ name: String) {
        signal(path, Self.properties, "PropertiesChanged") { message in
            append(message, interface)
            contained("a", "{sv}", message) {}
            contained("a", "s", message) { append(message, name) }
        }
    }

    private func signal(_ path: String, _ interface: String, _ member: String, _ fill: (OpaquePointer) -> Void) {
        var made: OpaquePointer?
        guard api.pointee.message_new_signal(bus, &made, path, interface, member) >= 0, let message = made else {
            return
        }
        fill(message)
        _ = send(message)
    }

    private func answer(_ call: OpaquePointer, _ fill: (OpaquePointer) -> Void) -> Int32 {
        var made: OpaquePointer?
        guard api.pointee.message_new_method_return(call, &made) >= 0, let message = made else { return -12 }
        fill(message)
        return send(message)
    }

    private func answer(_ call: OpaquePointer, error name: String) -> Int32 {
        name.withCString { name in
            var error = sd_bus_error(name: name, message: nil, _need_free: 0)
            var made: OpaquePointer?
            guard api.pointee.message_new_method_error(call, &made, &error) >= 0, let message = made else { return -12 }
            return send(message)
        }
    }

    private func send(_ message: OpaquePointer) -> Int32 {
        defer { _ = api.pointee.message_unref(message) }
        return api.pointee.send(bus, message, nil)
    }

    // MARK: Reading and writing

    private func text(_ message: OpaquePointer) -> String? {
        var text: UnsafePointer<CChar>?
        guard api.pointee.message_read_basic(message, code("s"), &text) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    private func append(_ message: OpaquePointer, _ text: String) {
        _ = text.withCString { api.pointee.message_append_basic(message, code("s"), $0) }
    }

    private func append(_ message: OpaquePointer, flag: Bool) {
        var number: Int32 = flag ? 1 : 0
        _ = api.pointee.message_append_basic(message, code("b"), &number)
    }

    private func appendPermissions(_ message: OpaquePointer) {
        contained("a", "{sas}", message) {
            for (app, word) in permissions {
                contained("e", "sas", message) {
                    append(message, app)
                    contained("a", "s", message) { append(message, word) }
                }
            }
        }
    }

    private func contained(_ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer, _ fill: () -> Void) {
        _ = api.pointee.message_open_container(message, code(type), contents)
        fill()
        _ = api.pointee.message_close_container(message)
    }

    private func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}

private func methodCalled(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    // SAFETY: the desktop lives until the process exits.
    return Unmanaged<MockDesktop>.fromOpaque(context).takeUnretainedValue().called(message)
}
