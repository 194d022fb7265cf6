internal import AudioSession

extension AVAudioSession {
    /// Connects to the sound server and makes the output's stream in the background, while the app does something else.
    ///
    /// For programs that play as soon as they are started: what then activates the session or plays waits for the rest
    /// of it only, and tells of errors as ever. Call it once the category is set, on any thread; it waits for nobody.
    /// The session stays inactive, and nobody is interrupted.
    ///
    /// Linux only; PulseAudio: `pa_context_connect`, `pa_stream_connect_playback` with `PA_STREAM_START_CORKED`.
    public func warmUp() { core.warmUp() }
}
