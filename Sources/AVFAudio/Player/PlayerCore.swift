internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SessionPolicy
internal import SoundHost

/// What an `AVAudioPlayer` does, apart from its face.
///
/// `lock` serialises the app's calls. The main loop's thread never takes it: what comes from there goes by way of the
/// voice's own state and the main queue.
// SAFETY: everything mutable is guarded by `lock`.
final class PlayerCore: @unchecked Sendable {
    /// Where the sound comes from; read by another reader after each preparation.
    let source: AudioFileSource
    let fileFormat: AudioFileFormat
    let session: AVAudioSession
    private let epoch: Int
    let lock = NSRecursiveLock()
    var binding: Binding?
    /// The position in seconds while there is no binding.
    var restingTime = 0.0
    var loops = 0
    var volumeValue: Float = 1
    /// Where the next fade begins, and in how many seconds that is reached; nil for where the last fade is.
    var fadeStart: (volume: Float, seconds: Double)?
    /// A fade that begins with the sound, from this volume where there is no voice yet: it was set on a player that did
    /// not play.
    var fadeToCome: (volume: Float, seconds: Double)?
    var panValue: Float = 0
    var rateValue: Float = 1
    var rateIsEnabled = false
    var assignments: [AVAudioSessionChannelDescription]?
    private var device: String?
    var metering = false
    var levels = PlayerLevels()
    /// Whether the sound that ended last ended where its file could not be read on.
    var brokeOff = false
    /// Whether an interruption stopped this player.
    let interrupted = InterruptedFlag()

    /// Told on the main queue that the sound was heard to its end, or to where it could not be decoded any further.
    var onFinished: @Sendable (Bool) -> Void = { _ in }
    /// Whether somebody waits for ``onFinished``.
    let listener = Listener()
    /// Told on the main queue that decoding failed.
    var onDecodeError: @Sendable (AudioFileError) -> Void = { _ in }
    /// Told on the main queue of an interruption that stopped this player, and of its end.
    var onInterruption: @Sendable (_ began: Bool, _ shouldResume: Bool) -> Void = { _, _ in }

    init(session: AVAudioSession, source: AudioFileSource) throws(AudioFileError) {
        self.source = source
        self.session = session
        fileFormat = try source.reader().format
        epoch = session.shell.epoch
        session.shell.add(self)
    }

    /// A core without a sound: it never plays, and nobody is asked for anything.
    init(withoutSoundIn session: AVAudioSession) {
        source = AudioFileSource(bytes: [])
        self.session = session
        fileFormat = .nothing
        epoch = session.shell.epoch
    }

    deinit {
        session.shell.remove(self)
        guard let binding else { return }
        binding.host.withLock { binding.mix.pause(binding.voice) }
    }

    /// Whether there is something to play at all; a file without a frame counts.
    var hasSound: Bool { fileFormat != .nothing }

    var duration: Double { hasSound ? Double(fileFormat.frames) / fileFormat.sampleRate : 0 }

    /// Whether the sound server it was made for is gone: such a player stays silent for ever.
    var isDead: Bool { session.shell.epoch != epoch }

    // MARK: Playing

    func prepare() -> Bool {
        lock.withLock {
            (try? bind()) != nil
        }
    }

    /// Plays at once, or at a time of the output that players share.
    func play(at time: Double? = nil) -> Bool {
        lock.withLock {
            guard let binding = tellingErrors({ try bind() }) else { return false }
            if start(binding, at: time) { return true }
            // A session that nobody used for a while may have deactivated itself in between; this activates it again.
            guard let other = try? bind() else { return false }
            return start(other, at: time)
        }
    }

    /// The time of the output that players share, in seconds.
    var deviceTime: Double { session.shell.deviceTime }

    private func start(_ binding: Binding, at time: Double?) -> Bool {
        if binding.host.withLock({ binding.voice.isRunning }) { return true }
        _ = interrupted.clear()
        if binding.host.withLock({ binding.voice.state == .finished }) { restart(binding, at: 0, loop: 0) }
        // Asked with the host's lock held: what ends the session from now on stops the voice too.
        return binding.host.withLock {
            guard session.shell.state != .inactive else { return false }
            beginFadeToCome()
            guard binding.mix.play(binding.voice, at: time) else { return false }
            fadeToCome = nil
            return true
        }
    }

    func pause() {
        lock.withLock {
            guard let binding else { return }
            binding.host.withLock { binding.mix.pause(binding.voice) }
        }
    }

