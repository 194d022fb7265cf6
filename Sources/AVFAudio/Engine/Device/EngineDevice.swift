internal import AudioHost
internal import AudioSession
internal import Locks
internal import SessionPolicy

/// An engine's part in its session: the sound that its graph is rendered to, and what the session does to it.
///
/// It is to the session what a player is. The session activates with a start, and its interruptions, ducking, mutes, routes
/// and losses act on the sound.
final class EngineDevice: Sendable {
    /// The connection to the session's sound, from a start to a stop of the engine.
    private struct Binding: Sendable {
        let place: OutputPlace
        let feed: DeviceFeed
        let sound: any HostSound
    }

    private struct Facts: Sendable {
        var binding: Binding?
        /// The device's format that the app was told of last.
        var known: AVAudioFormat?
        var onChange: @Sendable () -> Void = {}
    }

    /// Whether an interruption stopped the engine.
    let interrupted = InterruptedFlag()
    let session: AVAudioSession
    private let rendering: EngineRendering
    /// Held while the engine is started, which may wait for the server; no block waits for it.
    private let commands = CallLock()
    private let facts = Guarded(Facts())
    private let changes = DispatchQueue(label: "AVAudioEngine.configuration")

    init(_ session: AVAudioSession, _ rendering: EngineRendering) {
        self.session = session
        self.rendering = rendering
    }

    deinit { session.core.remove(self) }

    /// Called on a queue of the library when the rate or the channels of the device have changed under a running engine.
    var onChange: @Sendable () -> Void {
        get { facts.withLock { $0.onChange } }
        set { facts.withLock { $0.onChange = newValue } }
    }

    private var binding: Binding? { facts.withLock { $0.binding } }

    // MARK: Commands

    /// Starts the sound, where it stopped or anew.
    ///
    /// - Parameter begin: Lets the engine run, in the output's format; the timeline is a new one, or goes on.
    ///
    /// Waits for the server, for 2 s at most. Throws the session's errors in `NSOSStatusErrorDomain`, −10875 for a
    /// category that does not play, and where the caller is rendering.
    func start(_ begin: (_ format: AVAudioFormat, _ isNew: Bool) -> Void) throws {
        guard !rendering.isRenderingHere else {
            throw NSError.engine(.failedInitialization, "A function that renders cannot start its engine.")
        }
        try commands.withLock {
            guard !(rendering.isRunning && isSounding) else { return }
            var binding = try bind(begin)
            _ = interrupted.clear()
            var start = binding.sound.play(at: nil, fade: nil)
            // The session may have deactivated itself in between, because nothing used it; this activates it again.
            if start == .refused {
                binding = try bind(begin)
                start = binding.sound.play(at: nil, fade: nil)
            }
            guard start == .begun else {
                rendering.pause()
                let code: SessionError.Code = start == .refused ? .cannotStartPlaying : .cannotInterruptOthers
                throw NSError(SessionError(code, "The session is interrupted, or not active."))
            }
            // Another thread may have paused or stopped the engine meanwhile.
            guard rendering.isRunning, self.binding?.feed === binding.feed else { return binding.sound.pause() }
            binding.feed.refill()
            // The app may have preferred another rate for the output than the device has.
            let known = format ?? .standard(binding.place)
            facts.withLock { $0.known = known }
        }
    }

    /// Makes the sound silent; what was rendered and not heard comes with the next start.
    func pause() { binding?.sound.pause() }

    /// Makes the sound silent, and lets go of it.
    func release() {
        let old = facts.withLock { facts in
            defer { facts.binding = nil }
            return facts.binding
        }
        old?.sound.pause()
        old?.feed.end()
    }

    /// Activates the session, opens its output and lets the engine run; returns the connection.
    private func bind(_ begin: (AVAudioFormat, Bool) -> Void) throws -> Binding {
        let settings = session.core.settings
        guard settings.allowsOutput else {
            throw NSError.engine(
                .failedInitialization, "The category \(settings.category.rawValue) does not play.")
        }
        do throws(SessionError) {
            let host = try session.core.activate(implicitly: true)
            session.core.add(self)
            let place = try host.openOutput(OutputRequest(role: settings.role, isLive: true))
            let format = AVAudioFormat.standard(place)
            let (device, isNew) = rendering.forDevice(format)
            begin(format, isNew)
            if let binding, binding.place.id == place.id { return binding }
            release()
            let feed = DeviceFeed(rendering, device, for: place) { [rendering, interrupted] in
                interrupted.set()
                rendering.pause()
            }
            let sound = try host.makeSound(of: feed, in: place)
            feed.attach(sound)
            let made = Binding(place: place, feed: feed, sound: sound)
            facts.withLock { $0.binding = made }
            return made
        } catch {
            rendering.pause()
            throw NSError(error)
        }
    }

    // MARK: State

    /// Whether the session lets a running engine run; true outside of the device's mode.
    var isSounding: Bool { binding.map { $0.sound.status.state == .running } ?? true }

    /// Pauses an engine whose sound the session has stopped, as by a deactivation or the loss of the server.
    func followSession() {
        // A start in progress has not begun its sound yet.
        commands.withLockIfFree { if rendering.isRunning, !isSounding { rendering.pause() } }
    }

    /// The position in the rendering of the frame that is heard now; nil outside of the device's mode.
    var heard: Int? { binding?.feed.heard }

    /// The host time at which a position of the rendering is, or was, heard.
    func hostTime(of position: Int) -> UInt64? {
        guard let binding, let heard = binding.feed.heard else { return nil }
        let seconds = Double(position - heard) / Double(binding.place.rate)
        return UInt64(max(0, Double(mach_absolute_time()) + seconds * 1e9))
    }

    /// The position of the rendering that is heard at a host time.
    func position(at hostTime: UInt64) -> Int? {
        guard let binding, let heard = binding.feed.heard else { return nil }
        let seconds = (Double(hostTime) - Double(mach_absolute_time())) / 1e9
        return heard + Int(min(max((seconds * Double(binding.place.rate)).rounded(), -0x1p61), 0x1p61))
    }

    // MARK: The device

    /// The device's rate and channels, for which the server is asked; nil without one.
    ///
    /// 0 Hz and no channels in a category that does not play. Waits for the server, for 2 s at most.
    var format: AVAudioFormat? {
        guard session.core.settings.allowsOutput else { return AVAudioFormat.none }
        let (rate, channels) = (session.sampleRate, session.outputNumberOfChannels)
        guard rate > 0, channels > 0 else { return nil }
        return .standard(rate: rate, channels: AVAudioChannelCount(channels), layout: nil)
    }

    /// Tells the app of another rate or other channels of the device under a running engine.
    func routeChanged() {
        changes.async { [weak self] in
            guard let self, rendering.isRunning, binding != nil, let format else { return }
            let isNews = facts.withLock { facts in
                guard let known = facts.known, !known.hasSameSamples(as: format) else { return false }
                facts.known = format
                return true
            }
            if isNews { onChange() }
        }
    }
}

extension EngineDevice: SessionParticipant {
    func interruptionBegan() {}

    func interruptionEnded(shouldResume: Bool) { _ = interrupted.clear() }
}

extension AVAudioFormat {
    /// The format of an output, in deinterleaved Float32.
    fileprivate static func standard(_ place: OutputPlace) -> AVAudioFormat {
        .standard(rate: Double(place.rate), channels: AVAudioChannelCount(place.channels.count), layout: nil)
    }
}
