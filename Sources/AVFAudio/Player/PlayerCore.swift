internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Foundation
internal import Locks
internal import SessionPolicy
internal import Synchronization

/// The work of an `AVAudioPlayer`, apart from its face.
///
/// Commands take `lock` and may wait for the server; the app's calls are serialised by it. Properties are read from
/// `facts`, under which nothing is waited for, and from the host, which answers at once. The host's thread takes
/// neither: what comes from there goes by way of the feed and the main queue.
// `facts` is only changed with `lock` held, so that a command may read it without.
final class PlayerCore: Sendable {
    /// A player's connection to the sound of its session: made by ``prepare()``, undone by ``stop()``.
    struct Binding: Sendable {
        let host: any AudioHost
        let place: OutputPlace
        let feed: PlayerFeed
        let sound: any HostSound
        /// Whether the rate counts: it has to be allowed before the preparation.
        let followsRate: Bool
    }

    /// A fade of the volume.
    struct Fade: Sendable {
        /// The volume that it begins with, 0 … 1.
        var volume: Float
        /// How long it takes, in seconds.
        var seconds: Double
    }

    /// Everything that properties tell.
    struct Facts: Sendable {
        var binding: Binding?
        /// The position in seconds while there is no binding, or while a command moves it.
        var restingTime = 0.0
        /// Whether a command moves the position: the host's position counts again when it is done.
        var isMoving = false
        /// Grows whenever `isMoving` changes.
        var moves = 0
        var loops = 0
        var volume: Float = 1
        var pan: Float = 0
        var rate: Float = 1
        var rateIsEnabled = false
        var assignments: [AVAudioSessionChannelDescription]?
        var device: String?
        var isMetering = false
        var levels = PlayerLevels()
        /// Whether the sound that ended last ended where its file could not be read on.
        var brokeOff = false
        /// Where the next fade begins, and in how many seconds that is reached; nil for where the last fade is.
        var fadeStart: Fade?
        /// A fade that begins with the sound: it was set on a player that did not play.
        var fadeToCome: Fade?
    }

    /// How long a command waits at most until a position is exact, in seconds.
    private static let settlingTime = 0.25
    /// How long a stop waits at most until the position is exact, in seconds: nobody can be asked later.
    private static let stoppingTime = 2.0
    /// The shortest ramp of the volume, in seconds: without one a change clicks.
    private static let shortestRamp = 0.005

    /// Where the sound comes from; read by another reader after each preparation.
    let source: AudioFileSource
    let fileFormat: AudioFileFormat
    let session: AVAudioSession
    private let epoch: Int
    private let lock = NSRecursiveLock()
    private let facts = Guarded(Facts())
    /// Whether an interruption stopped this player.
    let interrupted = InterruptedFlag()
    /// Whether the app has a delegate that waits for ``onFinished``.
    let listener = Listener()

    private let handlers = Guarded(Handlers())

    private struct Handlers: Sendable {
        var onFinished: @Sendable (Bool) -> Void = { _ in }
        var onDecodeError: @Sendable (AudioFileError) -> Void = { _ in }
        var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void = { _, _ in }
    }

    /// Called on the main queue when the sound was heard to its end, or to where it could not be decoded any further.
    var onFinished: @Sendable (Bool) -> Void {
        get { handlers.value.onFinished }
        set { handlers.withLock { $0.onFinished = newValue } }
    }

    /// Called on the main queue when decoding failed.
    var onDecodeError: @Sendable (AudioFileError) -> Void {
        get { handlers.value.onDecodeError }
        set { handlers.withLock { $0.onDecodeError = newValue } }
    }

    /// Called on the main queue when an interruption stopped this player, and at its end.
    var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void {
        get { handlers.value.onInterruption }
        set { handlers.withLock { $0.onInterruption = newValue } }
    }

    init(session: AVAudioSession, source: AudioFileSource) throws(AudioFileError) {
        self.source = source
        self.session = session
        fileFormat = try source.reader().format
        epoch = session.core.epoch
        session.core.add(self)
    }

    /// A core without a sound: it never plays, and no server is asked for anything.
    init(withoutSoundIn session: AVAudioSession) {
        source = AudioFileSource(bytes: [])
        self.session = session
        fileFormat = .nothing
        epoch = session.core.epoch
    }

    deinit {
        session.core.remove(self)
        binding?.sound.pause()
    }

