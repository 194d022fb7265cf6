internal import AudioHost
internal import AudioSession
internal import Locks
internal import SessionPolicy

/// The way from a device to the graph of its engine; each function takes `GraphLock` itself.
struct EngineGraphDoor: Sendable {
    /// What the graph needs of the devices.
    var needs: @Sendable () -> EngineNeeds = { EngineNeeds() }
    /// Whether the engine renders manually.
    var isManual: @Sendable () -> Bool = { false }
    /// Gives the graph the format of the input device.
    var takeInputFormat: @Sendable (AVAudioFormat) -> Void = { _ in }
    /// Compiles the graph anew.
    var compile: @Sendable () -> Void = {}
}

/// An engine's part in its session: the sound that its graph is rendered to, and what the session does to it.
///
/// It is to the session what a player is. The session activates with a start, and its interruptions, ducking, mutes, routes
/// and losses act on the sound.
final class EngineDevice: Sendable {
    /// The connection to the session's sound, from a start to a stop of the engine.
    private struct Binding: Sendable {
        let host: any AudioHost
        let place: OutputPlace
        let feed: DeviceFeed
        let sound: any HostSound
    }

    /// The capture of the session's microphone.
    private struct InputBinding: Sendable {
        let feed: CaptureFeed
        let capture: any HostCapture

        /// Ends the capture; what was captured and not rendered is lost.
        func end() {
            _ = capture.close(finishing: false)
            feed.end()
        }
    }

    private struct Facts: Sendable {
        var binding: Binding?
        var input: InputBinding?
        /// The input's format that the app was told of last.
        var knownInput: AVAudioFormat?
        var graph = EngineGraphDoor()
        /// The device's format that the app was told of last.
        var known: AVAudioFormat?
        var onChange: @Sendable () -> Void = {}
        var shutsDown = false
    }

    /// Whether an interruption stopped the engine.
    let interrupted = InterruptedFlag()
    let session: AVAudioSession
    private let rendering: EngineRendering
    /// Held while the engine is started, which may wait for the server; no block waits for it.
    private let commands = CallLock()
    private let facts = Guarded(Facts())
    private let changes = DispatchQueue(label: "AVAudioEngine.configuration")
    /// The captured sound that waits for the output, in seconds: a delivery of either server, a block, and some delay.
    private static let waiting = 0.05

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

    /// Whether the app lets the output end while nothing plays, which this keeps and does not do.
    var shutsDown: Bool {
        get { facts.withLock { $0.shutsDown } }
        set { facts.withLock { $0.shutsDown = newValue } }
    }

    /// The way to the engine's graph.
    var graph: EngineGraphDoor {
        get { facts.withLock { $0.graph } }
        set { facts.withLock { $0.graph = newValue } }
    }

    private var binding: Binding? { facts.withLock { $0.binding } }
    private var input: InputBinding? { facts.withLock { $0.input } }

    // MARK: Commands

    /// Starts the sound, where it stopped or anew, and the capture.
    ///
    /// - Parameters:
    ///   - needs: What the graph needs.
    ///   - begin: Lets the engine run, in the output's format if it has one; the timeline is a new one, or goes on.
    ///
    /// Waits for the server, for 2 s at most, and 3.5 s more for a capture. Throws the session's errors in
    /// `NSOSStatusErrorDomain`, among them `cannotStartRecording` without a microphone; −10875 for a category that does not
    /// play, or does not record, what the graph needs, and where the caller is rendering.
    func start(_ needs: EngineNeeds, _ begin: (_ format: AVAudioFormat?, _ isNew: Bool) -> Void) throws {
        guard !rendering.isRenderingHere else {
            throw NSError.engine(.failedInitialization, "A function that renders cannot start its engine.")
        }
        try commands.withLock {
            guard !(rendering.isRunning && isSounding) else { return }
            try check(needs)
            // The desktop answers while the session is activated.
            if needs.input { session.core.microphone?.prepare() }
            do {
                if needs.output, session.core.settings.allowsOutput {
                    try startOutput(needs, begin)
                } else {
                    let host = try session.core.activate(implicitly: true)
                    session.core.add(self)
                    try prepareInput(needs)
                    _ = interrupted.clear()
                    begin(nil, false)
                    if needs.input { try startInput(on: host) }
                }
            } catch {
                rendering.pause()
                release()
                throw (error as? SessionError).map { NSError($0) } ?? error
            }
        }
    }

