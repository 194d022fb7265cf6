internal import AudioHost
internal import AudioSession
internal import CAVAudioSession
internal import SessionPolicy

// Routes. What each function does is documented in avaudiosession.h.

/// Returns the session's route, or the one that it would have if it was active.
@c @implementation
public func avas_session_get_route(_ session: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let route = try Failure.of { () throws(SessionError) in
            try Library.session.checkServices()
            let settings = Library.session.settings
            return try Library.session.ask { host throws(SessionError) in try host.route(under: settings) }
        }
        return Library.routes.add(RouteObject(route))
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
