package import AudioHost
internal import AudioRealtime
internal import Locks
package import SessionPolicy

/// A host without a server, for tests of arguments, states and delegate calls.
///
/// Time passes only where a test lets it: ``advance(frames:)`` plays and records, and ``awaitsSource(frames:)`` tells
/// whether a decoder has to come first. What the session and its players asked for is in ``log``. The contract tests
/// hold it to the same behaviour as the real host.
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
        var framesHeard = 0
        var outputs = 0
        var sounds: [Weak<ScriptedSound>] = []
        var captures: [Weak<ScriptedCapture>] = []
        var captureRequests: [CaptureRequest] = []
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
        /// What captures hear, in each of their channels: samples of −1…1 by the host's time in seconds.
        package var sound: @Sendable (_ seconds: Double) -> Double = {
            ($0 * 440).truncatingRemainder(dividingBy: 1) / 4
        }
    }

    struct Weak<Value: AnyObject & Sendable>: Sendable { weak var value: Value? }

    /// Frames per second of the output, in Hz.
    package static let rate = 48_000

    let state = Guarded(State())
    /// The host's lock, held while sound is rendered, sources and receivers are called, and events are told.
    let lock = RecursiveLock()
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
    package func report(_ event: HostEvent) { lock.withLock { events(event) } }

    /// Lets so many frames, counted at ``rate``, be played and recorded.
    package func advance(frames: Int) {
        lock.withLock {
            state.withLock { $0.frames += frames }
            for sound in sounds { sound.advance(frames: frames) }
            for capture in captures { capture.advance(frames: frames) }
            reportRunning()
        }
    }

    /// Whether a sound runs whose source has given it neither so many frames nor an end: time should not pass before
    /// that, or the sound would run dry.
    package func awaitsSource(frames: Int) -> Bool { sounds.contains { $0.awaitsSource(frames: frames) } }

    /// The frames of all sounds that were heard so far, those of several sounds at once added up.
    package var framesHeard: Int { state.withLock { $0.framesHeard } }

    /// What captures were opened for, the oldest first.
    package var captureRequests: [CaptureRequest] { state.withLock { $0.captureRequests } }

    /// The number of captures that are open.
    package var openCaptures: Int { captures.count { $0.isOpen } }

    /// Ends the captures' streams, as a user who kills them from a mixer.
    package func endCaptures() {
        lock.withLock {
            for capture in captures { capture.fail() }
            reportRunning()
        }
    }

    func noteHeard(_ frames: Int) { state.withLock { $0.framesHeard += frames } }

    /// The host's time, in frames.
    var time: Int { state.withLock { $0.frames } }

    private var sounds: [ScriptedSound] { state.withLock { $0.sounds.compactMap(\.value) } }
    private var captures: [ScriptedCapture] { state.withLock { $0.captures.compactMap(\.value) } }

    func reportRunning() {
        lock.withLock {
            let isRunning = sounds.contains { $0.isInUse } || captures.contains { $0.isRunning }
            let isNews = state.withLock { state in
                defer { state.isReportedRunning = isRunning }
                return state.isReportedRunning != isRunning
            }
            if isNews { events(isRunning ? .ioStarted : .ioStopped) }
        }
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
        lock.withLock {
            state.withLock { ($0.acceptsSound, $0.isInterrupted) = (true, false) }
            events(.activated(implicitly: implicitly))
        }
    }

    package func change(to settings: SessionSettings) throws(SessionError) {
        note("change \(settings.category.rawValue)")
        if let error = state.withLock({ $0.answers.changeError }) { throw error }
    }

    package func perform(_ command: HostCommand) { lock.withLock { carryOut(command) } }

    private func carryOut(_ command: HostCommand) {
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
        for capture in captures { capture.stop(interrupting: interrupting) }
    }

    private func stopSounds(interrupting: Bool) { for sound in sounds { sound.stop(interrupting: interrupting) } }

    // MARK: What holds

    package var facts: HostFacts {
        var facts = HostFacts()
        facts.isConnected = state.withLock { $0.isConnected }
        facts.deviceTime = Double(time) / Double(Self.rate)
        facts.isCapturing = captures.contains(where: \.isRunning)
        facts.owner = "0123456789abcdef"
        return facts
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
            id: number, rate: Self.rate, channels: ChannelMatrix.standard(2), device: "scripted", historySeconds: 1,
            period: request.isLive ? 0.05 : 0.5)
    }

    package func makeSound(of source: any SoundSource, in place: OutputPlace) throws(SessionError) -> any HostSound {
        guard place.id == state.withLock({ $0.outputs }) else {
            throw SessionError(.mediaServicesFailed, "The output is gone.")
        }
        let sound = ScriptedSound(of: source, in: place, on: self)
        state.withLock { $0.sounds.append(Weak(value: sound)) }
        return sound
    }

    package func openCapture(
        _ request: CaptureRequest, receiver: any CaptureReceiver
    ) throws(SessionError) -> any HostCapture {
        try requireConnection()
        note("openCapture \(request.channels) × \(request.rate) Hz")
        state.withLock { $0.captureRequests.append(request) }
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