    /// Throws −10875 for a category that does not allow what a graph needs.
    private func check(_ needs: EngineNeeds) throws {
        let settings = session.core.settings
        let category = settings.category.rawValue
        if needs.input, !settings.allowsInput {
            throw NSError.engine(.failedInitialization, "The category \(category) does not record.")
        }
        // A mixer that nothing leads to, which apps make by reading it, needs no output.
        if needs.output, !settings.allowsOutput, needs.isOutputFed || !needs.input {
            throw NSError.engine(.failedInitialization, "The category \(category) does not play.")
        }
    }

    private func startOutput(_ needs: EngineNeeds, _ begin: (AVAudioFormat?, Bool) -> Void) throws {
        var binding = try bind(needs, begin)
        _ = interrupted.clear()
        var start = binding.sound.play(at: nil, fade: nil)
        // The session may have deactivated itself in between, because nothing used it; this activates it again.
        if start == .refused {
            binding = try bind(needs, begin)
            start = binding.sound.play(at: nil, fade: nil)
        }
        guard start == .begun else {
            let code: SessionError.Code = start == .refused ? .cannotStartPlaying : .cannotInterruptOthers
            throw SessionError(code, "The session is interrupted, or not active.")
        }
        if needs.input { try startInput(on: binding.host) }
        // Another thread may have paused or stopped the engine meanwhile.
        guard rendering.isRunning, self.binding?.feed === binding.feed else { return binding.sound.pause() }
        binding.feed.refill()
        // The app may have preferred another rate for the output than the device has.
        let known = format ?? .standard(binding.place)
        facts.withLock { $0.known = known }
    }

    /// Makes the sound silent, and lets go of the microphone; what was rendered and not heard comes with the next start.
    func pause() {
        binding?.sound.pause()
        releaseInput()
    }

    /// Makes the sound silent, and lets go of it and of the microphone.
    func release() {
        let old = facts.withLock { facts in
            defer { facts.binding = nil }
            return facts.binding
        }
        old?.sound.pause()
        old?.feed.end()
        releaseInput()
    }

    private func releaseInput() {
        let old = facts.withLock { facts in
            defer { facts.input = nil }
            return facts.input
        }
        old?.end()
    }

    /// Activates the session, opens its output and lets the engine run; returns the connection.
    private func bind(_ needs: EngineNeeds, _ begin: (AVAudioFormat?, Bool) -> Void) throws -> Binding {
        let host = try session.core.activate(implicitly: true)
        session.core.add(self)
        let place = try host.openOutput(OutputRequest(role: session.core.settings.role, isLive: true))
        let format = AVAudioFormat.standard(place)
        let (device, isNew) = rendering.forDevice(format)
        try prepareInput(needs)
        begin(format, isNew)
        if let binding, binding.place.id == place.id { return binding }
        release()
        let feed = DeviceFeed(rendering, device, for: place) { [rendering, interrupted] in
            interrupted.set()
            rendering.pause()
        }
        let sound = try host.makeSound(of: feed, in: place)
        feed.attach(sound, on: host)
        let made = Binding(host: host, place: place, feed: feed, sound: sound)
        facts.withLock { $0.binding = made }
        return made
    }

    // MARK: The input

    /// Makes the rendering of the input's sound ready, in the device's format.
    ///
    /// Throws `cannotStartRecording` without a microphone.
    private func prepareInput(_ needs: EngineNeeds) throws(SessionError) {
        releaseInput()
        guard needs.input else { return rendering.setCapture(nil) }
        guard let format = capturedFormat else {
            throw SessionError(.cannotStartRecording, "There is no microphone.")
        }
        rendering.setCapture(CaptureRendering(format, waiting: Self.waiting))
        graph.takeInputFormat(format)
        let known = inputFormat
        facts.withLock { $0.knownInput = known }
    }

