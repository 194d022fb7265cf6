/// Hears of interruptions in the way of the first versions, before there were notifications; members may be left out.
///
/// All are called on the main queue.
///
/// Apple: `AVAudioSessionDelegate`, which `AVAudioSession.interruptionNotification` replaces since iOS 6.
public protocol AVAudioSessionDelegate: NSObjectProtocol {
    /// The session was interrupted, and is silent.
    ///
    /// Apple: `AVAudioSessionDelegate.beginInterruption()`.
    func beginInterruption()

    /// An interruption is over; `flags` is 1 if the app should go on with what it played, else 0.
    ///
    /// Apple: `AVAudioSessionDelegate.endInterruption(withFlags:)`.
    func endInterruption(withFlags flags: Int)

    /// An interruption is over; only called where ``endInterruption(withFlags:)`` was left out.
    ///
    /// Apple: `AVAudioSessionDelegate.endInterruption()`.
    func endInterruption()

    /// There is something to record from now, or there is nothing any more.
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

/// Tells a session's delegate, if the app has set one.
// SAFETY: everything mutable is guarded by `lock`.
final class SessionDelegateRelay: @unchecked Sendable {
    private let lock = NSLock()
    private weak var listener: (any AVAudioSessionDelegate)?
    private var hadInput: Bool?

    var delegate: (any AVAudioSessionDelegate)? {
        get { lock.withLock { listener } }
        set { lock.withLock { listener = newValue } }
    }

    /// On the main queue.
    func interruptionBegan() { delegate?.beginInterruption() }

    /// On the main queue.
    func interruptionEnded(shouldResume: Bool) { delegate?.endInterruption(withFlags: shouldResume ? 1 : 0) }

    /// There are other inputs than before; what is no news is not told, but for the first time.
    func inputsChanged(_ hasInput: Bool) {
        let isNews = lock.withLock {
            defer { hadInput = hasInput }
            return hadInput != hasInput
        }
        guard isNews else { return }
        Delivery.perform { [self] in delegate?.inputIsAvailableChanged(hasInput) }
    }
}