    /// The binding, for commands and at the end.
    var binding: Binding? { facts.withLock { $0.binding } }

    /// Whether there is something to play at all; a file without a frame counts.
    var hasSound: Bool { fileFormat != .nothing }

    var duration: Double { hasSound ? Double(fileFormat.frames) / fileFormat.sampleRate : 0 }

    /// Whether the sound server it was made for is gone: such a player stays silent for ever.
    var isDead: Bool { session.core.epoch != epoch }

    // MARK: Playing

    func prepare() -> Bool { lock.withLock { (try? bind()) != nil } }

    /// Plays at once, or at a time of the output that players share.
    func play(at time: Double? = nil) -> Bool {
        lock.withLock {
            guard let binding = reportingErrors({ try bind() }) else { return false }
            if start(binding, at: time) { return true }
            // A session that nobody used for a while may have deactivated itself in between; this activates it again.
            guard let other = try? bind() else { return false }
            return start(other, at: time)
        }
    }

    /// The time of the output that players share, in seconds.
    var deviceTime: Double { session.core.deviceTime }

    private func start(_ binding: Binding, at time: Double?) -> Bool {
        let state = binding.sound.status.state
        if state == .running { return true }
        _ = interrupted.clear()
        if state == .finished { restart(binding, at: 0, loop: 0) }
        switch binding.sound.play(at: time, fade: gainOfFadeToCome(binding)) {
        case .begun: facts.withLock { $0.fadeToCome = nil }
        case .interrupted:
            // An interruption that is over already has been told: nothing would ever end this one.
            guard session.core.standing == .inactive else { break }
            _ = interrupted.clear()
            return false
        case .refused: return false
        }
        return true
    }

    func pause() { lock.withLock { binding?.sound.pause() } }

    /// Stops, and releases the binding; waits until the position is exact, for 2 s at most.
    func stop() {
        lock.withLock {
            guard let binding else { return }
            binding.sound.pause()
            interrupted.stopped()
            // The end may have been heard, and the main queue not have told it yet.
            binding.feed.giveUp()
            binding.sound.settle(seconds: Self.stoppingTime)
            let time = time(of: place(of: binding), binding)
            facts.withLock { ($0.binding, $0.restingTime) = (nil, time) }
        }
    }

    var isPlaying: Bool { binding?.sound.status.state == .running }

    /// Where the sound stands, beyond whether it plays.
    var standing: PlayerStanding {
        switch binding?.sound.status.state {
        case nil: .stopped
        case .finished: .finished
        case .running: .running
        case .paused: interrupted.isSet ? .interrupted : .stopped
        }
    }

    /// Whether the file could not be read to its end, when that was told last.
    var hasBrokenOff: Bool { facts.withLock { $0.brokeOff } }

    // MARK: Position

    /// The position in seconds; reading it waits for nothing.
    var currentTime: Double {
        get {
            while true {
                let (binding, isMoving, time, moves) = facts.withLock {
                    ($0.binding, $0.isMoving, $0.restingTime, $0.moves)
                }
                guard let binding, !isMoving else { return time }
                let now = self.time(of: place(of: binding), binding)
                // A command that moved the position meanwhile knows better.
                if facts.withLock({ $0.moves }) == moves { return now }
            }
        }
        set { lock.withLock { seek(to: newValue) } }
    }

    private func time(of place: PlayerTimeline.Place, _ binding: Binding) -> Double {
        Double(place.fileFrame) / Double(binding.feed.sampleRate)
    }

    private func place(of binding: Binding) -> PlayerTimeline.Place {
        let status = binding.sound.status
        if status.state == .finished { return PlayerTimeline.Place(fileFrame: 0, loop: 0) }
        return binding.feed.place(atVoiceFrame: status.frame)
    }

    /// Waits until the position of a paused sound is exact, for 0.25 s at most.
    func settle() { binding?.sound.settle(seconds: Self.settlingTime) }

    /// The place of a paused sound; waits for the server, which still has to say how much of the queue it played.
    private func settledPlace(of binding: Binding) -> PlayerTimeline.Place {
        binding.sound.settle(seconds: Self.settlingTime)
        return place(of: binding)
    }