    func stop() {
        lock.withLock {
            guard let binding else { return }
            binding.host.withLock {
                binding.mix.pause(binding.voice)
                interrupted.stopped()
            }
            // The end may have been heard, and the main queue not have told it yet.
            binding.feed.giveUp()
            // Nobody can be asked later how much was heard, so that the server is given its time.
            binding.host.awaitSettled(binding.mix, seconds: 2)
            restingTime = currentTime
            self.binding = nil
        }
    }

    var isPlaying: Bool {
        lock.withLock { binding.map { binding in binding.host.withLock { binding.voice.isRunning } } ?? false }
    }

    /// Where the sound stands, beyond whether it plays.
    var standing: PlayerStanding {
        lock.withLock {
            guard let binding else { return .stopped }
            let state = binding.host.withLock { binding.voice.state }
            if state == .finished { return .finished }
            if state != .paused { return .running }
            return interrupted.isSet ? .interrupted : .stopped
        }
    }

    /// Whether the file could not be read to its end, when that was told last.
    var hasBrokenOff: Bool { lock.withLock { brokeOff } }

    // MARK: Position

    var currentTime: Double {
        get {
            lock.withLock {
                guard let binding else { return restingTime }
                return Double(position(of: binding).fileFrame) / Double(binding.feed.sampleRate)
            }
        }
        set { lock.withLock { seek(to: newValue) } }
    }

    private func position(of binding: Binding) -> PlayerTimeline.Place {
        // Just after a pause the server still has to say how much of the queue it played.
        binding.host.awaitSettled(binding.mix, seconds: 0.25)
        let (state, frame) = binding.host.withLock { (binding.voice.state, binding.mix.position(of: binding.voice)) }
        if state == .finished { return PlayerTimeline.Place(fileFrame: 0, loop: 0) }
        return binding.feed.place(atVoiceFrame: frame)
    }

    /// A time beyond the end ends what plays, and lets what does not play start from the beginning.
    private func seek(to time: Double) {
        let isRunning = isPlaying
        var time = time.isFinite ? max(0, time) : 0
        if time >= duration { time = isRunning ? duration : 0 }
        guard let binding else {
            restingTime = time
            return
        }
        jump(binding) { _ in binding.feed.frame(at: time) }
    }

    /// Goes on at another frame of the file, within the same loop; `target` gets the frame that was heard last.
    private func jump(_ binding: Binding, to target: (Int) -> Int) {
        let suspension = binding.host.withLock { binding.mix.suspend(binding.voice) }
        let now = position(of: binding)
        // A fade belongs to what is heard, and that is over once the sound is.
        let goesOn = binding.host.withLock { binding.voice.state != .finished }
        restart(binding, at: target(now.fileFrame), loop: now.loop, keepsRamps: goesOn)
        if let suspension { goOn(after: suspension, with: binding) }
    }

    /// Goes on elsewhere, unless the session has ended meanwhile.
    private func goOn(after suspension: OutputMix.Suspension, with binding: Binding) {
        binding.host.withLock {
            let isWanted = session.shell.state != .inactive
            suspension.end(with: isWanted ? binding.voice : nil, in: binding.mix)
        }
    }

    func restart(_ binding: Binding, at frame: Int, loop: Int, keepsRamps: Bool = false) {
        binding.host.awaitSettled(binding.mix, seconds: 0.25)
        let place = PlayerTimeline.Place(fileFrame: frame, loop: loop)
        binding.feed.restart(at: place, keepsRamps: keepsRamps) { reset in
            binding.host.withLock {
                reset()
                binding.mix.forget(binding.voice)
            }
        }
    }

    var numberOfLoops: Int {
        get { lock.withLock { loops } }
        set {
            lock.withLock {
                loops = newValue
                guard let binding else { return }
                let (host, feed) = (binding.host, binding.feed)
                feed.numberOfLoops = newValue
                guard newValue >= 0 && feed.loopsDecoded > newValue else { return feed.reconsiderEnd() }
                // The decoder may have run ahead into a loop that is not wanted any more.
                host.withLock {
                    binding.mix.requestRedecode(of: binding.voice) {
                        feed.endLoopsEarly { body in host.withLock { body() } }
                    }
                }
            }
        }
    }

    // MARK: Binding

