internal import CSystemdBus

/// Something of ours that others on the bus call: an object at a path.
final class BusObject {
    fileprivate let api: UnsafePointer<systemd_bus>
    fileprivate let bus: OpaquePointer
    fileprivate let handler: (BusCall) -> Void

    fileprivate init(_ connection: BusConnection, _ handler: @escaping (BusCall) -> Void) {
        api = connection.api
        bus = connection.raw
        self.handler = handler
    }
}

/// A call that somebody on the bus waits to be answered; used on the bus's thread, and answered once, now or later.
///
/// One that is never answered leaves its caller waiting until his patience ends.
final class BusCall {
    /// The names of the errors that we answer with, each under `org.freedesktop.DBus.Error.`.
    enum Failure: String {
        case failed = "Failed"
        case invalidArguments = "InvalidArgs"
        case limitsExceeded = "LimitsExceeded"
        case notSupported = "NotSupported"
        case propertyReadOnly = "PropertyReadOnly"
        case unknownInterface = "UnknownInterface"
        case unknownMethod = "UnknownMethod"
        case unknownProperty = "UnknownProperty"
    }

    /// What was asked; to be read in the handler.
    let message: BusMessage
    private let bus: OpaquePointer

    fileprivate init(_ message: BusMessage, over bus: OpaquePointer) {
        self.message = message
        self.bus = bus
        // It holds its connection, too, so that an answer that comes too late is merely not sent.
        _ = message.api.pointee.message_ref(message.raw)
    }

    deinit {
        _ = message.api.pointee.message_unref(message.raw)
    }

    /// Answers with values.
    func answer(_ values: [BusArgument] = []) {
        var made: OpaquePointer?
        guard message.api.pointee.message_new_method_return(message.raw, &made) >= 0, let reply = made else { return }
        guard values.allSatisfy({ $0.append(to: reply, message.api) }) else {
            _ = message.api.pointee.message_unref(reply)
            return fail(.failed, "The answer cannot be put into words.")
        }
        send(reply)
    }

    /// Answers with an error.
    func fail(_ failure: Failure, _ text: String) {
        ("org.freedesktop.DBus.Error." + failure.rawValue).withCString { name in
            text.withCString { text in
                var error = sd_bus_error(name: name, message: text, _need_free: 0)
                var made: OpaquePointer?
                guard message.api.pointee.message_new_method_error(message.raw, &made, &error) >= 0, let reply = made
                else { return }
                send(reply)
            }
        }
    }

    private func send(_ reply: OpaquePointer) {
        _ = message.api.pointee.send(bus, reply, nil)
        _ = message.api.pointee.message_unref(reply)
    }
}

extension BusConnection {
    /// Has calls to a path answered, as long as the connection lasts; false if that cannot be.
    func serve(_ path: String, handler: @escaping (BusCall) -> Void) -> Bool {
        let object = BusObject(self, handler)
        // SAFETY: `objects` keeps it until the connection is closed.
        let context = Unmanaged.passUnretained(object).toOpaque()
        guard api.pointee.add_object(raw, nil, path, objectCalled, context) >= 0 else { return false }
        objects.append(object)
        return true
    }

    /// Tells everybody who listens.
    func emit(_ member: String, of interface: String, at path: String, _ arguments: [BusArgument]) {
        var made: OpaquePointer?
        guard api.pointee.message_new_signal(raw, &made, path, interface, member) >= 0, let message = made else {
            return
        }
        defer { _ = api.pointee.message_unref(message) }
        guard arguments.allSatisfy({ $0.append(to: message, api) }) else { return }
        _ = api.pointee.send(raw, message, nil)
    }

    /// What became of the wish for a name.
    enum Naming {
        /// It is ours.
        case ours
        /// Somebody else has it.
        case taken
        /// We are not to have it, or the bus does not say.
        case refused
    }

    /// Asks the bus for a name by which others find us, without waiting in a queue for it.
    func request(name: String, completion: @escaping (Naming) -> Void) {
        let (bus, path, withoutQueue) = ("org.freedesktop.DBus", "/org/freedesktop/DBus", UInt32(4))
        call(
            bus, path: path, interface: bus, method: "RequestName", arguments: [.text(name), .bits(withoutQueue)]
        ) { reply in
            guard case .answer(let message) = reply, let code = message.number() else { return completion(.refused) }
            // 1: from now on, 4: already.
            completion(code == 1 || code == 4 ? .ours : .taken)
        }
    }
}

private func objectCalled(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    // SAFETY: kept by its connection until that is closed.
    let object = Unmanaged<BusObject>.fromOpaque(context).takeUnretainedValue()
    object.handler(BusCall(BusMessage(message, api: object.api), over: object.bus))
    return 1
}
