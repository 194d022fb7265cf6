internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// Services of other systems: sound mixed into calls, a route picker before a film, spatial sound. Properties report
// their absence, and setters refuse everything else.

extension AVAudioSession {
    /// The recommended length of spoken prompts: none during a call, short while another app speaks, else normal.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; `normal` without one.
    ///
    /// Apple: `AVAudioSession.promptStyle`.
    public var promptStyle: AVAudioSession.PromptStyle {
        guard core.standing != .lost, let others = try? core.ask({ $0.others }) else { return .normal }
        return others.isInCall ? .none : others.isSpeaking ? .short : .normal
    }

    /// Reports whether the app should begin to play, and on which route; calls back on a queue of the library.
    ///
    /// Returns at once. There is no picker: the answer is the user's current route. It is `external` for an AirPlay
    /// receiver and `local` for every other output. Without an output it is false and `none`.
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

    /// Reports whether the app should begin to play, and on which route; blocks no thread.
    ///
    /// Apple: `AVAudioSession.prepareRouteSelectionForPlayback()`.
    public func prepareRouteSelectionForPlayback() async -> (Bool, AVAudioSession.RouteSelection) {
        await withCheckedContinuation { continuation in
            prepareRouteSelectionForPlayback { continuation.resume(returning: ($0, $1)) }
        }
    }

    // MARK: Sound into calls

    /// The sound that the app mixes into the microphone of calls: none.
    ///
    /// Apple: `AVAudioSession.preferredMicrophoneInjectionMode`.
    public var preferredMicrophoneInjectionMode: AVAudioSession.MicrophoneInjectionMode { .none }

    /// Throws `resourceNotAvailable` for every mode but `none`, because nothing on Linux mixes into other apps' calls.
    ///
    /// Apple: `AVAudioSession.setPreferredMicrophoneInjectionMode(_:)`.
    public func setPreferredMicrophoneInjectionMode(_ inValue: AVAudioSession.MicrophoneInjectionMode) throws {
        guard inValue != .none else { return }
        throw NSError(SessionError(.resourceNotAvailable, "Nothing here mixes into the calls of other apps."))
    }

    /// Whether the app can mix sound into the microphone of calls: always false.
    ///
    /// Apple: `AVAudioSession.isMicrophoneInjectionAvailable`.
    public var isMicrophoneInjectionAvailable: Bool { false }

    // MARK: Spatial sound and Now Playing

    /// The spatial experience of the app's sound: always `bypassed`, because nothing is spatialised.
    ///
    /// Apple: `AVAudioSession.intendedSpatialExperience`, on visionOS.
    public var intendedSpatialExperience: AVAudioSession.SpatialExperience { .bypassed }

    /// Throws `resourceNotAvailable` for every value but `bypassed`, because nothing on Linux tracks the listener's
    /// head.
    ///
    /// Apple: `AVAudioSession.setIntendedSpatialExperience(_:)`, on visionOS.
    public func setIntendedSpatialExperience(_ intendedSpatialExperience: AVAudioSession.SpatialExperience) throws {
        guard intendedSpatialExperience != .bypassed else { return }
        throw NSError(SessionError(.resourceNotAvailable, "Nothing here places sound around the listener's head."))
    }

    /// Whether the desktop may show the app as a media player; initially true.
    ///
    /// Apple: `AVAudioSession.isNowPlayingCandidate`, on visionOS.
    public var isNowPlayingCandidate: Bool { core.preferences.nowPlayingCandidate }

    /// Sets whether the desktop may show the app as a media player (module `MediaPlayer`); throws `mediaServicesFailed`
    /// while the sound server is lost.
    ///
    /// Any thread; returns at once.
    ///
    /// Apple: `AVAudioSession.setIsNowPlayingCandidate(_:)`, on visionOS.
    public func setIsNowPlayingCandidate(_ inValue: Bool) throws {
        try prefer { $0.nowPlayingCandidate = inValue }
        relay.soundHandler?()
    }
}
