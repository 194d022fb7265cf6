internal import AudioHost
internal import AudioSession
package import SessionPolicy

// Other apps' sound, and its effect on this session.

extension AVAudioSession {
    /// Whether another program is heard: the session of another app, or a program outside the library.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; false without one. Does not activate the session.
    ///
    /// Apple: `AVAudioSession.isOtherAudioPlaying`.
    public var isOtherAudioPlaying: Bool {
        guard core.standing != .lost else { return false }
        return (try? core.ask { host throws(SessionError) in try host.isOtherAudioPlaying() }) ?? false
    }

    /// Whether secondary sound should be silent, because another app's primary sound is heard: that of a session that
    /// does not mix.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; false without one. Does not activate the session.
    ///
    /// Apple: `AVAudioSession.secondaryAudioShouldBeSilencedHint`.
    public var secondaryAudioShouldBeSilencedHint: Bool {
        guard core.standing != .lost else { return false }
        return (try? core.ask { $0.others.silencesSecondaryAudio }) ?? false
    }

    /// Whether a call does not interrupt the session before it is accepted; initially false.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.prefersNoInterruptionsFromSystemAlerts`.
    public var prefersNoInterruptionsFromSystemAlerts: Bool { core.preferences.noInterruptionsFromSystemAlerts }

    /// Sets whether a ringing call does not interrupt the session; alarms always interrupt.
    ///
    /// Any thread; returns at once. A call of a program outside the library counts as ringing while it plays and does
    /// not record. Throws `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPrefersNoInterruptionsFromSystemAlerts(_:)`.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        try prefer { $0.noInterruptionsFromSystemAlerts = inValue }
    }

    /// Whether the loss of the device that the session plays on interrupts the session; initially true.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.prefersInterruptionOnRouteDisconnect`.
    public var prefersInterruptionOnRouteDisconnect: Bool { core.preferences.interruptionOnRouteDisconnect }

    /// Sets whether the loss of the device that the session plays on interrupts the session.
    ///
    /// Any thread; returns at once. The interruption requires category `playback` without mixing, and a running player;
    /// other sessions only get a route change. Throws `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setPrefersInterruptionOnRouteDisconnect(_:)`.
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try prefer { $0.interruptionOnRouteDisconnect = inValue }
    }

    /// Whether system sounds and haptics go on while the session records; initially false.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.allowHapticsAndSystemSoundsDuringRecording`.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool { core.preferences.systemSoundsDuringRecording }

    /// Sets whether system sounds of this app (`AudioToolbox`) are heard while the session records.
    ///
    /// Any thread; returns at once. Throws `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setAllowHapticsAndSystemSoundsDuringRecording(_:)`.
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        try prefer { $0.systemSoundsDuringRecording = inValue }
    }

    /// Whether the app has muted its output; initially false.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.isOutputMuted`.
    public var isOutputMuted: Bool { core.isOutputMuted }

    /// Mutes or unmutes the session's output; players go on.
    ///
    /// Any thread. On an active session it waits until other sessions can know, for 2 s at most. While muted, a session
    /// in mode `shortFormVideo` mixes with others; when unmuted it interrupts them.
    /// ``outputMuteStateChangeNotification`` follows. Throws an `NSError`: `incompatibleCategory` for category
    /// `playAndRecord` with a mode other than `default`, a change to which also unmutes, and `mediaServicesFailed` if
    /// the sound server is lost or does not answer.
    ///
    /// Apple: `AVAudioSession.setOutputMuted(_:)`.
    public func setOutputMuted(_ muted: Bool) throws {
        do throws(SessionError) { try core.setOutputMuted(muted) } catch { throw NSError(error) }
    }

    // MARK: Asynchronous activation

    /// Activates the session in the background; the handler is called on a queue of the library.
    ///
    /// Any thread; returns at once. Requests are carried out in the order of the calls. The handler receives whether
    /// the session is active and, if not, an error as of ``setActive(_:options:)``.
    ///
    /// Apple: `AVAudioSession.activate(options:completionHandler:)`.
    @preconcurrency
    public func activate(
        options: AVAudioSessionActivationOptions,
        completionHandler handler: @escaping @Sendable (_ activated: Bool, _ error: (any Error)?) -> Void
    ) {
        core.setActiveLater(true, notify: false) { handler($0 == nil, $0.map { NSError($0) }) }
    }

    /// Activates the session without blocking a thread; throws the errors of ``setActive(_:options:)``.
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

    /// Deactivates the session in the background; the handler is called on a queue of the library.
    ///
    /// Any thread; returns at once. The handler receives true, because the session is always inactive afterwards, and
    /// possibly an error as of ``setActive(_:options:)``.
    ///
    /// Apple: `AVAudioSession.deactivate(options:completionHandler:)`.
    @preconcurrency
    public func deactivate(
        options: AVAudioSessionDeactivationOptions,
        completionHandler handler: @escaping @Sendable (_ deactivated: Bool, _ error: (any Error)?) -> Void
    ) {
        core.setActiveLater(false, notify: options.contains(.notifyOthersOnDeactivation)) {
            handler(true, $0.map { NSError($0) })
        }
    }

    /// Deactivates the session without blocking a thread; throws the errors of ``setActive(_:options:)``.
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

    /// The value of `avaudiosession.owner` by which streams of other processes belong to this session; connects.
    package var owner: String {
        get throws { try core.connected().facts.owner }
    }

    /// Silences the streams of the command for which this program holds the session (``owner``), or ends that.
    ///
    /// From the first call on these calls decide, and not the session's state.
    ///
    /// Waits for the connection, for 2 s at most; without a server it has no effect.
    package func silenceCommand(_ isSilent: Bool) { try? core.ask { $0.perform(.silenceCommand(isSilent)) } }

    /// Unmutes the streams of the command, and waits until they are heard, on a connected server for 1 s at most.
    package func releaseCommand() { try? core.ask { $0.perform(.releaseCommand) } }

    /// All sessions on the server, this one and inactive ones included; waits for the server, and is empty without one.
    package var participants: [Participant] { (try? core.ask { $0.others.participants }) ?? [] }
}
