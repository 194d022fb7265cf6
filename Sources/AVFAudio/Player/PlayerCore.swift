internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Foundation
internal import Locks
internal import SessionPolicy
internal import Synchronization

/// The implementation of `AVAudioPlayer`.
///
/// Commands take `lock`, which serialises the app's calls, and may wait for the server. Properties are read from
/// `facts`, under which nothing waits, and from the host, which answers at once. The host's thread takes neither lock:
/// its events come through the feed and the main queue.
// `facts` is only changed with `lock` held, so that a command may read it without.
final class PlayerCore: Sendable {
    /// A player's connection to its session's sound; made by ``prepare()``, released by ``stop()``.
    struct Binding: Sendable {
        let host: any AudioHost
        let place: OutputPlace
        let feed: PlayerFeed
        let sound: any HostSound
        /// Whether the rate takes effect: it must be enabled before the preparation.
        let followsRate: Bool
    }

    /// A fade of the volume.
    struct Fade: Sendable {
        /// The volume at the beginning, 0 … 1.
        var volume: Float
        /// The length in seconds.
        var seconds: Double
    }

    /// The state behind the properties.
    struct Facts: Sendable {
        var binding: Binding?
        /// The position in seconds without a binding, or while a command moves the position.
        var restingTime = 0.0
        /// Whether a command moves the position; the host's position counts again afterwards.
        var isMoving = false
        /// The number of changes of `isMoving`.
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
        /// Whether the last sound ended at unreadable data.
        var brokeOff = false
        /// The beginning of the next fade, and the time to reach it; nil begins at the end of the last fade.
        var fadeStart: Fade?
        /// A fade that begins with the sound, because it was set while the player did not run.
        var fadeToCome: Fade?
    }

    /// The longest wait of a command for an exact position, in seconds.
    private static let settlingTime = 0.25
    /// The longest wait of a stop for an exact position, in seconds; longer, because the stream cannot be asked later.
    private static let stoppingTime = 2.0
    /// The shortest ramp of the volume, in seconds; a change without one clicks.
    private static let shortestRamp = 0.005

    /// The source of the sound; each preparation makes another reader of it.
    let source: AudioFileSource
    let fileFormat: AudioFileFormat
    let session: AVAudioSession
    private let epoch: Int
    private let lock = CallLock()
    private let facts = Guarded(Facts())
    /// Whether an interruption stopped this player.
    let interrupted = InterruptedFlag()
    /// Whether the app has a delegate that expects ``onFinished``.
    let listener = Listener()

    private let handlers = Guarded(Handlers())

    private struct Handlers: Sendable {
        var onFinished: @Sendable (Bool) -> Void = { _ in }
        var onDecodeError: @Sendable (AudioFileError) -> Void = { _ in }
        var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void = { _, _ in }
    }

    /// Called on the main queue when the sound was heard to its end, or to the point where decoding failed.
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

    /// A core without a sound, which never plays and never asks a server.
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

    /// The connection to the session's sound; nil before a preparation.
    var binding: Binding? { facts.withLock { $0.binding } }

    /// Whether there is a sound; a file without frames counts as one.
    var hasSound: Bool { fileFormat != .nothing }

    var duration: Double { hasSound ? Double(fileFormat.frames) / fileFormat.sampleRate : 0 }

    /// Whether the player's sound server is gone; such a player stays silent forever.
    var isDead: Bool { session.core.epoch != epoch }

    // MARK: Playing

    func prepare() -> Bool { lock.withLock { (try? bind()) != nil } }

    /// Plays now, or at a time of the output's clock.
    func play(at time: Double? = nil) -> Bool {
        lock.withLock {
            guard let binding = reportingErrors({ try bind() }) else { return false }
            if start(binding, at: time) { return true }
            // The session may have deactivated itself in between, because nothing used it; this activates it again.
            guard let other = try? bind() else { return false }
            return start(other, at: time)
        }
    }

    /// The clock of the output that players share, in seconds.
    var deviceTime: Double { session.core.deviceTime }

    private func start(_ binding: Binding, at time: Double?) -> Bool {
        let state = binding.sound.status.state
        if state == .running { return true }
        _ = interrupted.clear()
        if state == .finished { restart(binding, at: 0, loop: 0) }
        switch binding.sound.play(at: time, fade: gainOfFadeToCome(binding)) {
        case .begun: facts.withLock { $0.fadeToCome = nil }
        case .interrupted:
            // The interruption is over and its end delivered: nothing would end it for this player.
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
            // The end may have been heard, and its delivery be waiting on the main queue.
            binding.feed.giveUp()
            binding.sound.settle(seconds: Self.stoppingTime)
            let time = time(of: place(of: binding), binding)
            facts.withLock { ($0.binding, $0.restingTime) = (nil, time) }
        }
    }

    var isPlaying: Bool { binding?.sound.status.state == .running }

    /// The state of the player beyond ``isPlaying``.
    var standing: PlayerStanding {
        switch binding?.sound.status.state {
        case nil: .stopped
        case .finished: .finished
        case .running: .running
        case .paused: interrupted.isSet ? .interrupted : .stopped
        }
    }

    /// Whether the last delivered end was at unreadable data.
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
                // A command has moved the position meanwhile, so this one is outdated.
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

    /// The place of a paused sound, after waiting for the server to tell how much of the queue it played.
    private func settledPlace(of binding: Binding) -> PlayerTimeline.Place {
        binding.sound.settle(seconds: Self.settlingTime)
        return place(of: binding)
    }