    /// Activates the session and makes what is needed to play; returns what there is already.
    func bind(activating: Bool = true) throws -> Binding {
        // First: nothing is activated, and nobody interrupted, for the sake of silence.
        guard hasSound else { throw SessionError(.cannotStartPlaying, "The player was made without a sound.") }
        guard !isDead else { throw SessionError(.mediaServicesFailed, "The player's sound server is gone.") }
        let settings = session.shell.settings
        guard settings.allowsOutput else {
            throw SessionError(.cannotStartPlaying, "The category \(settings.category.rawValue) does not play.")
        }
        let host = try activating ? session.shell.activate(implicitly: true) : session.shell.connected()
        let mix = try openMix(on: host)
        if let device { try check(device, of: mix, on: host) }
        if let binding, binding.mix === mix, !isOutdated(binding) {
            try host.awaitOutput(mix)
            return binding
        }
        let new = try makeBinding(host: host, mix: mix)
        // After `multiRoute` it may still be heard on another output, and goes on with this one.
        let suspension = binding.flatMap { old in old.host.withLock { old.mix.suspend(old.voice) } }
        let time = currentTime
        let loop = binding.map { position(of: $0).loop } ?? 0
        let old = binding
        binding = new
        restart(new, at: new.feed.frame(at: time), loop: loop)
        if let old { new.takeGain(of: old) }
        // The file is opened and decoded while the server makes the stream.
        do { try host.awaitOutput(mix) } catch {
            (binding, restingTime) = (nil, time)
            suspension?.end(with: nil, in: mix)
            throw error
        }
        if let suspension { goOn(after: suspension, with: new) }
        return new
    }

    /// Whether the rate has been allowed, or forbidden, since a preparation that the sound's end has undone.
    private func isOutdated(_ binding: Binding) -> Bool {
        binding.followsRate != rateIsEnabled && binding.host.withLock { binding.voice.state == .finished }
    }

    /// Goes on at the same place with what has changed since the preparation.
    private func rebind() {
        guard let old = binding else { return }
        // Other channels may be those of another output. Where the file is gone, the sound stays as it is.
        let output = (try? openMix(on: old.host)) ?? old.mix
        guard let new = tellingErrors({ try makeBinding(host: old.host, mix: output) }) else { return }
        try? old.host.awaitOutput(new.mix)
        let suspension = old.host.withLock { old.mix.suspend(old.voice) }
        let place = position(of: old)
        binding = new
        restart(new, at: place.fileFrame, loop: place.loop)
        new.takeGain(of: old)
        if let suspension { goOn(after: suspension, with: new) }
    }

    /// The output of the port that owns the assigned channels, where the category plays on several; else the session's.
    ///
    /// Its stream may still be on its way.
    private func openMix(on host: PulseHost) throws -> OutputMix {
        let settings = session.shell.settings
        var sink: String?
        if settings.category == .multiRoute, let port = assignments?.first?.owningPortUID {
            sink = try host.route(under: settings).outputs.first { $0.uid == port }?.device
        }
        return try host.beginOutput(role: settings.role, on: sink, isAssigned: assignments != nil)
    }

    // MARK: Rate

    /// Counts from the next preparation on.
    var enableRate: Bool {
        get { lock.withLock { rateIsEnabled } }
        set { lock.withLock { rateIsEnabled = newValue } }
    }

    var rate: Float {
        get { lock.withLock { rateValue } }
        set {
            lock.withLock {
                let old = rateValue
                rateValue = newValue.isNaN ? 1 : min(max(newValue, 0.5), 2)
                // Apps say the same again before each start, which would wait for the decoder.
                guard rateValue != old, let binding, binding.followsRate else { return }
                let (host, feed, rate) = (binding.host, binding.feed, Double(rateValue))
                host.withLock {
                    // As soon as what the server has not played is taken back, or at once.
                    binding.mix.requestRedecode(of: binding.voice) {
                        feed.setPlaybackRate(rate) { body in host.withLock { body() } }
                    }
                }
            }
        }
    }

    // MARK: Route

    /// The outputs of the file's channels; nil for the usual ones.
    var channelAssignments: [AVAudioSessionChannelDescription]? {
        get { lock.withLock { assignments } }
        set {
            lock.withLock {
                guard newValue.map({ $0.count == fileFormat.channels }) ?? true, newValue != assignments else { return }
                assignments = newValue
                rebind()
            }
        }
    }

    /// The sink that this player can start on; nil for any.
    var currentDevice: String? {
        get { lock.withLock { device } }
        set { lock.withLock { device = newValue } }
    }
}
