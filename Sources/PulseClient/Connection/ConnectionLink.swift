internal import CPulse

/// The C object behind a connection, with its callbacks and pending requests.
///
/// Not part of the actor, so that the actor needs no `deinit`: an isolated one in another module stops Swift 6.3's
/// optimizer with "circular reference". This object is released with its connection, and then clears the callbacks
/// under the loop's lock.
// Only touched with the loop's lock held. The weak reference is nil while the connection is being released, so a
// callback at that moment has no effect.
final class ConnectionLink {
    private let mainloop: Mainloop
    private weak var connection: PulseConnection?
    private(set) var context: OpaquePointer?
    let requests = RequestTable()

    init(mainloop: Mainloop) { self.mainloop = mainloop }

    deinit {
        mainloop.withLock {
            release()
            requests.failAll(.connectionTerminated)
        }
    }

    func adopt(_ context: OpaquePointer, of connection: PulseConnection) {
        self.context = context
        self.connection = connection
        // SAFETY: `release()` clears the callbacks before this object is released.
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        pa_context_set_state_callback(context, contextStateChanged, userdata)
        pa_context_set_subscribe_callback(context, subscribedObjectChanged, userdata)
    }

    func release() {
        guard let context else { return }
        self.context = nil
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        if mainloop.isOnLoop {
            // It may be in a callback of a stream, after which libpulse goes on with the context, and aborts without one.
            mainloop.afterCallbacks { Self.disconnect(context) }
        } else {
            Self.disconnect(context)
        }
    }

    private static func disconnect(_ context: OpaquePointer) {
        pa_context_disconnect(context)
        pa_context_unref(context)
    }

    fileprivate static func connection(_ userdata: UnsafeMutableRawPointer?) -> PulseConnection? {
        // SAFETY: the link clears its callbacks before it is released.
        userdata.map { Unmanaged<ConnectionLink>.fromOpaque($0).takeUnretainedValue() }?.connection
    }
}

// File-scope functions: a closure literal would inherit the isolation of its surroundings, and check it at run time.

private func contextStateChanged(_: OpaquePointer?, userdata: UnsafeMutableRawPointer?) {
    ConnectionLink.connection(userdata)?.assumeIsolated { $0.contextChanged() }
}

private func subscribedObjectChanged(
    _: OpaquePointer?, type: pa_subscription_event_type_t, index: UInt32, userdata: UnsafeMutableRawPointer?
) {
    guard let event = SubscriptionEvent(type, index: index) else { return }
    ConnectionLink.connection(userdata)?.assumeIsolated { $0.changed(event) }
}