    /// Seeks; a time beyond the end ends a running sound, and rewinds any other.
    private func seek(to time: Double) {
        var time = time.isFinite ? max(0, time) : 0
        if time >= duration { time = isPlaying ? duration : 0 }
        guard let binding else { return facts.withLock { $0.restingTime = time } }
        let wasRunning = binding.sound.suspend()
        let now = settledPlace(of: binding)
        // A fade belongs to the audible sound, and is over with it.
        let goesOn = binding.sound.status.state != .finished
        restart(binding, at: binding.feed.frame(at: time), loop: now.loop, keepsRamps: goesOn)
        if wasRunning { binding.sound.endSuspension(with: binding.sound) }
    }

    /// Empties the sound's ring and decodes the first stretch from a place on.
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
                // The decoder may have decoded loops that are not wanted any more.
                feed.request(.endLoops)
            }
        }
    }

    // MARK: Binding

    /// Activates the session and makes the binding; returns an existing one.
    private func bind(activating: Bool = true) throws -> Binding {
        // First, so that a player without a sound activates and interrupts nothing.
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
        // After `multiRoute` the sound may be running on another output; it goes on in this one.
        return replace(old, by: try makeBinding(host: host, place: place))
    }

    /// Replaces the binding; the sound goes on at the same place.
    private func replace(_ old: Binding, by new: Binding) -> Binding {
        let wasRunning = old.sound.suspend()
        let place = settledPlace(of: old)
        restart(new, at: new.feed.frame(at: time(of: place, old)), loop: place.loop)
        new.sound.takeGain(of: old.sound)
        facts.withLock { $0.binding = new }
        if wasRunning { old.sound.endSuspension(with: new.sound) }
        return new
    }

    /// Whether the rate was enabled or disabled since the preparation, and the sound has ended since.
    private func isOutdated(_ binding: Binding) -> Bool {
        binding.followsRate != enableRate && binding.sound.status.state == .finished
    }

    /// Makes another binding for changed properties; the sound goes on at the same place.
    private func rebind() {
        guard let old = binding else { return }
        // Other channels may belong to another output. If the output cannot be opened, the old one stays.
        let place = (try? openOutput(on: old.host)) ?? old.place
        guard let new = reportingErrors({ try makeBinding(host: old.host, place: place) }) else { return }
        _ = replace(old, by: new)
    }

    /// Opens the output of the port that owns the assigned channels if the category plays on several; else the
    /// session's.
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
        // The app knows the number of channels, and may have assigned outputs to them.
        guard file.format.channels == fileFormat.channels else {
            throw AudioFileError(.malformed, "The file was replaced by one of \(file.format.channels) channels.")
        }
        let facts = facts.value
        let feed = try PlayerFeed(
            file: file, for: place, playbackRate: facts.rateIsEnabled ? Double(facts.rate) : 1, matrix: matrix)
        feed.numberOfLoops = facts.loops
        feed.onHeard = { [weak self, weak feed, listener] in
            guard let feed else { return }
            // The player may have been started again when the main queue delivers the end.
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

    /// The matrix from the file's channels to those of an output.
    private var matrix: @Sendable ([Channel]) -> ChannelMatrix {
        if let places = channelAssignments?.map({ $0.channelNumber - 1 }) {
            return { ChannelMatrix(assigning: places, to: $0) }
        }
        let layout = fileFormat.channelLayout?.map { Channel(rawValue: $0) ?? .aux }
        let channels = layout ?? ChannelMatrix.standard(fileFormat.channels)
        return { ChannelMatrix(from: channels, to: $0) }
    }

    // MARK: Errors

    /// Runs `bind`, and reports file errors to the delegate, because the app only gets a boolean.
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

    /// Whether the rate takes effect, from the next preparation on.
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
                // Apps often repeat the rate before each start; a repetition must not wait for the decoder.
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

    /// Changes the volume; without a fade, over 5 ms while the sound runs, to avoid a click.
    func setVolume(_ volume: Float, fade: Double) {
        lock.withLock {
            let before = self.volume
            facts.withLock { $0.volume = volume.isNaN ? 0 : min(max(volume, 0), 1) }
            // A fade of days has no audible end.
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

    /// The gain change to the player's volume.
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

    /// The fade that begins with the first frame of the sound; nil for none.
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

    /// Reads the levels of the frames heard now.
    func updateMeters() {
        let (binding, isMetering) = facts.withLock { ($0.binding, $0.isMetering) }
        let window = binding.map { Int(Double($0.feed.sampleRate) * PlayerLevels.windowSeconds) } ?? 0
        let levels = PlayerLevels(isMetering ? binding?.sound.levels(window: window) : nil)
        // Metering may have been turned off meanwhile.
        facts.withLock { if $0.isMetering { $0.levels = levels } }
    }

    func averagePower(_ channel: Int) -> Float { facts.withLock { $0.levels.average(channel) } }
    func peakPower(_ channel: Int) -> Float { facts.withLock { $0.levels.peak(channel) } }

    // MARK: Route

    /// The output channels of the file's channels; nil for the standard order.
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

    /// The name of the sink that the player requires; nil accepts any.
    var currentDevice: String? {
        get { facts.withLock { $0.device } }
        set { lock.withLock { facts.withLock { $0.device = newValue } } }
    }

    // MARK: Chains

    /// Prepares the sound to begin after another one's end; nil if the session does not play.
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

    /// Sets the sound that begins with the frame after this one's last frame; nil for none.
    ///
    /// Returns false if it is too late, so that the next sound has to be started at the end.
    func lead(_ next: QueuedVoice?) -> Bool {
        lock.withLock { binding?.sound.chain(to: next?.sound) ?? false }
    }
}

extension PlayerCore {
    /// Whether the app has set a delegate; a released one still counts.
    ///
    /// Asked on the sound's thread. Reading the weak delegate there could release the app's last reference to it, or to
    /// the player, and run code of the app with the main loop's lock held.
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
