internal import Foundation
internal import SessionPolicy
internal import SoundHost

/// The imperative half of a session: feeds the policy one input at a time, and carries out what it answers.
///
/// Two locks, and the order in which they may be taken: `operations`, held by an app's thread for as long as one call
/// lasts, waiting for the server included; then the main loop's; then `lock`, a leaf, held only around the policy's
/// pure functions. Events from the loop's thread take the last one only, so they never wait for an app's thread.
// SAFETY: `machine`, `host`, `participants` and `epoch` are guarded by `lock`.
final class SessionShell: @unchecked Sendable {
    private let lock = NSLock()
    private let operations = NSRecursiveLock()
    private let server: String?
    private var machine = SessionMachine()
    private var host: PulseHost?
    private var participants: [ObjectIdentifier: WeakParticipant] = [:]
    private var preferredInputName: String?
    /// Counts the servers that were lost: what belongs to an earlier one is dead.
    private var epochCount = 0
    /// Posts notifications, with the session as their object.
    weak var session: AVAudioSession?

    init(server: String?) { self.server = server }

    // MARK: What the app asks

    var settings: SessionSettings { lock.withLock { machine.settings } }
    var state: SessionMachine.State { lock.withLock { machine.state } }
    var epoch: Int { lock.withLock { epochCount } }

    /// The source that recordings come from; nil for the server's default.
    var preferredInput: String? {
        get { lock.withLock { preferredInputName } }
        set { lock.withLock { preferredInputName = newValue } }
    }

    /// Validates and takes over new settings.
    func configure(_ change: (SessionSettings) throws(SessionError) -> SessionSettings) throws(SessionError) {
        operations.lock()
        defer { operations.unlock() }
        let (isLost, settings) = lock.withLock { (machine.state == .lost, machine.settings) }
        if isLost { throw SessionError(.mediaServicesFailed, "The sound server is gone; wait for its return.") }
        let new = try change(settings)
        perform(lock.withLock { machine.configure(new) })
    }

    /// Activates the session against the server and returns the host; does nothing more if it is active already.
    @discardableResult
    func activate(implicitly: Bool) throws(SessionError) -> PulseHost {
        operations.lock()
        defer { operations.unlock() }
        let prepared = lock.withLock { Result { () throws(SessionError) in try machine.prepareActivation() } }
        let host = openedHost()
        if try prepared.get() {
            try host.open()
            if settings.allowsInput, try !host.hasInput() {
                throw SessionError(.resourceNotAvailable, "There is nothing to record from: the server has no source.")
            }
        }
        perform(lock.withLock { machine.activated(implicitly: implicitly) })
        return host
    }

    /// Deactivates the session; it is inactive afterwards even if the call throws.
    func deactivate() throws(SessionError) {
        operations.lock()
        defer { operations.unlock() }
        let (effects, error) = lock.withLock { machine.deactivate() }
        perform(effects)
        if let error { throw error }
    }

    /// Connects to the server without activating, to ask it something.
    func connected() throws(SessionError) -> PulseHost {
        operations.lock()
        defer { operations.unlock() }
        let host = openedHost()
        try host.open()
        return host
    }

    private func openedHost() -> PulseHost {
        lock.withLock {
            if let host { return host }
            let made = PulseHost(server: server) { [weak self] in self?.received($0) }
            host = made
            return made
        }
    }

    private var currentHost: PulseHost? { lock.withLock { host } }

    // MARK: What happens

    private func received(_ event: HostEvent) { perform(lock.withLock { machine.received(event) }) }

    private func perform(_ effects: [Effect]) {
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .interruptIO: currentHost?.stopIO(interrupting: true)
        case .stopIO: currentHost?.stopIO(interrupting: false)
        case .closeIO: currentHost?.closeIO()
        case .abandonIO:
            lock.withLock {
                epochCount += 1
                preferredInputName = nil
            }
        case .applyRoles:
            // The settings are taken over all the same: a stream that could not be made anew says so when it is used.
            try? currentHost?.changeOutput(role: settings.role)
        case .startIdleTimer(let number, let seconds):
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                guard let self else { return }
                self.operations.lock()
                defer { self.operations.unlock() }
                self.received(.idleTimerFired(number: number))
            }
        case .post(let notification): post(notification)
        }
    }

    // MARK: Telling

    /// Tells of something on the main queue, where apps written for Apple's systems expect it.
    ///
    /// An operation, not a block or a main-actor task: an observer that was added with `queue: .main` would deadlock
    /// behind those.
    private func post(_ notification: SessionNotification) {
        let participants = liveParticipants
        OperationQueue.main.addOperation { [self] in
            let (name, userInfo) = notification.posted
            NotificationCenter.default.post(name: name, object: session, userInfo: userInfo)
            switch notification {
            case .interruptionBegan: for participant in participants { participant.interruptionBegan() }
            case .interruptionEnded(let mayResume):
                for participant in participants { participant.interruptionEnded(shouldResume: mayResume) }
            case .servicesLost, .servicesReset: break
            }
        }
    }

    // MARK: Players and recorders

    /// Adds a player or recorder, to be told of interruptions while it lives.
    func add(_ participant: any SessionParticipant) {
        lock.withLock { participants[ObjectIdentifier(participant)] = WeakParticipant(value: participant) }
    }

    func remove(_ participant: any SessionParticipant) {
        lock.withLock { participants[ObjectIdentifier(participant)] = nil }
    }

    private var liveParticipants: [any SessionParticipant] { lock.withLock { participants.values.compactMap(\.value) } }

    private struct WeakParticipant { weak var value: (any SessionParticipant)? }
}

/// A player or recorder of the session.
protocol SessionParticipant: AnyObject, Sendable {
    /// On the main queue, after the notification.
    func interruptionBegan()
    /// On the main queue, after the notification.
    func interruptionEnded(shouldResume: Bool)
}

extension SessionNotification {
    /// The notification's name and user info, as Apple documents them: numbers are `NSNumber`.
    fileprivate var posted: (Notification.Name, [AnyHashable: Any]?) {
        switch self {
        case .interruptionBegan(let cause, _):
            let reason: AVAudioSession.InterruptionReason = cause == .inputMuted ? .builtInMicMuted : .default
            return (
                AVAudioSession.interruptionNotification,
                [
                    AVAudioSessionInterruptionTypeKey: NSNumber(value: AVAudioSession.InterruptionType.began.rawValue),
                    AVAudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
                ]
            )
        case .interruptionEnded(let mayResume):
            let options: AVAudioSession.InterruptionOptions = mayResume ? .shouldResume : []
            return (
                AVAudioSession.interruptionNotification,
                [
                    AVAudioSessionInterruptionTypeKey: NSNumber(value: AVAudioSession.InterruptionType.ended.rawValue),
                    AVAudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
                ]
            )
        case .servicesLost: return (AVAudioSession.mediaServicesWereLostNotification, nil)
        case .servicesReset: return (AVAudioSession.mediaServicesWereResetNotification, nil)
        }
    }
}
