package import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Foundation
internal import SessionPolicy
internal import Synchronization

/// Plays a network stream: what an `AVAudioPlayer` is to a file, with waiting and stalls.
///
/// It stops where nothing more is there, tells of it, and goes on at that very frame as soon as enough has come. May be
/// used from any thread; nobody is told anything with its lock held.
// SAFETY: everything mutable is guarded by `lock`, or atomic, but for `onEvent`, which is set before ``open()``.
package final class StreamPlayer: @unchecked Sendable, SessionParticipant {
    /// What happens to a stream.
    package enum Event: Sendable {
        /// It can be played now, or not at all; on a queue of the player's own.
        case opened(StreamError?)
        /// On the main queue: it was being heard, and nothing more is there.
        case stalled
        /// On the main queue: it was heard to the end, or to where it broke off.
        case ended(StreamError?)
        /// On the main queue: an interruption of the session stopped it.
        case interrupted
        /// On the main queue: what there is to be played, or whether it plays, has changed.
        case changed
        /// On the main queue: a part of it could not be had, and is passed over.
        case failed(StreamTraffic.Failure)
        /// On the main queue: a radio has said what is heard now, at so many seconds.
        case announced(String, Double)
    }

    /// A player's connection to the sound of its session.
    struct Binding {
        let place: OutputPlace
        let feed: StreamFeed
        let source: StreamSource
        let sound: any HostSound
    }

    enum Phase {
        /// Not asked to play. Can move to: waiting, ended.
        case paused
        /// Asked to play, with too little there. Can move to: running, paused, ended.
        case waiting
        /// Its voice is in the mix. Can move to: waiting, paused, ended.
        case running
        /// Heard to the end. Can move to: paused, waiting with a seek.
        case ended
    }

    let session: AVAudioSession
    let loader: StreamLoader
    let lock = NSRecursiveLock()
    private let epoch: Int
    let queue = DispatchQueue(label: "AVPlayer.stream", qos: .userInitiated)
    var binding: Binding?
    var phase = Phase.paused { didSet { awaiting.store(phase == .waiting, ordering: .relaxed) } }
    /// The stream's frame that playing goes on from; counts where the feed does not.
    var restingFrame: Int64 = 0
    /// Where the stream was found to end; nil before that.
    var foundEnd: Int64?
    var isOpen = false
    var seekCompletion: (@Sendable (Bool) -> Void)?
    var isSeeking = false
    var waits = true
    /// Whether what is there has to do.
    var isImpatient = false
    var stalls = 0
    /// When it was to be opened, and when it was.
    private var times = (begun: Date(), opened: Date?.none)
    /// Guarded by `dueLock`: the main loop's thread never takes `lock`.
    private var isProgressDue = false
    private let dueLock = NSLock()
    var isAnnouncementDue = false
    var lastShown: [Bool] = []
    var lastShownSeconds = 0
    private var volumeValue: Float = 1
    private var rateValue = 1.0
    /// The session's activation in which it was told to play last; 0 for none.
    var activation = 0
    let interrupted = InterruptedFlag()
    /// Whether it waits: the session asks with locks held that come after `lock`.
    private let awaiting = Atomic(false)
    /// Told what happens.
    package var onEvent: @Sendable (Event) -> Void = { _ in }

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
        lock.withLock { times.begun = Date() }
        loader.onProgress = { [weak self] in self?.progressed() }
        loader.start()
    }

    /// What the stream contains; nil until it is open.
    package var format: StreamFormat? { loader.current.format }

    // MARK: Playing

    /// Plays from the position on, as soon as there is enough; false if nothing can be played in the session.
    package func play(impatiently: Bool = false) -> Bool {
        lock.withLock {
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
            activation = session.core.activation ?? 0
            _ = interrupted.clear()
            if isAtEnd { finish(nil) } else { progress() }
            return true
        }
    }

    /// Stops at the frame that is heard now.
    package func pause() {
        lock.withLock {
            isImpatient = false
            if phase == .running { pauseVoice() }
            if phase != .ended { phase = .paused }
        }
    }

    /// Stops, and loads no more; for good.
    package func stop() {
        pause()
        loader.close()
        let completion = lock.withLock { takeCompletion() }
        completion?(false)
    }

    /// The session was deactivated, which stops what waits too: unless it was told to play in a later activation.
    package func sessionStopped() { lock.withLock { waitIfAllowed() } }

    /// Whether the session has been active ever since it was told to play, whatever the main queue still has to tell.
    var isAllowed: Bool { session.core.activation == activation }

    /// Whether the session stopped the voice.
    var isCutOff: Bool {
        guard phase == .running, let binding else { return false }
        return binding.sound.status.state == .paused
    }

    /// Where the sound stands; one that waits is running.
    package var standing: PlayerStanding {
        lock.withLock {
            waitIfAllowed()
            if phase == .ended { return .finished }
            if interrupted.isSet { return .interrupted }
            return phase == .paused || isCutOff ? .stopped : .running
        }
    }

    /// Whether it would be heard if there were more of it.
    package var isWaiting: Bool { lock.withLock { phase == .waiting } }

    /// Whether ``play(impatiently:)`` waits for enough to play on without a stall.
    package var waitsToMinimizeStalling: Bool {
        get { lock.withLock { waits } }
        set {
            lock.withLock {
                waits = newValue
                progress()
            }
        }
    }

    /// The volume, 0 … 1, linear.
    package var volume: Float {
        get { lock.withLock { volumeValue } }
        set {
            lock.withLock {
                volumeValue = newValue
                guard let binding else { return }
                let ramp = phase == .running ? binding.place.rate / 200 : 0
                binding.sound.change(.gain(GainChange(to: newValue, rampFrames: ramp)))
            }
        }
    }

    /// How fast the sound plays, 0.5 … 2; the pitch stays.
    ///
    /// A change while it plays makes it begin anew where it was.
    package var rate: Float {
        get { lock.withLock { Float(rateValue) } }
        set {
            lock.withLock {
                guard Double(newValue) != rateValue else { return }
                let frame = self.frame
                let isRunning = phase == .running && !isCutOff
                if isRunning { pauseVoice() }
                rateValue = Double(newValue)
                restart(at: frame)
                if isRunning { start() }
            }
        }
    }

    // MARK: Voice, with `lock` held

    func pauseVoice() { binding?.sound.pause() }

    /// The voice is emptied, and begins with another frame.
    func restart(at frame: Int64) {
        restingFrame = frame
        guard let binding else { return }
        settle()
        binding.sound.empty(keepsRamps: false)
        binding.feed.restart(at: frame, rate: rateValue)
    }

    /// Makes what is needed to play; returns what there is already.
    ///
    /// Only an app's wish activates the session: it may have been interrupted, or deactivated, while the stream waited.
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
        binding = new
        restart(at: frame)
        return new
    }

    private func makeBinding(_ host: any AudioHost, _ place: OutputPlace, _ format: StreamFormat) throws -> Binding {
        let layout = format.channelLayout?.map { Channel(rawValue: $0) ?? .aux }
        let channels = layout ?? ChannelMatrix.standard(format.channels)
        let matrix = ChannelMatrix(from: channels, to: place.channels)
        let feed = try StreamFeed(loader, format: format, place: place, matrix: matrix)
        let source = StreamSource(feed, channels: channels, of: self)
        let sound = try host.makeSound(of: source, in: place)
        sound.change(.gain(GainChange(to: volumeValue, rampFrames: 0)))
        return Binding(place: place, feed: feed, source: source, sound: sound)
    }

    /// Waits until the server has said how much of the queue of a paused voice it played, for 0.25 s at most.
    package func settle() { lock.withLock { binding }?.sound.settle(seconds: 0.25) }

    // MARK: Progress

    /// Something has come, or was taken; on any thread.
    func progressed() {
        let isNew = dueLock.withLock {
            defer { isProgressDue = true }
            return !isProgressDue
        }
        guard isNew else { return }
        queue.async { [weak self] in
            guard let self else { return }
            dueLock.withLock { isProgressDue = false }
            lookForOpening()
            lock.withLock { progress() }
        }
    }

    private func lookForOpening() {
        let status = loader.current
        let isNews = lock.withLock {
            defer { isOpen = isOpen || status.format != nil || status.error != nil }
            if times.opened == nil && status.format != nil { times.opened = Date() }
            return !isOpen && (status.format != nil || status.error != nil)
        }
        if isNews { onEvent(.opened(status.format == nil ? status.error : nil)) }
    }

    /// What became of it so far; nil until it is open.
    package var report: StreamReport? {
        lock.withLock {
            let status = loader.current
            guard let format = status.format, let opened = times.opened else { return nil }
            return StreamReport(
                format: format, opened: opened, startup: opened.timeIntervalSince(times.begun), stalls: stalls,
                traffic: status.traffic)
        }
    }

    func tell(_ event: Event) {
        Delivery.perform { [weak self] in self?.onEvent(event) }
    }

    // MARK: SessionParticipant

    var isAwaiting: Bool { awaiting.load(ordering: .relaxed) }

    func interruptionBegan() {
        lock.withLock { waitIfAllowed() }
        if interrupted.isSet { onEvent(.interrupted) }
    }

    func interruptionEnded(shouldResume: Bool) { _ = interrupted.clear() }

    // MARK: Chains

    /// Prepares to begin where another sound ends; nil where the session does not play, or too little is loaded.
    package func readyToFollow() -> QueuedVoice? {
        lock.withLock {
            guard phase == .paused || isCutOff, isReadyToStart, let now = session.core.activation,
                let bound = try? bind(), bound.sound.status.state == .paused
            else { return nil }
            activation = now
            _ = interrupted.clear()
            _ = bound.feed.fill()
            // It is stopped until its voice begins, which nobody has to tell it.
            phase = .running
            return QueuedVoice(sound: bound.sound)
        }
    }

    /// Whether another sound could begin by itself where this one ends: not before this one's end has been loaded.
    package var canLead: Bool {
        lock.withLock { phase == .running && binding.map { $0.feed.isFinished && $0.feed.isWritten } ?? false }
    }

    /// Lets a sound begin with the frame after the last one of this one, or none; false if it has to be started then,
    /// or as long as this one's end has not been loaded.
    package func lead(_ next: QueuedVoice?) -> Bool {
        lock.withLock {
            guard let binding, next == nil || canLead else { return false }
            return binding.sound.chain(to: next?.sound)
        }
    }
}