    /// A time beyond the end ends what plays, and lets what does not play start from the beginning.
    private func seek(to time: Double) {
        var time = time.isFinite ? max(0, time) : 0
        if time >= duration { time = isPlaying ? duration : 0 }
        guard let binding else { return facts.withLock { $0.restingTime = time } }
        let wasRunning = binding.sound.suspend()
        let now = settledPlace(of: binding)
        // A fade belongs to what is heard, and that is over once the sound is.
        let goesOn = binding.sound.status.state != .finished
        restart(binding, at: binding.feed.frame(at: time), loop: now.loop, keepsRamps: goesOn)
        if wasRunning { binding.sound.endSuspension(with: binding.sound) }
    }

    /// Empties the sound's ring and fills it from a place on.
    private func restart(_ binding: Binding, at frame: Int, loop: Int, keepsRamps: Bool = false) {
        binding.sound.settle(seconds: Self.settlingTime)
        let place = PlayerTimeline.Place(fileFrame: frame, loop: loop)
        let time = time(of: place, binding)
        facts.withLock { ($0.isMoving, $0.restingTime, $0.moves) = (true, time, $0.moves + 1) }
        binding.feed.restart(at: place, keepsRamps: keepsRamps)
        facts.withLock { ($0.isMoving, $0.moves) = (false, $0.moves + 1) }
    }

    var numberOfLoops: Int {
        get { facts.withLock { $0.loops } }
        set {
            lock.withLock {
                facts.withLock { $0.loops = newValue }
                guard let feed = binding?.feed else { return }
                feed.numberOfLoops = newValue
                guard newValue >= 0 && feed.loopsDecoded > newValue else { return feed.reconsiderEnd() }
                // The decoder may have run ahead into a loop that is not wanted any more.
                feed.request(.endLoops)
            }
        }
    }

    // MARK: Binding

    /// Activates the session and makes what is needed to play; returns what there is already.
    private func bind(activating: Bool = true) throws -> Binding {
        // First: nothing is activated, and nobody interrupted, for the sake of silence.
        guard hasSound else { throw SessionError(.cannotStartPlaying, "The player was made without a sound.") }
        guard !isDead else { throw SessionError(.mediaServicesFailed, "The player's sound server is gone.") }
        let settings = session.core.settings
        guard settings.allowsOutput else {
            throw SessionError(.cannotStartPlaying, "The category \(settings.category.rawValue) does not play.")
        }
        let host = try activating ? session.core.activate(implicitly: true) : session.core.connected()
        let place = try openOutput(on: host)
        if let device = currentDevice, device != place.device {
            throw SessionError(.badParam, "The session does not play on a device \(device).")
        }
        guard let old = binding else {
            let new = try makeBinding(host: host, place: place)
            let time = facts.withLock { $0.restingTime }
            restart(new, at: new.feed.frame(at: time), loop: 0)
            facts.withLock { $0.binding = new }
            return new
        }
        guard old.place.id != place.id || isOutdated(old) else { return old }
        // After `multiRoute` it may still be heard on another output, and goes on with this one.
        return replace(old, by: try makeBinding(host: host, place: place))
    }

    /// Goes on at the same place with another binding.
    private func replace(_ old: Binding, by new: Binding) -> Binding {
        let wasRunning = old.sound.suspend()
        let place = settledPlace(of: old)
        restart(new, at: new.feed.frame(at: time(of: place, old)), loop: place.loop)
        new.sound.takeGain(of: old.sound)
        facts.withLock { $0.binding = new }
        if wasRunning { old.sound.endSuspension(with: new.sound) }
        return new
    }

    /// Whether the rate has been allowed, or forbidden, since a preparation that the sound's end has undone.
    private func isOutdated(_ binding: Binding) -> Bool {
        binding.followsRate != enableRate && binding.sound.status.state == .finished
    }

    /// Goes on at the same place with what has changed since the preparation.
    private func rebind() {
        guard let old = binding else { return }
        // Other channels may be those of another output. Where the file is gone, the sound stays as it is.
        let place = (try? openOutput(on: old.host)) ?? old.place
        guard let new = reportingErrors({ try makeBinding(host: old.host, place: place) }) else { return }
        _ = replace(old, by: new)
    }

    /// The output of the port that owns the assigned channels, where the category plays on several; else the session's.
    private func openOutput(on host: any AudioHost) throws -> OutputPlace {
        let settings = session.core.settings
        let assignments = channelAssignments
        var sink: String?
        if settings.category == .multiRoute, let port = assignments?.first?.owningPortUID {
            sink = try host.route(under: settings).outputs.first { $0.uid == port }?.device
        }
        return try host.openOutput(
            OutputRequest(role: settings.role, sink: sink, isAssigned: assignments != nil))
    }

