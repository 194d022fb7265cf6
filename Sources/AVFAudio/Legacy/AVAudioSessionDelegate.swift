/// The delegate of a session in the first versions of the interface, which had no notifications.
///
/// All members are optional, and called on the main queue, or where `AVAudioSession.deliver(on:)` says.
///
/// Apple: `AVAudioSessionDelegate`, which `AVAudioSession.interruptionNotification` replaces since iOS 6.
public protocol AVAudioSessionDelegate: NSObjectProtocol {
    /// The session was interrupted, and is silent.
    ///
    /// Apple: `AVAudioSessionDelegate.beginInterruption()`.
    func beginInterruption()

    /// An interruption is over; `flags` is 1 if the app should resume, else 0.
    ///
    /// Apple: `AVAudioSessionDelegate.endInterruption(withFlags:)`.
    func endInterruption(withFlags flags: Int)

    /// An interruption is over; called if ``endInterruption(withFlags:)`` is not implemented.
    ///
    /// Apple: `AVAudioSessionDelegate.endInterruption()`.
    func endInterruption()

    /// The first source to record from appeared, or the last one disappeared.
    ///
    /// Apple: `AVAudioSessionDelegate.inputIsAvailableChanged(_:)`.
    func inputIsAvailableChanged(_ isInputAvailable: Bool)
}

extension AVAudioSessionDelegate {
    /// Does nothing.
    public func beginInterruption() {}

    /// Calls ``endInterruption()``.
    public func endInterruption(withFlags flags: Int) { endInterruption() }

    /// Does nothing.
    public func endInterruption() {}

    /// Does nothing.
    public func inputIsAvailableChanged(_ isInputAvailable: Bool) {}
}

/// The relay to a session's delegate, if the app has set one.
// SAFETY: everything mutable is guarded by `lock`.
final class SessionDelegateRelay: @unchecked Sendable {
    private let lock = NSLock()
    private weak var listener: (any AVAudioSessionDelegate)?
    private var hadInput: Bool?

    var delegate: (any AVAudioSessionDelegate)? {
        get { lock.withLock { listener } }
        set { lock.withLock { listener = newValue } }
    }

    /// Notifies the delegate of an interruption; on the main queue.
    func interruptionBegan() { delegate?.beginInterruption() }

    /// Notifies the delegate of the end of an interruption; on the main queue.
    func interruptionEnded(shouldResume: Bool) { delegate?.endInterruption(withFlags: shouldResume ? 1 : 0) }

    /// Notifies the delegate of the first change of the inputs, and later of changes of their existence.
    func inputsChanged(_ hasInput: Bool) {
        let isNews = lock.withLock {
            defer { hadInput = hasInput }
            return hadInput != hasInput
        }
        guard isNews else { return }
        Delivery.perform { [self] in delegate?.inputIsAvailableChanged(hasInput) }
    }
}
