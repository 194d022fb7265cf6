internal import AudioHost
internal import AudioSession
package import SessionPolicy

// What other apps do, and what they may do to this one.

extension AVAudioSession {
    /// Whether any other program is heard: sessions of other apps, and programs that know nothing of sessions.
    ///
    /// Asks the sound server, for at most two seconds; false without one. Asking does not activate the session.
    ///
    /// Apple: `AVAudioSession.isOtherAudioPlaying`.
    public var isOtherAudioPlaying: Bool {
        guard core.standing != .lost, let host = try? core.connected() else { return false }
        return (try? host.isOtherAudioPlaying()) ?? false
    }

    /// Whether sound that only decorates should be left out, because another app's main sound is heard: that of a
    /// session that does not mix.
    ///
    /// Asks the sound server, for at most two seconds; false without one. Asking does not activate the session.
    ///
    /// Apple: `AVAudioSession.secondaryAudioShouldBeSilencedHint`.
    public var secondaryAudioShouldBeSilencedHint: Bool {
        guard core.standing != .lost, let host = try? core.connected() else { return false }
        return host.others.silencesSecondaryAudio
    }

    /// Whether a call that only rings leaves the session alone until it is accepted; at first false.
    ///
    /// Apple: `AVAudioSession.prefersNoInterruptionsFromSystemAlerts`.
    public var prefersNoInterruptionsFromSystemAlerts: Bool { core.preferences.noInterruptionsFromSystemAlerts }

    /// Says whether a call that only rings leaves the session alone; alarms interrupt all the same.
    ///
    /// A call of a program outside the library rings while it plays and does not record. Throws
    /// `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPrefersNoInterruptionsFromSystemAlerts(_:)`.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        try prefer { $0.noInterruptionsFromSystemAlerts = inValue }
    }

    /// Whether the session is interrupted when the device that it plays on is disconnected; at first true.
    ///
    /// Apple: `AVAudioSession.prefersInterruptionOnRouteDisconnect`.
    public var prefersInterruptionOnRouteDisconnect: Bool { core.preferences.interruptionOnRouteDisconnect }

    /// Says whether the session is interrupted when the device that it plays on is disconnected.
    ///
    /// It is, if its category is `playback`, it does not mix, and a player of it runs; others are told of the route
    /// only. Throws `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPrefersInterruptionOnRouteDisconnect(_:)`.
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try prefer { $0.interruptionOnRouteDisconnect = inValue }
    }

    /// Whether haptics and system sounds go on while the session records; at first false.
    ///
    /// Apple: `AVAudioSession.allowHapticsAndSystemSoundsDuringRecording`.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool { core.preferences.systemSoundsDuringRecording }

    /// Says whether system sounds of this app (`AudioToolbox`) are heard while the session records; throws
    /// `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setAllowHapticsAndSystemSoundsDuringRecording(_:)`.
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        try prefer { $0.systemSoundsDuringRecording = inValue }
    }

    /// Whether the app muted its output; at first false.
    ///
    /// Apple: `AVAudioSession.isOutputMuted`.
    public var isOutputMuted: Bool { core.isOutputMuted }

    /// Silences the session's output, or lets it be heard again; players go on all the same.
    ///
    /// A session in the mode `shortFormVideo` mixes with others while it is muted, and interrupts them when it is muted
    /// no more. ``outputMuteStateChangeNotification`` follows. Throws an `NSError` with `incompatibleCategory` in
    /// category `playAndRecord` with another mode than `default`; a change to such a mode unmutes.
    ///
    /// Apple: `AVAudioSession.setOutputMuted(_:)`.
    public func setOutputMuted(_ muted: Bool) throws {
        do throws(SessionError) { try core.setOutputMuted(muted) } catch { throw NSError(error) }
    }

    // MARK: Activation without blocking

    /// Activates the session without blocking the caller; `completionHandler` is called on another thread.
    ///
    /// It gets whether the session is active and, if not, an error as of ``setActive(_:options:)``.
    ///
    /// Apple: `AVAudioSession.activate(options:completionHandler:)`.
    @preconcurrency
    public func activate(
        options: AVAudioSessionActivationOptions,
        completionHandler handler: @escaping @Sendable (_ activated: Bool, _ error: (any Error)?) -> Void
    ) {
        core.work.run { [core] () -> SessionError? in
            do throws(SessionError) { try core.activate(implicitly: false) } catch { return error }
            return nil
        } then: {
            handler($0 == nil, $0.map { NSError($0) })
        }
    }

    /// Activates the session without blocking a thread; throws as ``setActive(_:options:)`` does.
    ///
    /// Apple: `AVAudioSession.activate(options:)`.
    @discardableResult
    public func activate(options: AVAudioSessionActivationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            activate(options: options) { activated, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: activated) }
            }
        }
    }

    /// Deactivates the session without blocking the caller; `completionHandler` is called on another thread.
    ///
    /// It gets whether the session is inactive, which it always is afterwards, and an error as of
    /// ``setActive(_:options:)``.
    ///
    /// Apple: `AVAudioSession.deactivate(options:completionHandler:)`.
    @preconcurrency
    public func deactivate(
        options: AVAudioSessionDeactivationOptions,
        completionHandler handler: @escaping @Sendable (_ deactivated: Bool, _ error: (any Error)?) -> Void
    ) {
        core.work.run { [core] () -> SessionError? in
            let notify = options.contains(.notifyOthersOnDeactivation)
            do throws(SessionError) { try core.deactivate(notify: notify) } catch { return error }
            return nil
        } then: {
            handler(true, $0.map { NSError($0) })
        }
    }

    /// Deactivates the session without blocking a thread; throws as ``setActive(_:options:)`` does.
    ///
    /// Apple: `AVAudioSession.deactivate(options:)`.
    @discardableResult
    public func deactivate(options: AVAudioSessionDeactivationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            deactivate(options: options) { deactivated, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: deactivated)
                }
            }
        }
    }

    /// What streams of other processes must carry as `avaudiosession.owner` to belong to this session; connects.
    package var owner: String {
        get throws { try core.connected().facts.owner }
    }

    /// Silences the streams of the command for which this program holds the session (``owner``), or lets them be heard;
    /// from the first call on it is this that decides, and not the session's state.
    ///
    /// Blocks for at most two seconds, where the server has to be connected to. It does nothing without one.
    package func silenceCommand(_ isSilent: Bool) { (try? core.connected())?.perform(.silenceCommand(isSilent)) }

    /// Lets the streams of the command be heard, and waits until they are; for at most a second on a connected server.
    package func releaseCommand() { (try? core.connected())?.perform(.releaseCommand) }

    /// All sessions on the server, this one included, whether active or not; empty without a server, which is asked.
    package var participants: [Participant] { (try? core.connected().others.participants) ?? [] }
}
