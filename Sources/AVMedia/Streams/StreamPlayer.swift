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
    private let loader: StreamLoader
    private let facts = CommandState(StreamFacts())
    private let epoch: Int
    private let queue = DispatchQueue(label: "AVPlayer.stream", qos: .userInitiated)
    private(set) var binding: Binding?
    private var isOpen = false
    private var seekCompletion: (@Sendable (Bool) -> Void)?
    /// Whether playing begins with as little as is loaded.
    private var isImpatient = false
    /// Whether ``progress()`` is on its way.
    ///
    /// The main loop's thread sets it, which never waits for a command.
    private let isProgressDue = Guarded(false)
    /// Whether ``announce()`` is on its way.
    private var isAnnouncementDue = false
    /// The state that the last ``StreamEvent/changed`` told.
    private var lastShown: [Bool] = []
    private var lastShownSeconds = 0
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

    /// Loads so many seconds ahead of the listener from now on; 0 stands for the usual 20.
    ///
    /// Waits for nothing.
    func load(ahead seconds: Double) { loader.load(ahead: seconds) }

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

// The loaded part, the position, and the progress of playing.
extension StreamPlayer {
    // MARK: Loaded part

    /// The loaded part, seen from the listener's position.
    var outlook: StreamOutlook {
        facts.read { StreamOutlook(status: loader.current, moment: $0.moment) }
    }

    /// Whether the sound could be heard at once; within a command.
    var isReadyToStart: Bool {
        let outlook = outlook
        return !isSeeking && outlook.isLikelyToKeepUp && outlook.ahead > 0
    }

    // MARK: Position

    /// The position that is heard now, or that playing goes on from, in seconds; just after a pause an estimate.
    package var currentTime: Double {
        guard let format = loader.current.format else { return 0 }
        return Double(facts.read { $0.moment.frame }) / format.sampleRate
    }

    /// The frame after the last one, within a command.
    ///
    /// Estimated from the stream's length until the end was loaded; nil where more than that length is loaded, but not
    /// all.
    private func endFrame(_ status: StreamLoader.Status) -> Int64? {
        guard let format = status.format, let duration = format.duration else { return nil }
        keepEnd(status)
        // A stream may claim any length.
        let end = facts.value.foundEnd ?? Int64(min((duration * format.sampleRate).rounded(), 0x1p60))
        guard !status.isSeeking, status.frames.upperBound > end else { return end }
        return status.isComplete ? status.frames.upperBound : nil
    }

    /// Keeps the stream's end when it was loaded, since the buffer drops it at a later seek.
    private func keepEnd(_ status: StreamLoader.Status) {
        if let end = status.endFound { facts.change { $0.foundEnd = end } }
    }

    /// The length in frames; nil for a stream without a length, and until its end was loaded.
    package var foundLength: Int64? { loader.current.endFound ?? facts.value.foundEnd }

    /// Whether the position is the stream's end; within a command.
    var isAtEnd: Bool {
        let resting = facts.value.restingFrame
        return endFrame(loader.current).map { resting == $0 && (binding == nil || frame >= $0) } ?? false
    }

    /// Goes to a position in seconds, and reports on any thread whether it got there.
    ///
    /// Loaded frames are played at once. Others are requested from the web server, if it serves parts of the stream;
    /// the call does not wait for it. Waits for the sound server, for 2 s at most.
    package func seek(to seconds: Double, completion: @escaping @Sendable (Bool) -> Void) {
        let done: [(@Sendable (Bool) -> Void, Bool)] = facts.run {
            let status = loader.current
            guard let format = status.format, status.error == nil || !status.frames.isEmpty else {
                return [(completion, false)]
            }
            let earlier = takeCompletion().map { [($0, false)] } ?? []
            let end = endFrame(status)
            let limit = end ?? (format.duration == nil ? .max : status.frames.upperBound - 1)
            let wanted = max(0, seconds) * format.sampleRate
            let target = wanted >= Double(limit) ? limit : Int64(wanted.rounded())
            let isEnd = target == end
            let isLoaded = !status.isSeeking && (status.frames.contains(target) || isEnd)
            // The loader may have met its end since it was asked.
            let isPossible = isLoaded || format.isSeekable && loader.seek(to: target)
            guard isPossible else { return earlier + [(completion, false)] }
            go(to: target, isLoaded: isLoaded, isEnd: isEnd)
            if isLoaded { return earlier + [(completion, true)] }
            seekCompletion = completion
            return earlier
        }
        for (completion, isDone) in done { completion(isDone) }
    }

    private func go(to target: Int64, isLoaded: Bool, isEnd: Bool) {
        hold()
        let isWanted = (phase == .running && standing == .running) || phase == .waiting
        if phase == .running { pauseVoice() }
        settle()
        isSeeking = !isLoaded
        phase = isWanted ? .waiting : .paused
        restart(at: target)
        guard isLoaded else { return }
        if isWanted && isEnd { finish(nil) }
        progress()
    }

    /// Completes a pending seek with false; the stream goes to its target all the same.
    package func cancelSeek() { facts.run { takeCompletion() }?(false) }

