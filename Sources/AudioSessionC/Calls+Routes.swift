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
        let route = try Library.ask(session) { host, settings throws(SessionError) in
            try host.route(under: settings)
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
        let route = try Library.ask(session) { host, settings throws(SessionError) in
            let ports = try host.ports()
            let inputs = ports.inputs.filter { settings.allowsInput && settings.allowsInput(from: $0.kind) }
            return Route(inputs: inputs, outputs: settings.allowsOutput ? ports.outputs : [])
        }
        return Library.routes.add(RouteObject(route))
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
        guard let read = deviceValue(number) else {
            throw Failure(AVAS_ERROR_ARGUMENT, "There is no number \(number).")
        }
        let measuring = [AVAS_NUMBER_BUFFER_DURATION, AVAS_NUMBER_INPUT_LATENCY, AVAS_NUMBER_OUTPUT_LATENCY]
            .contains(number)
        value.pointee = try Library.ask(session) { host, settings throws(SessionError) in
            read(try host.hardware(under: settings, measuring: measuring).used(by: settings))
        }
        return 0
    }
}

/// The value behind one of `AVAS_NUMBER_`; nil if there is none.
private func deviceValue(_ number: Int32) -> ((HardwareFacts) -> Double)? {
    switch number {
    case AVAS_NUMBER_SAMPLE_RATE: { Double($0.rate) }
    case AVAS_NUMBER_BUFFER_DURATION: { $0.buffer }
    case AVAS_NUMBER_INPUT_LATENCY: { $0.input?.latency ?? 0 }
    case AVAS_NUMBER_OUTPUT_LATENCY: { $0.output?.latency ?? 0 }
    case AVAS_NUMBER_INPUT_CHANNELS: { Double($0.input?.channels ?? 0) }
    case AVAS_NUMBER_OUTPUT_CHANNELS: { Double($0.output?.channels ?? 0) }
    case AVAS_NUMBER_INPUT_VOLUME: { min(1, $0.input?.volume ?? 0) }
    case AVAS_NUMBER_OUTPUT_VOLUME: { min(1, $0.output?.volume ?? 0) }
    default: nil
    }
}
