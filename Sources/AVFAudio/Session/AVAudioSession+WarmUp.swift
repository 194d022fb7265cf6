internal import AudioSession

extension AVAudioSession {
    /// Connects to the sound server and makes the output's corked stream, in the background.
    ///
    /// Any thread; returns at once. For programs that play as soon as they are started: the following activation or
    /// playback waits for the rest only. Call it after setting the category. The session stays inactive, and interrupts
    /// no other. Errors are reported by the activation.
    ///
    /// Linux only; PulseAudio: `pa_context_connect`, `pa_stream_connect_playback` with `PA_STREAM_START_CORKED`.
    public func warmUp() { core.warmUp() }
}