    func takeCompletion() -> (@Sendable (Bool) -> Void)? {
        defer { seekCompletion = nil }
        return seekCompletion
    }

    /// Ends a seek that the web server has answered, or failed to answer.
    private func endSeek(_ status: StreamLoader.Status) {
        isSeeking = false
        let isDone = status.error == nil || !status.frames.isEmpty
        restart(at: status.frames.lowerBound)
        guard let completion = takeCompletion() else { return }
        facts.afterwards { [queue] in queue.async { completion(isDone) } }
    }

    // MARK: Progress, within a command

    /// Fills the voice, and starts and ends playing, by what is loaded.
    func progress() {
        let status = loader.current
        guard status.format != nil else { return }
        for failure in loader.takeFailures() { tell(.failed(failure)) }
        keepEnd(status)
        if isSeeking && !status.isSeeking { endSeek(status) }
        guard !isSeeking else { return show() }
        fill()
        if phase == .waiting { startIfPossible(status) }
        announce()
        show()
    }

    private func fill() {
        guard let binding, phase == .running || phase == .waiting else { return }
        // A voice that was heard to the end of the loaded part has to begin anew.
        let isOver = binding.sound.status.state == .finished
        if !isOver && binding.feed.fill() { binding.sound.didWrite() }
    }

    private func startIfPossible(_ status: StreamLoader.Status) {
        let outlook = StreamOutlook(status: status, moment: facts.value.moment)
        let isModest = !facts.value.waits || isImpatient
        guard outlook.isLikelyToKeepUp || (isModest && outlook.ahead > 0) else { return }
        if status.isComplete && outlook.ahead <= 0 { return finish(status.error) }
        start()
    }

    /// Starts the voice if the session is still active; waits for the server where the output has to be made anew.
    func start() {
        guard isAllowed, let bound = try? bind() else { return giveWay() }
        if bound.sound.status.state == .finished { restart(at: frame) }
        _ = bound.feed.fill()
        guard bound.sound.play(at: nil, fade: nil) != .refused else { return giveWay() }
        // The session may have ended and be active again; the app did not ask to play in that activation.
        guard isAllowed else {
            bound.sound.pause()
            return giveWay()
        }
        // Not earlier: a session without sounds and without waiting players may end.
        phase = .running
        isImpatient = false
        tell(.changed)
    }

    /// Ends waiting if the session was stopped.
    func waitIfAllowed() { if phase == .waiting && !isAllowed { giveWay() } }

    /// Stops since the session does not play; the session's own notification may still be on its way.
    private func giveWay() {
        phase = .paused
        if session.core.standing == .interrupted { interrupted.set() }
        tell(.changed)
    }

    /// The last frame of the voice was heard; called with the host's lock held.
    func heardToEnd() { queue.async { [weak self] in self?.voiceEnded() } }

    private func voiceEnded() {
        facts.run {
            guard let binding, phase == .running, binding.sound.status.state == .finished else { return }
            let status = loader.current
            // Frames that were written too late for the voice to go on are still to be heard.
            if binding.feed.isFinished && binding.feed.ring.readableFrames == 0 { return finish(status.error) }
            let frame = frame
            facts.change {
                $0.restingFrame = frame
                $0.stalls += 1
            }
            phase = facts.value.waits ? .waiting : .paused
            loader.measure()
            tell(.stalled)
            progress()
        }
    }

    /// Ends playing: the stream was heard to its end, or to where it broke off.
    func finish(_ error: StreamError?) {
        let frame = frame
        let end = error == nil ? max(frame, endFrame(loader.current) ?? 0) : frame
        facts.change { $0.restingFrame = end }
        phase = .ended
        tell(.ended(error))
    }

    /// Reports the titles of a radio as far as their sound is heard.
    private func announce() {
        guard let next = loader.nextAnnouncement, let format = loader.current.format else { return }
        let now = frame
        for text in loader.announcements(upTo: now) { tell(.announced(text, Double(now) / format.sampleRate)) }
        guard next > now, phase == .running, !isAnnouncementDue else { return }
        isAnnouncementDue = true
        queue.asyncAfter(deadline: .now() + Double(next - now) / format.sampleRate + 0.01) { [weak self] in
            guard let self else { return }
            facts.run {
                self.isAnnouncementDue = false
                self.announce()
            }
        }
    }

    /// Reports a change of the properties that apps observe.
    private func show() {
        let isWritten = binding.map { $0.feed.isFinished && $0.feed.isWritten } ?? false
        let (outlook, facts) = (outlook, facts.value)
        let shown = [
            outlook.isEmpty, outlook.isFull, outlook.isLikelyToKeepUp, facts.phase == .waiting, facts.isSeeking,
            isWritten, facts.foundEnd != nil,
        ]
        let seconds = Int(outlook.loadedSeconds?.upperBound ?? 0)
        guard shown != lastShown || seconds != lastShownSeconds else { return }
        (lastShown, lastShownSeconds) = (shown, seconds)
        tell(.changed)
    }
}