    /// Opens the microphone for the rendering that was made ready.
    ///
    /// Waits for the server, for 3.5 s at most.
    private func startInput(on host: any AudioHost) throws(SessionError) {
        guard let capture = GraphLock.withLock({ rendering.capture }) else { return }
        let settings = session.core.settings
        var request = CaptureRequest(
            format: .float32, rate: Int(capture.format.sampleRate), channels: Int(capture.format.channelCount),
            role: settings.captureRole, source: session.core.preferredInput)
        request.processing = settings.processing(prefersEchoCancelled: session.core.preferences.echoCancelledInput)
        request.pace = .live
        let feed = CaptureFeed(rendering, capture, on: host) { [rendering, interrupted] in
            interrupted.set()
            rendering.pause()
        }
        let made = InputBinding(feed: feed, capture: try host.openCapture(request, receiver: feed))
        facts.withLock { $0.input = made }
        let start = made.capture.start(at: nil, forDuration: nil)
        // Another thread may have paused or stopped the engine meanwhile.
        guard start == .begun, rendering.isRunning else {
            releaseInput()
            guard rendering.isRunning else { return }
            throw SessionError(.cannotStartRecording, "The session is interrupted, or not active.")
        }
    }

    /// Opens or closes the microphone of a running engine, as its graph needs it now; returns at once.
    ///
    /// - Parameter isChanged: Whether the device's format has changed, which the input is opened with anew.
    func followGraph() {
        changes.async { [weak self] in self?.commands.withLock { self?.reopenInput() } }
    }

    /// Waits for what ``followGraph()`` and ``routeChanged()`` have begun, for tests.
    func settled() { changes.sync {} }

    /// Called with the lock of the commands held.
    private func reopenInput(isChanged: Bool = false) {
        guard rendering.isRunning, isSounding, !graph.isManual() else { return }
        let needs = graph.needs()
        let isOpen = input?.capture.isOpen == true
        guard needs.input != isOpen || isOpen && isChanged, !needs.input || session.core.settings.allowsInput else {
            return
        }
        do {
            if needs.input { session.core.microphone?.prepare() }
            try prepareInput(needs)
            graph.compile()
            if needs.input { try startInput(on: session.core.activate(implicitly: true)) }
        } catch {
            rendering.setCapture(nil)
            graph.compile()
        }
    }

    /// The format of the capture: the device's rate and channels, also without the permission to record.
    private var capturedFormat: AVAudioFormat? {
        session.inputDevice.map {
            .standard(rate: Double($0.rate), channels: AVAudioChannelCount($0.channels), layout: nil)
        }
    }

    /// The device's rate and channels, for which the server is asked.
    ///
    /// 0 Hz and no channels in a category that does not record, without a microphone, and without the permission. Waits
    /// for the server, for 2 s at most, and for the desktop's first answer as a recorder does.
    var inputFormat: AVAudioFormat {
        guard session.core.settings.allowsInput, session.core.microphone?.permission != .denied else { return .none }
        return capturedFormat ?? .none
    }

    // MARK: State

    /// Whether the session lets a running engine run; true outside of the device's mode.
    var isSounding: Bool {
        let (binding, input) = facts.withLock { ($0.binding, $0.input) }
        if let binding { return binding.sound.status.state == .running }
        return input?.capture.isRunning ?? true
    }

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

    /// Tells the app of another rate or other channels of a device under a running engine.
    func routeChanged() {
        changes.async { [weak self] in
            guard let self, rendering.isRunning, binding != nil || input != nil else { return }
            let isInputNews = followInput()
            let output = binding == nil ? nil : format
            let isOutputNews = facts.withLock { facts in
                guard let output, let known = facts.known, !known.hasSameSamples(as: output) else { return false }
                facts.known = output
                return true
            }
            if isInputNews || isOutputNews { onChange() }
        }
    }

    /// Goes on with another format of the input device, or pauses an engine whose app has to follow; returns whether it is
    /// another one.
    private func followInput() -> Bool {
        let next = inputFormat
        let isNews = facts.withLock { facts in
            guard facts.input != nil, next.sampleRate > 0, let known = facts.knownInput,
                !known.hasSameSamples(as: next)
            else { return false }
            facts.knownInput = next
            return true
        }
        guard isNews, graph.needs().followsInput else {
            commands.withLock { reopenInput(isChanged: isNews) }
            return isNews
        }
        rendering.pause()
        pause()
        return true
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
