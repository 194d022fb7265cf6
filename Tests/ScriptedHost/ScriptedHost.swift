package import AudioHost
package import AudioRealtime
internal import Locks
package import SessionPolicy

/// A host without a server, for tests of arguments, states and delegate calls.
///
/// Time passes only where a test lets it: ``advance(frames:)`` plays and records. What the session and its players asked
/// for is in ``log``. The contract tests hold it to the same behaviour as the real host.
package final class ScriptedHost: AudioHost {
    struct State {
        var log: [String] = []
        var answers = Answers()
        var isConnected = false
        /// Whether sounds and captures may run, and whether an interruption keeps them from it.
        var acceptsSound = false
        var isInterrupted = false
        var isReportedRunning = false
        var frames = 0
        var outputs = 0
        var sounds: [Weak<ScriptedSound>] = []
        var captures: [Weak<ScriptedCapture>] = []
        var preferences = HostPreferences()
    }

    /// What the host answers; a test may change it at any time.
    package struct Answers: Sendable {
        /// Thrown by ``ScriptedHost/connect()`` and by everything that needs a connection.
        package var connectionError: SessionError?
        /// Thrown by an activation.
        package var activationError: SessionError?
        /// Thrown by a change of an active session.
        package var changeError: SessionError?
        /// The sinks and sources.
        package var ports = HostPorts()
        /// The sources with their rates.
        package var inputs: [InputDevice] = []
        /// The devices' rates, buffers and volumes.
        package var hardware = HardwareFacts()
        /// What others do.
        package var others = OtherAudio()
        /// Whether another program is heard.
        package var isOtherAudioPlaying = false
    }

    struct Weak<Value: AnyObject & Sendable>: Sendable { weak var value: Value? }

    /// Frames per second of the output, in Hz.
    package static let rate = 48_000

    let state = Guarded(State())
    private let events: HostEventHandler
    let onWrite: @Sendable () -> Void

    /// A host that is not connected.
    ///
    /// - Parameters:
    ///   - onWrite: Called when a source tells that it wrote frames, on the source's thread.
    ///   - events: Takes the host's events.
    package init(onWrite: @escaping @Sendable () -> Void = {}, events: @escaping HostEventHandler = { _ in }) {
        self.onWrite = onWrite
        self.events = events
    }

    /// What was asked for, in order: commands, and calls by their names.
    package var log: [String] { state.withLock { $0.log } }

    /// What the app prefers, as the host was told last.
    package var preferences: HostPreferences { state.withLock { $0.preferences } }

    /// Changes what the host answers.
    package func answer(_ change: (inout Answers) -> Void) { state.withLock { change(&$0.answers) } }

    /// Reports an event, as a server would.
    package func report(_ event: HostEvent) { events(event) }

    /// Lets so many frames be played and recorded.
    package func advance(frames: Int) {
        let (sounds, captures) = state.withLock { state in
            state.frames += frames
            return (state.sounds.compactMap(\.value), state.captures.compactMap(\.value))
        }
        for sound in sounds { sound.advance(frames: frames) }
        for capture in captures { capture.advance(frames: frames) }
        reportRunning()
    }

    func reportRunning() {
        let (sounds, captures) = state.withLock { ($0.sounds.compactMap(\.value), $0.captures.compactMap(\.value)) }
        let isRunning = sounds.contains { $0.isInUse } || captures.contains { $0.isRunning }
        let isNews = state.withLock { state in
            defer { state.isReportedRunning = isRunning }
            return state.isReportedRunning != isRunning
        }
        if isNews { events(isRunning ? .ioStarted : .ioStopped) }
    }

    var permission: (acceptsSound: Bool, isInterrupted: Bool) {
        state.withLock { ($0.acceptsSound, $0.isInterrupted) }
    }

    private func note(_ line: String) { state.withLock { $0.log.append(line) } }

    private func requireConnection() throws(SessionError) {
        if let error = state.withLock({ $0.answers.connectionError }) { throw error }
    }

    // MARK: The connection and the claim

    package func beginToConnect() { note("beginToConnect") }

    package func awaitConnection() -> Bool { (try? connect()) != nil }

    package func connect() throws(SessionError) {
        note("connect")
        try requireConnection()
        state.withLock { $0.isConnected = true }
    }

    package func activate(_ settings: SessionSettings, implicitly: Bool) throws(SessionError) {
        try connect()
        note("activate \(settings.category.rawValue)")
        if let error = state.withLock({ $0.answers.activationError }) { throw error }
        state.withLock { ($0.acceptsSound, $0.isInterrupted) = (true, false) }
        events(.activated(implicitly: implicitly))
    }

    package func change(to settings: SessionSettings) throws(SessionError) {
        note("change \(settings.category.rawValue)")
        if let error = state.withLock({ $0.answers.changeError }) { throw error }
    }

    package func perform(_ command: HostCommand) {
        switch command {
        case .prefer(let preferences):
            return state.withLock {
                if preferences.revision >= $0.preferences.revision { $0.preferences = preferences }
            }
        case .stopIO(let interrupting):
            if interrupting { state.withLock { $0.isInterrupted = true } }
            stopAll(interrupting: interrupting)
        case .stopOutput: stopSounds(interrupting: false)
        case .closeIO:
            state.withLock { $0.acceptsSound = false }
            stopAll(interrupting: false)
            state.withLock { $0.outputs += 1 }
        default: break
        }
        note("\(command)")
        reportRunning()
    }

    private func stopAll(interrupting: Bool) {
        stopSounds(interrupting: interrupting)
        for capture in state.withLock({ $0.captures.compactMap(\.value) }) { capture.stop(interrupting: interrupting) }
    }

    private func stopSounds(interrupting: Bool) {
        for sound in state.withLock({ $0.sounds.compactMap(\.value) }) { sound.stop(interrupting: interrupting) }
    }

    // MARK: What holds

    package var facts: HostFacts {
        state.withLock {
            var facts = HostFacts()
            facts.isConnected = $0.isConnected
            facts.deviceTime = Double($0.frames) / Double(Self.rate)
            facts.isCapturing = $0.captures.contains { $0.value?.isRunning == true }
            facts.owner = "0123456789abcdef"
            return facts
        }
    }

    package var others: OtherAudio { state.withLock { $0.answers.others } }

    package func isOtherAudioPlaying() throws(SessionError) -> Bool {
        try requireConnection()
        return state.withLock { $0.answers.isOtherAudioPlaying }
    }

    package func route(under settings: SessionSettings) throws(SessionError) -> Route {
        try requireConnection()
        let ports = state.withLock { $0.answers.ports }
        return Route(
            inputs: settings.allowsInput ? Array(ports.inputs.prefix(1)) : [],
            outputs: settings.allowsOutput ? Array(ports.outputs.prefix(1)) : [])
    }

    package func ports() throws(SessionError) -> HostPorts {
        try requireConnection()
        return state.withLock { $0.answers.ports }
    }

    package func inputs() throws(SessionError) -> [InputDevice] {
        try requireConnection()
        return state.withLock { $0.answers.inputs }
    }

    package func echoCancellation() throws(SessionError) -> EchoCancellationFacts {
        try requireConnection()
        return EchoCancellationFacts(isAvailable: false, isActive: false)
    }

    package func hardware(under settings: SessionSettings, measuring: Bool) throws(SessionError) -> HardwareFacts {
        try requireConnection()
        return state.withLock { $0.answers.hardware }
    }

    package func apply(_ change: DeviceChange, under settings: SessionSettings) throws(SessionError) {
        try requireConnection()
        note("\(change)")
    }

    // MARK: Sound

    package func openOutput(_ request: OutputRequest) throws(SessionError) -> OutputPlace {
        try requireConnection()
        note("openOutput \(request.role?.rawValue ?? "none")")
        let number = state.withLock { $0.outputs }
        return OutputPlace(
            id: number, rate: Self.rate, channels: ChannelMatrix.standard(2), device: "scripted", historySeconds: 1)
    }

    package func makeSound(of source: any SoundSource, in place: OutputPlace) throws(SessionError) -> any HostSound {
        guard place.id == state.withLock({ $0.outputs }) else {
            throw SessionError(.mediaServicesFailed, "The output is gone.")
        }
        let sound = ScriptedSound(of: source, in: place.id, on: self)
        state.withLock { $0.sounds.append(Weak(value: sound)) }
        return sound
    }

    package func openCapture(
        _ request: CaptureRequest, receiver: any CaptureReceiver
    ) throws(SessionError) -> any HostCapture {
        try requireConnection()
        note("openCapture \(request.channels) × \(request.rate) Hz")
        let capture = ScriptedCapture(request, for: receiver, on: self)
        state.withLock { $0.captures.append(Weak(value: capture)) }
        return capture
    }

    package var shortSoundPlayer: any ShortSounds { SilentShortSounds() }
}

/// A player of short sounds that has no server: nothing is heard.
private final class SilentShortSounds: ShortSounds {
    var isConnected: Bool { false }
    func add(_ clip: SoundClip) {}
    func remove(_ clip: SoundClip) {}
    func play(
        _ clip: SoundClip, id: UInt32, outlivesProcess: Bool, asked: ContinuousClock.Instant,
        completion: @escaping @Sendable (ShortSoundEnd) -> Void
    ) { completion(.failed) }
    func stop(id: UInt32) {}
}
