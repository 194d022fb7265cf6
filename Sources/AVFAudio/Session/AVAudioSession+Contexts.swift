internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// What other systems than Linux have: a voice that is mixed into calls, a picker of routes before a film, sound in
// space. Here it is answered truly, and refused where the truth is that there is no such thing.

extension AVAudioSession {
    /// How long and how often a voice may speak now: not in a call, briefly while another app speaks, else as it likes.
    ///
    /// Asks the sound server, for at most two seconds; `normal` without one.
    ///
    /// Apple: `AVAudioSession.promptStyle`.
    public var promptStyle: AVAudioSession.PromptStyle {
        guard core.standing != .lost, let host = try? core.connected() else { return .normal }
        let others = host.others
        return others.isInCall ? .none : others.isSpeaking ? .short : .normal
    }

    /// Says whether the app should begin to play, and where; calls back on another thread.
    ///
    /// There is no picker: the answer is the route that the user has chosen for the system. It is `external` for an
    /// AirPlay receiver and `local` for all else. Without any output it is false and `none`.
    ///
    /// Apple: `AVAudioSession.prepareRouteSelectionForPlayback(completionHandler:)`.
    @preconcurrency
    public func prepareRouteSelectionForPlayback(
        completionHandler: @escaping @Sendable (_ shouldStartPlayback: Bool, AVAudioSession.RouteSelection) -> Void
    ) {
        core.work.run {
            self.currentRoute.outputs.first?.portType
        } then: { output in
            guard let output else { return completionHandler(false, .none) }
            completionHandler(true, output == .airPlay ? .external : .local)
        }
    }

    /// Says whether the app should begin to play, and where.
    ///
    /// Apple: `AVAudioSession.prepareRouteSelectionForPlayback()`.
    public func prepareRouteSelectionForPlayback() async -> (Bool, AVAudioSession.RouteSelection) {
        await withCheckedContinuation { continuation in
            prepareRouteSelectionForPlayback { continuation.resume(returning: ($0, $1)) }
        }
    }

    // MARK: Sound into calls

    /// What the app mixes into the microphone of calls: nothing.
    ///
    /// Apple: `AVAudioSession.preferredMicrophoneInjectionMode`.
    public var preferredMicrophoneInjectionMode: AVAudioSession.MicrophoneInjectionMode { .none }

    /// Throws `resourceNotAvailable` for anything but `none`: nothing here mixes into the calls of other apps.
    ///
    /// Apple: `AVAudioSession.setPreferredMicrophoneInjectionMode(_:)`.
    public func setPreferredMicrophoneInjectionMode(_ inValue: AVAudioSession.MicrophoneInjectionMode) throws {
        guard inValue != .none else { return }
        throw NSError(SessionError(.resourceNotAvailable, "Nothing here mixes into the calls of other apps."))
    }

    /// Whether the app can mix into the microphone of calls: never.
    ///
    /// Apple: `AVAudioSession.isMicrophoneInjectionAvailable`.
    public var isMicrophoneInjectionAvailable: Bool { false }

    // MARK: Sound in space, and the screen's player

    /// How the app's sound stands in space: not at all, which is `bypassed`.
    ///
    /// Apple: `AVAudioSession.intendedSpatialExperience`, on visionOS.
    public var intendedSpatialExperience: AVAudioSession.SpatialExperience { .bypassed }

    /// Throws `resourceNotAvailable` for anything but `bypassed`: nothing here knows where the listener's head is.
    ///
    /// Apple: `AVAudioSession.setIntendedSpatialExperience(_:)`, on visionOS.
    public func setIntendedSpatialExperience(_ intendedSpatialExperience: AVAudioSession.SpatialExperience) throws {
        guard intendedSpatialExperience != .bypassed else { return }
        throw NSError(SessionError(.resourceNotAvailable, "Nothing here places sound around the listener's head."))
    }

    /// Whether the desktop shows the app as a media player, once it says what it plays; at first true.
    ///
    /// Apple: `AVAudioSession.isNowPlayingCandidate`, on visionOS.
    public var isNowPlayingCandidate: Bool { core.preferences.nowPlayingCandidate }

    /// Says whether the desktop may show the app as a media player (module `MediaPlayer`); throws
    /// `mediaServicesFailed` while the sound server is lost.
    ///
    /// Apple: `AVAudioSession.setIsNowPlayingCandidate(_:)`, on visionOS.
    public func setIsNowPlayingCandidate(_ inValue: Bool) throws {
        try prefer { $0.nowPlayingCandidate = inValue }
        relay.soundHandler?()
    }
}
