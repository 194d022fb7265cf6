package import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Foundation
internal import Locks
internal import SessionPolicy
internal import Synchronization

/// Plays a network stream as an `AVAudioPlayer` plays a file, with waiting and stalls.
///
/// Playing stops where nothing more is loaded, and goes on at that very frame as soon as enough is. May be used from
/// any thread. Commands run one after the other and may wait for the sound server, for 2 s at most; properties are read
/// from facts and from the host, and wait for nothing. No event is delivered during a command.
// SAFETY: what is not in `facts` is only used within commands of it, but for `onEvent`, which is set before ``open()``.
package final class StreamPlayer: @unchecked Sendable, SessionParticipant {
    /// The player's connection to its session's sound.
    struct Binding {
        let place: OutputPlace
        let feed: StreamFeed
        let source: StreamSource
        let sound: any HostSound
    }

    let session: AVAudioSession
    let loader: StreamLoader
    let facts = CommandState(StreamFacts())
    private let epoch: Int
    let queue = DispatchQueue(label: "AVPlayer.stream", qos: .userInitiated)
    private(set) var binding: Binding?
    private var isOpen = false
    var seekCompletion: (@Sendable (Bool) -> Void)?
    /// Whether playing begins with as little as is loaded.
    var isImpatient = false
    /// Whether ``progress()`` is on its way.
    ///
    /// The main loop's thread sets it, which never waits for a command.
    private let isProgressDue = Guarded(false)
    /// Whether ``announce()`` is on its way.
    var isAnnouncementDue = false
    /// The state that the last ``StreamEvent/changed`` told.
    var lastShown: [Bool] = []
    var lastShownSeconds = 0
    let interrupted = InterruptedFlag()
    /// Whether the phase is `waiting`, in the middle of a command too.
    private let awaiting = Atomic(false)
    /// The receiver of events.
    package var onEvent: @Sendable (StreamEvent) -> Void = { _ in }

    /// A player of an http or https address in a session.
    package init(url: URL, limits: StreamLimits, session: AVAudioSession) {
        self.session = session
        loader = StreamLoader(url: url.absoluteString, limits: limits)
        epoch = session.core.epoch
        session.core.add(self)
    }

    deinit {
        session.core.remove(self)
        loader.close()
        seekCompletion?(false)
        binding?.sound.pause()
    }

    /// Opens the stream and loads its beginning, in the background.
    package func open() {
        facts.change { $0.begun = Date() }
        loader.onProgress = { [weak self] in self?.progressed() }
        loader.start()
    }

    /// The stream's format; nil until the stream is open.
    package var format: StreamFormat? { loader.current.format }

    // MARK: State, within a command

    var phase: StreamFacts.Phase {
        get { facts.value.phase }
        set {
            facts.change { $0.phase = newValue }
            awaiting.store(newValue == .waiting, ordering: .relaxed)
        }
    }

    var isSeeking: Bool {
        get { facts.value.isSeeking }
        set { facts.change { $0.isSeeking = newValue } }
    }

    /// The frame that is heard now, or that playing goes on from.
    var frame: Int64 { facts.value.moment.frame }

    /// Whether the session stopped the voice.
    var isCutOff: Bool { facts.value.moment.isCutOff }

    /// Keeps phase and position for other threads as they are, until the command returns: the voice is about to move.
    func hold() {
        let moment = facts.value.moment
        facts.hold { if $0.held == nil { $0.held = moment } }
    }

    // MARK: Playing

    /// Plays from the position on, as soon as enough is loaded; false if the session does not play.
    ///
    /// Waits for the sound server, for 2 s at most.
    package func play(impatiently: Bool = false) -> Bool {
        facts.run {
            isImpatient = impatiently || isImpatient
            waitIfAllowed()
            if phase == .waiting, isImpatient { progress() }
            guard phase == .paused || isCutOff else { return true }
            let before = phase
            // First, so that the session does not end as idle in between.
            phase = .waiting
            guard (try? bind(activating: true)) != nil else {
                phase = before
                return false
            }
            let activation = session.core.activation ?? 0
            facts.change { $0.activation = activation }
            _ = interrupted.clear()
            if isAtEnd { finish(nil) } else { progress() }
            return true
        }
    }

    /// Stops at the frame that is heard now; does not wait for the server.
    package func pause() {
        facts.run {
            isImpatient = false
            if phase == .running { pauseVoice() }
            if phase != .ended { phase = .paused }
        }
    }

    /// Stops for good, and ends the loading.
    package func stop() {
        pause()
        loader.close()
        let completion = facts.run { takeCompletion() }
        completion?(false)
    }

    /// Ends waiting after the session was deactivated, unless the app asked to play in a later activation.
    package func sessionStopped() { facts.run { waitIfAllowed() } }

    /// Whether the session has been active ever since the app asked to play, whatever events are on their way.
    var isAllowed: Bool { session.core.activation == facts.value.activation }

    /// The state of the sound; `running` also while the player waits for more.
    package var standing: PlayerStanding {
        // This state is lasting, so it is kept unless a command is busy.
        if phase == .waiting, !isAllowed { _ = facts.runIfFree { waitIfAllowed() } }
        return facts.read { facts in
            let moment = facts.moment
            if moment.phase == .ended { return .finished }
            if interrupted.isSet { return .interrupted }
            if moment.phase == .paused || moment.isCutOff { return .stopped }
            guard moment.phase == .waiting, session.core.activation != facts.activation else { return .running }
            return session.core.standing == .interrupted ? .interrupted : .stopped
        }
    }

    /// Whether the player waits for more of the stream.
    package var isWaiting: Bool { facts.read { $0.moment.phase == .waiting } }

    /// Whether ``play(impatiently:)`` waits for enough to play on without a stall.
    package var waitsToMinimizeStalling: Bool {
        get { facts.value.waits }
        set {
            facts.run {
                facts.change { $0.waits = newValue }
                progress()
            }
        }
    }

    /// The volume, 0 … 1, linear.
    package var volume: Float {
        get { facts.value.volume }
        set {
            facts.run {
                facts.change { $0.volume = newValue }
                guard let binding else { return }
                let ramp = phase == .running ? binding.place.rate / 200 : 0
                binding.sound.change(.gain(GainChange(to: newValue, rampFrames: ramp)))
            }
        }
    }

    /// The playing rate, 0.5 … 2, at the same pitch.
    ///
    /// A change during playback restarts the voice at its position, and waits for the server, for 0.25 s at most.
    package var rate: Float {
        get { Float(facts.value.rate) }
        set {
            facts.run {
                guard Double(newValue) != facts.value.rate else { return }
                hold()
                let frame = self.frame
                let isRunning = phase == .running && !isCutOff
                if isRunning { pauseVoice() }
                facts.change { $0.rate = Double(newValue) }
                restart(at: frame)
                if isRunning { start() }
            }
        }
    }

    // MARK: Voice, within a command

    func pauseVoice() { binding?.sound.pause() }

    /// Empties the voice, which then begins with another frame; waits for the server, for 0.25 s at most.
    func restart(at frame: Int64) {
        hold()
        begin(at: frame)
    }

    private func begin(at frame: Int64) {
        facts.change { $0.restingFrame = frame }
        guard let binding else { return }
        settle()
        binding.sound.empty(keepsRamps: false)
        binding.feed.restart(at: frame, rate: facts.value.rate)
    }

    /// The binding to the session's present output, made if there is none.
    ///
    /// Activates the session only for a command of the app: the session may have been interrupted, or deactivated,
    /// while the stream waited. Waits for the server, for 2 s at most.
    func bind(activating: Bool = false) throws -> Binding {
        guard session.core.epoch == epoch, let format = loader.current.format else {
            throw SessionError(.mediaServicesFailed, "The player's sound server is gone.")
        }
        let settings = session.core.settings
        guard settings.allowsOutput else {
            throw SessionError(.cannotStartPlaying, "The category \(settings.category.rawValue) does not play.")
        }
        let host = try activating ? session.core.activate(implicitly: true) : session.core.connected()
        let place = try host.openOutput(OutputRequest(role: settings.role))
        if let binding, binding.place.id == place.id { return binding }
        settle()
        let frame = self.frame
        let new = try makeBinding(host, place, format)
        // Kept until the facts have the new one: a sound is not to be released with their lock held.
        let old = binding
        binding = new
        facts.change {
            $0.output = StreamFacts.Output(place: new.place, sound: new.sound, timeline: new.feed.timeline)
        }
        // Other threads know nothing of the new voice yet, so nothing is held.
        begin(at: frame)
        return withExtendedLifetime(old) { new }
    }

    private func makeBinding(_ host: any AudioHost, _ place: OutputPlace, _ format: StreamFormat) throws -> Binding {
        let layout = format.channelLayout?.map { Channel(rawValue: $0) ?? .aux }
        let channels = layout ?? ChannelMatrix.standard(format.channels)
        let matrix = ChannelMatrix(from: channels, to: place.channels)
        let feed = try StreamFeed(loader, format: format, place: place, matrix: matrix)
        let source = StreamSource(feed, channels: channels, of: self)
        let sound = try host.makeSound(of: source, in: place)
        sound.change(.gain(GainChange(to: facts.value.volume, rampFrames: 0)))
        return Binding(place: place, feed: feed, source: source, sound: sound)
    }

    /// Waits until the position of a paused voice is exact, for 0.25 s at most; an estimate until then.
    package func settle() { facts.value.output?.sound.settle(seconds: 0.25) }

    // MARK: Progress

    /// Has ``progress()`` run soon, since frames were loaded or rendered; on any thread.
    func progressed() {
        let isNew = isProgressDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isNew else { return }
        queue.async { [weak self] in
            guard let self else { return }
            isProgressDue.withLock { $0 = false }
            lookForOpening()
            facts.run { progress() }
        }
    }

    private func lookForOpening() {
        let status = loader.current
        let isNews = facts.run {
            defer { isOpen = isOpen || status.format != nil || status.error != nil }
            if status.format != nil { facts.change { $0.opened = $0.opened ?? Date() } }
            return !isOpen && (status.format != nil || status.error != nil)
        }
        if isNews { onEvent(.opened(status.format == nil ? status.error : nil)) }
    }

    /// The stream's statistics; nil until the stream is open.
    package var report: StreamReport? {
        let (status, facts) = (loader.current, facts.value)
        guard let format = status.format, let opened = facts.opened else { return nil }
        return StreamReport(
            format: format, opened: opened, startup: opened.timeIntervalSince(facts.begun), stalls: facts.stalls,
            traffic: status.traffic)
    }

    /// Delivers an event on the main queue, when the command has published its changes.
    func tell(_ event: StreamEvent) {
        facts.afterwards { [weak self] in Delivery.perform { [weak self] in self?.onEvent(event) } }
    }

    // MARK: SessionParticipant

    var isAwaiting: Bool { awaiting.load(ordering: .relaxed) }

    func interruptionBegan() {
        facts.run { waitIfAllowed() }
        if interrupted.isSet { onEvent(.interrupted) }
    }

    func interruptionEnded(shouldResume: Bool) { _ = interrupted.clear() }

    // MARK: Chains

    /// The voice, prepared to begin where another sound ends; nil where the session does not play, or too little is
    /// loaded.
    package func readyToFollow() -> QueuedVoice? {
        facts.run {
            guard phase == .paused || isCutOff, isReadyToStart, let now = session.core.activation,
                let bound = try? bind(), bound.sound.status.state == .paused
            else { return nil }
            facts.change { $0.activation = now }
            _ = interrupted.clear()
            _ = bound.feed.fill()
            // The host starts the voice without an event, so the phase is that of a voice in the mix from now on.
            phase = .running
            return QueuedVoice(sound: bound.sound)
        }
    }

    /// Whether another sound could begin by itself where this one ends: once this one's end was loaded.
    package var canLead: Bool {
        facts.run { phase == .running && binding.map { $0.feed.isFinished && $0.feed.isWritten } ?? false }
    }

    /// Lets a sound begin with the frame after this one's last frame, or no sound; false if that sound has to be
    /// started then, and until this one's end was loaded.
    package func lead(_ next: QueuedVoice?) -> Bool {
        facts.run {
            guard let binding, next == nil || canLead else { return false }
            return binding.sound.chain(to: next?.sound)
        }
    }
}
