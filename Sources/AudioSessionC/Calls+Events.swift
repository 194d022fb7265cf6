internal import AudioSession
internal import CAVAudioSession

// Events. What each function does is documented in avaudiosession.h.

/// Returns the handle's descriptor, which is readable while the queue has events.
@c @implementation
public func avas_session_get_fd(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.handle(session).descriptor }
}

/// Takes the oldest event out of the handle's queue.
@c @implementation
public func avas_session_next_event(_ session: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in try Library.handle(session).next().flatMap { Library.events.add($0) } }
}

/// Waits until the queue has an event, for programs without an event loop.
@c @implementation
public func avas_session_wait(_ session: OpaquePointer?, _ timeout: Int32) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.handle(session).wait(milliseconds: timeout) ? 1 : 0 }
}

/// Takes the events that are in the queue now, calls function(event, user) for each on the calling thread, and returns
/// their number.
@c @implementation
public func avas_session_dispatch(
    _ session: OpaquePointer?,
    _ function: (@convention(c) (_ event: OpaquePointer?, _ user: UnsafeMutableRawPointer?) -> Void)?,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        guard let function else { throw Failure(AVAS_ERROR_ARGUMENT, "The function is NULL.") }
        var count: Int32 = 0
        // Those that were there at the call: others may come for as long as the function runs.
        for _ in 0..<handle.count {
            guard let event = handle.next().flatMap({ Library.events.add($0) }) else { break }
            function(event, user)
            Library.events.release(event)
            count += 1
        }
        return count
    }
}

/// Adds a reference to an event, and returns it.
@c @implementation
public func avas_event_ref(_ event: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in
        _ = try Library.event(event)
        return Library.events.retain(event) ? event : nil
    }
}

/// Releases a reference to an event.
@c @implementation
public func avas_event_unref(_ event: OpaquePointer?) {
    if !session_shims_is_forked() { Library.events.release(event) }
}

/// Returns one of AVAS_EVENT_.
@c @implementation
public func avas_event_get_type(_ event: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.event(event).type }
}

/// Returns when it happened, in nanoseconds of CLOCK_MONOTONIC.
@c @implementation
public func avas_event_get_time(_ event: OpaquePointer?) -> UInt64 {
    Failure.noting { () throws(Failure) in try Library.event(event).time } ?? 0
}

/// Returns a reason, of interruptions and route changes.
@c @implementation
public func avas_event_get_reason(_ event: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.event(event).reason }
}

/// Returns the flag, 0 or 1, as the event's type says.
@c @implementation
public func avas_event_get_flag(_ event: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.event(event).flag ? 1 : 0 }
}

/// Returns the cookie of an answer.
@c @implementation
public func avas_event_get_cookie(_ event: OpaquePointer?) -> UInt64 {
    Failure.noting { () throws(Failure) in try Library.event(event).cookie } ?? 0
}

/// Returns the result of an asynchronous call, 0 or one of AVAS_ERROR_.
@c @implementation
public func avas_event_get_error(_ event: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.event(event).error }
}

/// Returns one sentence about the error of an asynchronous call.
@c @implementation
public func avas_event_get_error_message(_ event: OpaquePointer?) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in try Library.event(event).errorMessage?.pointer }
}

/// Returns the name of the program that interrupted.
@c @implementation
public func avas_event_get_application(_ event: OpaquePointer?) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in try Library.event(event).application?.pointer }
}

/// Returns the process ID of the program that interrupted.
@c @implementation
public func avas_event_get_pid(_ event: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in try Library.event(event).pid }
}

/// Returns the value of a reply to a question.
@c @implementation
public func avas_event_get_value(_ event: OpaquePointer?) -> Double {
    Failure.noting { () throws(Failure) in try Library.event(event).value } ?? 0
}

/// Returns the route of a reply to a question.
@c @implementation
public func avas_event_get_route(_ event: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in try Library.event(event).route.flatMap { Library.routes.add($0) } }
}

/// Returns the route before a change.
@c @implementation
public func avas_event_get_previous_route(_ event: OpaquePointer?) -> OpaquePointer? {
    Failure.noting { () throws(Failure) in try Library.event(event).previous.flatMap { Library.routes.add($0) } }
}
