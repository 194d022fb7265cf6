internal import AudioHost
internal import Locks
package import SessionPolicy

// What an app's call of the session does, whatever names its interface gives it.

extension Session {
    /// Activates or deactivates the session for a call of the app.
    ///
    /// Asynchronous calls made before are finished first. Waits for the sound server, for 2 s at most for all of it.
    /// Throws the errors of ``activate(implicitly:)`` and ``deactivate(notify:)``.
    package func setActive(_ active: Bool, notify: Bool) throws(SessionError) {
        try CallDeadline.share { () throws(SessionError) in
            work.settle()
            try change(to: active, notify: notify)
        }
    }

    /// Activates or deactivates the session in the background, in the order of the calls; returns at once.
    ///
    /// - Parameter answer: Called on a queue of the library, with the error or nil.
    package func setActiveLater(
        _ active: Bool, notify: Bool, then answer: @escaping @Sendable (SessionError?) -> Void
    ) {
        work.run { [self] () -> SessionError? in
            do throws(SessionError) { try change(to: active, notify: notify) } catch { return error }
            return nil
        } then: {
            answer($0)
        }
    }

    private func change(to active: Bool, notify: Bool) throws(SessionError) {
        try StepTrace.measure(active ? .activate : .deactivate) { () throws(SessionError) in
            if active { try activate(implicitly: false) } else { try deactivate(notify: notify) }
        }
    }
}