    private func makeBinding(host: any AudioHost, place: OutputPlace) throws -> Binding {
        let file = try source.reader()
        // The app has been told the channels, and may have assigned them.
        guard file.format.channels == fileFormat.channels else {
            throw AudioFileError(.malformed, "The file was replaced by one of \(file.format.channels) channels.")
        }
        let facts = facts.value
        let feed = try PlayerFeed(
            file: file, for: place, playbackRate: facts.rateIsEnabled ? Double(facts.rate) : 1, matrix: matrix)
        feed.numberOfLoops = facts.loops
        feed.onHeard = { [weak self, weak feed, listener] in
            guard let feed else { return }
            // By the time that the main queue tells it, the player may be at it again.
            let (isWhole, hasBrokenOff) = (feed.isWhole, feed.hasBrokenOff)
            Delivery.perform(isAwaited: listener.isThere) { [weak self] in
                guard let self, !feed.isGivenUp else { return }
                self.facts.withLock { $0.brokeOff = hasBrokenOff }
                onFinished(isWhole)
            }
        }
        feed.onInterrupted = { [interrupted] in interrupted.set() }
        feed.onError = { [weak self] in self?.report($0) }
        let sound = try host.makeSound(of: feed, in: place)
        feed.attach(sound)
        sound.change(.gain(GainChange(to: facts.fadeToCome?.volume ?? facts.volume, rampFrames: 0)))
        sound.change(.pan(facts.pan))
        sound.change(.metering(facts.isMetering))
        self.facts.withLock { $0.fadeStart = nil }
        return Binding(host: host, place: place, feed: feed, sound: sound, followsRate: facts.rateIsEnabled)
    }

    /// Where the file's channels go in an output with the given ones.
    private var matrix: @Sendable ([Channel]) -> ChannelMatrix {
        if let places = channelAssignments?.map({ $0.channelNumber - 1 }) {
            return { ChannelMatrix(assigning: places, to: $0) }
        }
        let layout = fileFormat.channelLayout?.map { Channel(rawValue: $0) ?? .aux }
        let channels = layout ?? ChannelMatrix.standard(fileFormat.channels)
        return { ChannelMatrix(from: channels, to: $0) }
    }

    // MARK: Errors

    /// Runs `bind`; an error of the file is reported to the delegate, since the app gets nothing but a truth value.
    private func reportingErrors(_ bind: () throws -> Binding) -> Binding? {
        do { return try bind() } catch {
            if let error = error as? AudioFileError { report(error) }
            return nil
        }
    }

    private func report(_ error: AudioFileError) {
        Delivery.perform { [weak self] in self?.onDecodeError(error) }
    }

    // MARK: Rate

    /// Counts from the next preparation on.
    var enableRate: Bool {
        get { facts.withLock { $0.rateIsEnabled } }
        set { lock.withLock { facts.withLock { $0.rateIsEnabled = newValue } } }
    }

    var rate: Float {
        get { facts.withLock { $0.rate } }
        set {
            lock.withLock {
                let (old, new) = (rate, newValue.isNaN ? 1 : min(max(newValue, 0.5), 2))
                facts.withLock { $0.rate = new }
                // Apps say the same again before each start, which would wait for the decoder.
                guard new != old, let binding, binding.followsRate else { return }
                binding.feed.request(.rate(Double(new)))
            }
        }
    }

    // MARK: Volume and pan

    var volume: Float {
        get { facts.withLock { $0.volume } }
        set { setVolume(newValue, fade: 0) }
    }

    /// Changes the volume; live changes without a fade are spread over 5 ms, so that they do not click.
    func setVolume(_ volume: Float, fade: Double) {
        lock.withLock {
            let before = self.volume
            facts.withLock { $0.volume = volume.isNaN ? 0 : min(max(volume, 0), 1) }
            // A fade of days is one that nobody hears the end of.
            let seconds = min(max(fade.isNaN ? 0 : fade, Self.shortestRamp), 1e6)
            if let binding, isPlaying {
                return binding.sound.change(.gain(gain(rampSeconds: seconds, binding)))
            }
            let isFade = seconds > Self.shortestRamp
            facts.withLock {
                $0.fadeToCome = isFade ? Fade(volume: $0.fadeToCome?.volume ?? before, seconds: seconds) : nil
            }
            guard !isFade, let binding else { return }
            binding.sound.change(.gain(gain(rampSeconds: 0, binding)))
        }
    }

