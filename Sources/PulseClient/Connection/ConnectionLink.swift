internal import CPulse

/// The C object behind a connection, with its callbacks and pending requests.
///
/// It is not part of the actor, so that the actor needs no `deinit` of its own: an isolated one in another module stops
/// Swift 6.3's optimiser with "circular reference". When the last reference to a connection goes, this object goes with
/// it, and takes the callbacks back under the loop's lock.
// Only touched with the loop's lock held. The weak reference is nil while the connection is going away, so a
// callback that comes at that moment finds nobody.
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
        // SAFETY: `release()` takes the callbacks back before this object goes away.
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        pa_context_set_state_callback(context, contextStateChanged, userdata)
        pa_context_set_subscribe_callback(context, subscribedObjectChanged, userdata)
    }

    func release() {
        guard let context else { return }
        self.context = nil
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
    }

    fileprivate static func connection(_ userdata: UnsafeMutableRawPointer?) -> PulseConnection? {
        // SAFETY: the link takes its callbacks back before it goes away.
        userdata.map { Unmanaged<ConnectionLink>.fromOpaque($0).takeUnretainedValue() }?.connection
    }
}

// File-scope functions: a closure literal would be isolated to wherever it is written, and checked at run time for it.

private func contextStateChanged(_: OpaquePointer?, userdata: UnsafeMutableRawPointer?) {
    ConnectionLink.connection(userdata)?.assumeIsolated { $0.contextChanged() }
}

private func subscribedObjectChanged(
    _: OpaquePointer?, type: pa_subscription_event_type_t, index: UInt32, userdata: UnsafeMutableRawPointer?
) {
    guard let event = SubscriptionEvent(type, index: index) else { return }
    ConnectionLink.connection(userdata)?.assumeIsolated { $0.changed(event) }
}
