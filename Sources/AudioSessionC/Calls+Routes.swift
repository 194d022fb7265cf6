internal import AudioHost
internal import AudioSession
internal import CAVAudioSession
internal import Glibc
internal import SessionPolicy

// Routes. What each function does is documented in avaudiosession.h.

/// Returns the session's route, or the one that it would have if it was active.
@c @implementation
public func avas_session_get_route(_ session: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in
        try Library.answer(session, .route).route.flatMap { Library.routes.add($0) }
    }
}

/// Adds a reference to a route, and returns it.
@c @implementation
public func avas_route_ref(_ route: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in
        _ = try Library.route(route)
        return Library.routes.retain(route) ? route : nil
    }
}

/// Releases a reference to a route.
@c @implementation
public func avas_route_unref(_ route: OpaquePointer?) {
    if !session_shims_is_forked() { Library.routes.release(route) }
}

/// Returns the number of ports, of AVAS_OUTPUT or AVAS_INPUT.
@c @implementation
public func avas_route_get_count(_ route: OpaquePointer?, _ direction: Int32) -> Int32 {
    Failure.noting { () throws(Failure) in Int32(clamping: try Library.route(route).ports(direction).count) }
}

/// Returns the type of a port, in Apple's words.
@c @implementation
public func avas_route_get_port_type(
    _ route: OpaquePointer?, _ direction: Int32, _ index: Int32
) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in try Library.route(route).port(direction, index).kind.pointer }
}

/// Returns the name of a port, for people.
@c @implementation
public func avas_route_get_port_name(
    _ route: OpaquePointer?, _ direction: Int32, _ index: Int32
) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in try Library.route(route).port(direction, index).name.pointer }
}

/// Returns the identifier of a port, which a device has again when it returns.
@c @implementation
public func avas_route_get_port_uid(
    _ route: OpaquePointer?, _ direction: Int32, _ index: Int32
) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in try Library.route(route).port(direction, index).uid.pointer }
}

/// Returns the number of channels of a port.
@c @implementation
public func avas_route_get_port_channels(_ route: OpaquePointer?, _ direction: Int32, _ index: Int32) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.route(route).port(direction, index).channels }
}

/// Returns the route in JSON.
@c @implementation
public func avas_route_copy_json(_ route: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    Failure.noting { () throws(Failure) in
        guard let text = strdup(try Library.route(route).json) else { throw .noMemory }
        return text
    }
}

// MARK: Devices

/// Returns the ports that the session could use.
@c @implementation
public func avas_session_get_available(_ session: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in
        try Library.answer(session, .available).route.flatMap { Library.routes.add($0) }
    }
}

/// Stores a value of the session's devices in *value.
@c @implementation
public func avas_session_get_number(
    _ session: OpaquePointer?, _ number: Int32, _ value: UnsafeMutablePointer<Double>?
) -> Int32 {
    Failure.noting { () throws(Failure) in
        guard let value else { throw .missing(nil, "place for the value") }
        value.pointee = 0
        _ = try Library.handle(session)
        guard let number = DeviceNumber(number) else {
            throw Failure(AVAS_ERROR_ARGUMENT, "There is no number \(number).")
        }
        value.pointee = try Library.answer(session, .number(number)).value
        return 0
    }
}

/// Asks in the background, and answers with an event.
@c @implementation
public func avas_session_ask_async(_ session: OpaquePointer?, _ question: Int32, _ cookie: UInt64) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        guard let asked = Question(question) else {
            throw Failure(AVAS_ERROR_ARGUMENT, "There is no question \(question).")
        }
        Library.run(on: Library.questions, for: handle, cookie) { () throws(SessionError) in try asked.ask() }
        return 0
    }
}
