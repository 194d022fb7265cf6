package import SessionPolicy

/// The sound system of one session: a connection, a claim among other sessions, and the session's sound.
///
/// Modules above this protocol use the policy's vocabulary only; modules below it know the server. `PulseHost`
/// implements it for PulseAudio and PipeWire, `ScriptedHost` for tests without a server. The same contract tests run
/// against both.
///
/// Each requirement takes the host's lock itself and may be called on any thread, but not from an event handler if it
/// waits. Requirements that throw wait for the server: for 2 s at most unless their comments say otherwise. All others
/// return at once unless their comments say otherwise. Events are delivered with the host's lock held: their handlers
/// must return at once, and must not take a lock that is held around a call of the host.
package protocol AudioHost: AnyObject, Sendable {
    // MARK: Connection and claim

    /// Connects to the server, if that has not happened yet.
    ///
    /// Throws `mediaServicesFailed` if no server answers.
    func connect() throws(SessionError)

    /// Begins to connect, if that has not happened yet, and returns at once.
    func beginToConnect()

    /// Waits for the connection attempt in progress, for 3.5 s at most; returns whether there is a connection.
    func awaitConnection() -> Bool

    /// Publishes the session's active claim, connecting first if needed, and returns when all other sessions can know
    /// it.
    ///
    /// ``HostEvent/activated(implicitly:)`` is delivered at the moment at which the claim counts, so that no other
    /// session's step comes in between. Connection and claim share one deadline of 2 s. Throws `insufficientPriority`
    /// if the settings record and a call is in progress, `resourceNotAvailable` if they record and the server has no
    /// source, and `mediaServicesFailed` if the server does not answer.
    func activate(_ settings: SessionSettings, implicitly: Bool) throws(SessionError)

    /// Publishes other settings of an active session.
    ///
    /// Throws `insufficientPriority` if a call forbids them; the old settings stay in force then.
    func change(to settings: SessionSettings) throws(SessionError)

    /// Carries out a decision of the policy.
    ///
    /// Four commands may wait for the server: ``HostCommand/closeIO`` for 0.5 s, ``HostCommand/claim(_:)`` with `idle`
    /// for 1 s, ``HostCommand/releaseCommand`` for 1 s, and ``HostCommand/setOutputRole(_:)`` for 2.5 s, until the
    /// output has a stream with the new role. All waits end with the running call's deadline (`CallDeadline`).
    func perform(_ command: HostCommand)

    // MARK: State and questions

    /// The host's state as far as it is known without asking the server.
    var facts: HostFacts { get }

    /// The sound of other sessions and programs, by their claims and streams.
    ///
    /// Waits for claims and streams that are not known yet, for 2 s at most.
    var others: OtherAudio { get }

    /// Asks the server whether another program is heard now.
    func isOtherAudioPlaying() throws(SessionError) -> Bool

    /// The session's route, or the route that it would have under these settings.
    func route(under settings: SessionSettings) throws(SessionError) -> Route

    /// The ports in use of all sinks and sources.
    func ports() throws(SessionError) -> HostPorts

    /// The sources, with their rates and channels.
    func inputs() throws(SessionError) -> [InputDevice]

    /// Whether the server can cancel echo, and whether it does for this session.
    func echoCancellation() throws(SessionError) -> EchoCancellationFacts

    /// The rates, channels, buffers, latencies and volumes of the devices that the session uses or would use.
    ///
    /// - Parameter measuring: Whether buffers and latencies are wanted. On PipeWire they are measured, for 0.4 s at
    ///   most for each device.
    func hardware(under settings: SessionSettings, measuring: Bool) throws(SessionError) -> HardwareFacts

    /// Changes a device for all programs.
    func apply(_ change: DeviceChange, under settings: SessionSettings) throws(SessionError)

    // MARK: Sound

    /// Opens the session's output, or one of several; a missing stream is made, corked.
    func openOutput(_ request: OutputRequest) throws(SessionError) -> OutputPlace

    /// Adds a sound to an output, paused at the first frame of its source's ring.
    ///
    /// Returns at once. Throws `mediaServicesFailed` if the output has gone.
    func makeSound(of source: any SoundSource, in place: OutputPlace) throws(SessionError) -> any HostSound

    /// Opens a paused stream from a source to a receiver.
    func openCapture(
        _ request: CaptureRequest, receiver: any CaptureReceiver
    ) throws(SessionError) -> any HostCapture

    /// The player of short sounds; it needs no active session.
    var shortSoundPlayer: any ShortSounds { get }
}

/// The session's handler of events, called with the host's lock held.
package typealias HostEventHandler = @Sendable (HostEvent) -> Void
