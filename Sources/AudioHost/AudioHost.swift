package import SessionPolicy

/// The sound system as a session sees it: one connection, one claim among other sessions, and the session's sound.
///
/// Everything above this protocol knows the policy's words only; everything below it knows the server. `PulseHost` is
/// the implementation for PulseAudio and PipeWire, `ScriptedHost` the one for tests that need no server; the same
/// contract tests run against both.
///
/// Each requirement takes the host's lock itself, and may be called on any thread. A requirement that throws waits for
/// the server, for two seconds at most unless its comment says otherwise, and must not be called from an event's handler; all others wait for no server,
/// unless their comments say so. Events are told with the host's lock held: their handlers must return at once and must
/// not take a lock that is held around a call of the host.
package protocol AudioHost: AnyObject, Sendable {
    // MARK: The connection and the claim

    /// Connects to the server, unless that has happened.
    ///
    /// Throws `mediaServicesFailed` where no server answers.
    func connect() throws(SessionError)

    /// Begins to connect, unless that has happened, and returns at once.
    func beginToConnect()

    /// Waits for the attempt to connect that is under way, for 3.5 s at most; returns whether there is a connection.
    func awaitConnection() -> Bool

    /// Takes the session's place among others, connecting if needed, and returns when all of them can know.
    ///
    /// ``HostEvent/activated(implicitly:)`` is told at the moment at which the place is taken, so that nothing can come
    /// between it and what other sessions do next. Throws `insufficientPriority` while a call lives that the settings
    /// are no match for, `resourceNotAvailable` where the settings record and there is no source, and
    /// `mediaServicesFailed` where the server does not answer.
    func activate(_ settings: SessionSettings, implicitly: Bool) throws(SessionError)

    /// Tells other sessions the settings of an active session.
    ///
    /// Throws `insufficientPriority` where a call forbids them; nothing has changed then.
    func change(to settings: SessionSettings) throws(SessionError)

    /// Carries out a decision of the policy.
    ///
    /// ``HostCommand/closeIO`` and ``HostCommand/claim(_:)`` with `idle` may wait for the server, for 0.45 s together.
    func perform(_ command: HostCommand)

    // MARK: What holds

    /// What the host knows without asking the server.
    var facts: HostFacts { get }

    /// What other sessions and programs play, by the claims and streams that the server has told of.
    ///
    /// Waits for what the server has not told yet, for two seconds at most.
    var others: OtherAudio { get }

    /// Whether any other program is heard now, which the server is asked.
    func isOtherAudioPlaying() throws(SessionError) -> Bool

    /// The route of the session, or the one that it would have under these settings.
    func route(under settings: SessionSettings) throws(SessionError) -> Route

    /// The ports in use of all sinks and sources.
    func ports() throws(SessionError) -> HostPorts

    /// The sources with their rates and channels.
    func inputs() throws(SessionError) -> [InputDevice]

    /// What the server can do, and does, about echo.
    func echoCancellation() throws(SessionError) -> EchoCancellationFacts

    /// Rates, channels, buffers, latencies and volumes of the devices that the session uses, or would use.
    ///
    /// - Parameter measuring: Whether buffers and latencies are wanted, which take longer to find out on PipeWire.
    func hardware(under settings: SessionSettings, measuring: Bool) throws(SessionError) -> HardwareFacts

    /// Changes a device for everybody who uses it.
    func apply(_ change: DeviceChange, under settings: SessionSettings) throws(SessionError)

    // MARK: Sound

    /// The session's output, or one of several; its stream is made, corked, if there is none.
    func openOutput(_ request: OutputRequest) throws(SessionError) -> OutputPlace

    /// A sound in an output, paused at the first frame of its source's ring.
    ///
    /// Waits for nothing. Throws `mediaServicesFailed` where the output has gone.
    func makeSound(of source: any SoundSource, in place: OutputPlace) throws(SessionError) -> any HostSound

    /// A stream from a source to a receiver, which is paused.
    func openCapture(
        _ request: CaptureRequest, receiver: any CaptureReceiver
    ) throws(SessionError) -> any HostCapture

    /// The player of short sounds, which need no active session.
    var shortSoundPlayer: any ShortSounds { get }
}

/// What tells a session of events; called with the host's lock held.
package typealias HostEventHandler = @Sendable (HostEvent) -> Void