    /// The change that moves the sound to the player's volume.
    private func gain(rampSeconds seconds: Double, _ binding: Binding) -> GainChange {
        let rate = Double(binding.feed.sampleRate)
        let isFade = seconds > Self.shortestRamp
        return facts.withLock {
            let start =
                isFade ? $0.fadeStart.map { GainChange.Start(gain: $0.volume, frames: Int($0.seconds * rate)) } : nil
            $0.fadeStart = isFade ? nil : Fade(volume: $0.volume, seconds: seconds)
            return GainChange(to: $0.volume, rampFrames: Int(seconds * rate), from: start)
        }
    }

    /// The fade that waits for the sound, to begin with the first frame of it; nil for none.
    private func gainOfFadeToCome(_ binding: Binding) -> GainChange? {
        facts.withLock { $0.fadeToCome }.map { gain(rampSeconds: $0.seconds, binding) }
    }

    var pan: Float {
        get { facts.withLock { $0.pan } }
        set {
            lock.withLock {
                let pan = newValue.isNaN ? 0 : min(max(newValue, -1), 1)
                facts.withLock { $0.pan = pan }
                binding?.sound.change(.pan(pan))
            }
        }
    }

    // MARK: Levels

    var isMeteringEnabled: Bool {
        get { facts.withLock { $0.isMetering } }
        set {
            lock.withLock {
                facts.withLock {
                    $0.isMetering = newValue
                    if !newValue { $0.levels = PlayerLevels() }
                }
                binding?.sound.change(.metering(newValue))
            }
        }
    }

    /// Takes the levels of what is heard now.
    func updateMeters() {
        let (binding, isMetering) = facts.withLock { ($0.binding, $0.isMetering) }
        let window = binding.map { Int(Double($0.feed.sampleRate) * PlayerLevels.windowSeconds) } ?? 0
        let levels = PlayerLevels(isMetering ? binding?.sound.levels(window: window) : nil)
        // Levels that are not wanted any more meanwhile are none.
        facts.withLock { if $0.isMetering { $0.levels = levels } }
    }

    func averagePower(_ channel: Int) -> Float { facts.withLock { $0.levels.average(channel) } }
    func peakPower(_ channel: Int) -> Float { facts.withLock { $0.levels.peak(channel) } }

    // MARK: Route

    /// The outputs of the file's channels; nil for the usual ones.
    var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { facts.withLock { $0.assignments } }
        set {
            lock.withLock {
                guard newValue.map({ $0.count == fileFormat.channels }) ?? true, newValue != channelAssignments else {
                    return
                }
                facts.withLock { $0.assignments = newValue }
                rebind()
            }
        }
    }

    /// The sink that this player can start on; nil for any.
    var currentDevice: String? {
        get { facts.withLock { $0.device } }
        set { lock.withLock { facts.withLock { $0.device = newValue } } }
    }

    // MARK: Chains

    /// Makes what is needed to begin where another sound ends; nil where the session does not play.
    ///
    /// Never activates the session.
    func readyToFollow() -> QueuedVoice? {
        lock.withLock {
            guard session.core.standing == .active, let binding = try? bind(activating: false),
                binding.sound.status.state == .paused
            else { return nil }
            _ = interrupted.clear()
            return QueuedVoice(sound: binding.sound)
        }
    }

    /// Lets a sound begin with the frame after the last one of this one, or none; false if it has to be started then.
    func lead(_ next: QueuedVoice?) -> Bool {
        lock.withLock { binding?.sound.chain(to: next?.sound) ?? false }
    }
}

extension PlayerCore {
    /// Whether the app has a delegate that wants to hear of the end; one that is gone still counts.
    ///
    /// The sound's thread asks. Would it look at the delegate, the app's last reference to that, or to the player, could end
    /// there, and code of the app run with the main loop's lock held.
    final class Listener: Sendable {
        private let flag = Atomic(false)

        var isThere: Bool {
            get { flag.load(ordering: .relaxed) }
            set { flag.store(newValue, ordering: .relaxed) }
        }
    }
}

extension PlayerCore: SessionParticipant {
    func interruptionBegan() {
        interrupted.notifyBeginning { onInterruption(true, false) }
    }

    func interruptionEnded(shouldResume: Bool) {
        if interrupted.clear() { onInterruption(false, shouldResume) }
    }
}
