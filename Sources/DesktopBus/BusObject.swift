internal import CSystemdBus

/// An object of this process at a path, which peers can call.
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

/// A call by a peer that expects an answer; used on the bus's thread, and answered once, now or later.
///
/// Without an answer its caller waits for its own timeout.
final class BusCall {
    /// The D-Bus errors that are returned, each under `org.freedesktop.DBus.Error.`.
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

    /// The call's message, to be read in the handler.
    let message: BusMessage
    private let bus: OpaquePointer

    fileprivate init(_ message: BusMessage, over bus: OpaquePointer) {
        self.message = message
        self.bus = bus
        // The message also holds its connection, so a late answer has no effect.
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
    /// Registers a handler for calls to a path, as long as the connection lasts; false on failure.
    func serve(_ path: String, handler: @escaping (BusCall) -> Void) -> Bool {
        let object = BusObject(self, handler)
        // SAFETY: `objects` holds it until the connection is closed.
        let context = Unmanaged.passUnretained(object).toOpaque()
        guard api.pointee.add_object(raw, nil, path, objectCalled, context) >= 0 else { return false }
        objects.append(object)
        return true
    }

    /// Emits a signal to all listeners.
    func emit(_ member: String, of interface: String, at path: String, _ arguments: [BusArgument]) {
        var made: OpaquePointer?
        guard api.pointee.message_new_signal(raw, &made, path, interface, member) >= 0, let message = made else {
            return
        }
        defer { _ = api.pointee.message_unref(message) }
        guard arguments.allSatisfy({ $0.append(to: message, api) }) else { return }
        _ = api.pointee.send(raw, message, nil)
    }

    /// The result of a request for a name.
    enum Naming {
        /// This connection owns the name.
        case ours
        /// Another connection owns the name.
        case taken
        /// The bus refused, or did not answer.
        case refused
    }

    /// Requests a well-known name from the bus, without queueing for it.
    func request(name: String, completion: @escaping (Naming) -> Void) {
        let (bus, path, withoutQueue) = ("org.freedesktop.DBus", "/org/freedesktop/DBus", UInt32(4))
        call(
            bus, path: path, interface: bus, method: "RequestName", arguments: [.text(name), .bits(withoutQueue)]
        ) { reply in
            guard case .answer(let message) = reply, let code = message.number() else { return completion(.refused) }
            // 1: the connection is the new owner, 4: it was the owner already.
            completion(code == 1 || code == 4 ? .ours : .taken)
        }
    }
}

private func objectCalled(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    // SAFETY: held by its connection until that is closed.
    let object = Unmanaged<BusObject>.fromOpaque(context).takeUnretainedValue()
    object.handler(BusCall(BusMessage(message, api: object.api), over: object.bus))
    return 1
}
