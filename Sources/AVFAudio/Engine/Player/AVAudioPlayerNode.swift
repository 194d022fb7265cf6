internal import AudioGraph
internal import Synchronization

/// A source that plays buffers, files and parts of files in the order in which they were scheduled, without gaps.
///
/// A player is paused when made. Any thread may schedule, also a completion handler. No call waits for a block that is
/// rendered. Those that schedule files read their beginning, and all others wait while the player's file is being read.
/// Sounds of another rate, number of channels or encoding than the player's output are converted.
///
/// Apple: `AVAudioPlayerNode`
// SAFETY: `commands` protects the queue, `GraphLock` the player and its format.
nonisolated open class AVAudioPlayerNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
    /// Held while a command is carried out, which may read a file; `GraphLock` may be taken with it.
    private let commands = NSLock()
    private var queue: PlayerQueue
    private var current: (player: Player, format: AVAudioFormat)
    /// The most frames that one block of the newest program takes.
    private var longestBlock = 0
    private let playing = Atomic<Bool>(false)
    /// Whether the queue has something to do, though the player has finished nothing.
    private let isRestless = Atomic<Bool>(false)
    private let delivery = DispatchQueue(label: "AVAudioPlayerNode.completions")

    /// A paused player with an empty queue.
    ///
    /// Apple: `AVAudioPlayerNode.init()`
    public override init() {
        let format = AVAudioFormat.defaultOfNodes
        current = (Player(channels: Int(format.channelCount)), format)
        queue = PlayerQueue(current.player, format)
        super.init()
    }

    deinit {
        queue.drop()
        deliver(queue.takeUnheard() + queue.collect(queue.player.collect()) + queue.takeAll())
    }

    // MARK: The graph

    override func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        longestBlock = compiler.longestAdvance(atRate: current.format.sampleRate)
        isRestless.store(true, ordering: .relaxed)
        return compiler.builder.addSource(
            channels: current.player.channels, rate: current.format.sampleRate, block: current.player.source)
    }

    override func outputFormatChanged() {
        let format = outputFormat.standardized
        guard !format.hasSameSamples(as: current.format) else { return }
        current = (Player(channels: Int(format.channelCount)), format)
        isRestless.store(true, ordering: .relaxed)
    }

    /// Runs a command on the queue of the player that the graph has now.
    ///
    /// What the command returns is freed by the caller, without the lock: apps' objects are among it.
    private func command<Result>(_ body: (inout PlayerQueue) -> Result) -> Result {
        commands.withLock {
            // Before the look at what the graph has changed, which sets it again.
            isRestless.store(false, ordering: .relaxed)
            let (current, longestBlock) = GraphLock.withLock { (self.current, self.longestBlock) }
            if current.player !== queue.player {
                queue.move(to: current.player, current.format)
                if isPlaying { current.player.play() }
            }
            queue.prepare(forBlock: longestBlock)
            let result = body(&queue)
            if queue.hasFinished { isRestless.store(true, ordering: .relaxed) }
            return result
        }
    }

    /// Whether ``tend(heard:)`` has something to do; called with `GraphLock` held.
    ///
    /// An engine asks after each block, also players that have long been idle.
    var needsTending: Bool { current.player.hasFinished || isRestless.load(ordering: .relaxed) }

    /// Takes back what was rendered, and reads ahead; called between two blocks.
    ///
    /// - Parameter heard: The frame of the rendering that is heard now; nil where nobody knows.
    func tend(heard: Int? = nil) {
        let (rate, place) = GraphLock.withLock { (current.format.sampleRate, facts.engine?.rendering.place(of: self)) }
        let position = heard.map { heard in
            heard == .max ? heard : place?.frame(at: heard, rate: rate, isHeard: true) ?? heard
        }
        _ = command { queue in
            let finished = queue.player.collect()
            let ended = queue.collect(finished) + (position.map { queue.takeUnheard(before: $0) } ?? [])
            deliver(ended)
            return (finished, ended)
        }
    }

    /// Lets the player carry out its commands; the caller sees to it that nobody renders.
    func carryOut() { GraphLock.withLock { current.player }.carryOut() }

    /// Lets the player carry out its commands as soon as nobody renders it.
    private func serve() {
        if let engine {
            engine.serve()
            return
        }
        let player = command { $0.player }
        GraphLock.withLock { if facts.engine == nil { player.carryOut() } }
        tend()
    }

    /// Hands the handlers of sounds to their queue; called with `commands` held, so that they keep their order.
    private func deliver(_ sounds: [ScheduledSound]) {
        for sound in sounds {
            guard let handler = sound.handler else { continue }
            let type = sound.type
            delivery.async { handler(type) }
        }
    }

    // MARK: Scheduling

    /// Schedules a buffer behind all others.
    ///
    /// - Parameters:
    ///   - buffer: Sound that the app does not change until the handler is called.
    ///   - completionHandler: Called when the buffer was consumed, or dropped.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleBuffer(_:completionHandler:)`
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(.buffer(buffer), nil, [], .dataConsumed, Self.typed(completionHandler))
    }

    /// Schedules a buffer behind all others; the handler is called at a point of the app's choice, or at a drop.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleBuffer(_:completionCallbackType:completionHandler:)`
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(.buffer(buffer), nil, [], callbackType, completionHandler)
    }

    /// Schedules a buffer at a time, or with options.
    ///
    /// - Parameters:
    ///   - buffer: Sound that the app does not change until the handler is called.
    ///   - when: The time since the player's start at which the buffer begins, as a sample time at any rate; nil for the
    ///     end of what was scheduled before. A past time means at once, and so does one without a sample time.
    ///   - options: Whether the buffer repeats, and what becomes of the sounds before it.
    ///   - completionHandler: Called when the buffer was consumed, or dropped.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleBuffer(_:at:options:completionHandler:)`
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(
            .buffer(buffer), when, options, .dataConsumed, Self.typed(completionHandler))
    }

    /// Schedules a buffer at a time, or with options; the handler is called at a point of the app's choice.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleBuffer(_:at:options:completionCallbackType:completionHandler:)`
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(.buffer(buffer), when, options, callbackType, completionHandler)
    }

    /// Schedules a buffer that nobody changes.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleBuffer(_:atTime:options:completionCallbackType:completionHandler:)`
    public func scheduleBuffer(
        _ buffer: AVReadOnlyAudioPCMBuffer, atTime when: AVAudioTime? = nil,
        options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType = .dataConsumed,
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(
            .buffer(buffer.buffer), when, options, callbackType, Self.typed(completionHandler))
    }

    /// Schedules a whole file, whatever its `framePosition` is, which stays as it is.
    ///
    /// The player opens the file anew, and has the frames that are in it then: at once, or when the files before it have
    /// been read. One that cannot be opened has none.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleFile(_:at:completionHandler:)`
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleFile(
            file, at: when, completionCallbackType: .dataConsumed,
            completionHandler: Self.typed(completionHandler))
    }

    /// Schedules a whole file; the handler is called at a point of the app's choice, or at a drop.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleFile(_:at:completionCallbackType:completionHandler:)`
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(.file(file.url, start: 0, frames: .max), when, [], callbackType, completionHandler)
    }

    /// Schedules a part of a file.
    ///
    /// - Parameters:
    ///   - file: The file, which is opened anew.
    ///   - startFrame: The first frame; a negative one is 0.
    ///   - numberFrames: The number of frames; those beyond the file's end are left out. With 0 the handler is called.
    ///   - when: As for buffers.
    ///   - completionHandler: Called when the part was consumed, or dropped.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleSegment(_:startingFrame:frameCount:at:completionHandler:)`
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleSegment(
            file, startingFrame: startFrame, frameCount: numberFrames, at: when, completionCallbackType: .dataConsumed,
            completionHandler: Self.typed(completionHandler))
    }

    /// Schedules a part of a file; the handler is called at a point of the app's choice, or at a drop.
    ///
    /// Apple: `AVAudioPlayerNode.scheduleSegment(_:startingFrame:frameCount:at:completionCallbackType:completionHandler:)`
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let source = ScheduledSource.file(file.url, start: max(startFrame, 0), frames: Int64(numberFrames))
        schedule(source, when, [], callbackType, completionHandler)
    }

    private static func typed(_ handler: AVAudioNodeCompletionHandler?) -> AVAudioPlayerNodeCompletionHandler? {
        guard let handler else { return nil }
        return { _ in handler() }
    }

    private func schedule(
        _ source: ScheduledSource, _ when: AVAudioTime?, _ options: AVAudioPlayerNodeBufferOptions,
        _ type: AVAudioPlayerNodeCompletionCallbackType, _ handler: AVAudioPlayerNodeCompletionHandler?
    ) {
        let sound = ScheduledSound(source, at: when, options, type, handler)
        command { $0.schedule(sound) }
        tend()
    }

    /// Reads so many frames of what is scheduled, so that ``play()`` begins at once; waits for the disk.
    ///
    /// Apple: `AVAudioPlayerNode.prepare(withFrameCount:)`
    public func prepare(withFrameCount frameCount: AVAudioFrameCount) { command { $0.feed(frames: Int(frameCount)) } }

    // MARK: Playing

    /// Whether the player was told to play, and neither to pause nor to stop; also while its queue is empty.
    ///
    /// Apple: `AVAudioPlayerNode.isPlaying`
    public var isPlaying: Bool { playing.load(ordering: .acquiring) }

    /// Plays at once; does nothing while the engine does not run.
    ///
    /// Apple: `AVAudioPlayerNode.play()`, which raises an exception then.
    public func play() { play(at: nil) }

    /// Plays from a time of the node on; does nothing while the engine does not run.
    ///
    /// - Parameter when: A sample time as that of `lastRenderTime`, at any rate. Without one, the host time at which the
    ///   first frame is to be heard, which counts outside of manual rendering. A past time means at once.
    ///
    /// Apple: `AVAudioPlayerNode.play(at:)`, which raises an exception then.
    public func play(at when: AVAudioTime?) {
        guard engine?.isRunning == true else { return }
        begin(when)
    }

    /// Plays at once.
    ///
    /// Throws as ``playAudio(at:)``.
    ///
    /// Apple: `AVAudioPlayerNode.playAudio()`
    public func playAudio() throws { try playAudio(at: nil) }

    /// Plays from a time of the node on, as ``play(at:)`` does.
    ///
    /// Throws in the domain `com.apple.coreaudio.avfaudio`: −80802 while the engine does not run, −10876 for a player
    /// that is connected to nothing.
    ///
    /// Apple: `AVAudioPlayerNode.playAudio(at:)`
    public func playAudio(at when: AVAudioTime?) throws {
        guard engine?.isRunning == true else {
            throw NSError.engine(.notRunning, "A player plays only while its engine runs.")
        }
        guard GraphLock.withLock({ facts.engine?.graph.connections.connections(from: self).isEmpty == false }) else {
            throw NSError.engine(.noConnection, "\(name) is connected to nothing.")
        }
        begin(when)
    }

    private func begin(_ when: AVAudioTime?) {
        command { queue in
            playing.store(true, ordering: .releasing)
            queue.player.play(at: when.flatMap { position(of: $0) ?? position(ofHostTime: $0) })
        }
    }

    /// Makes the player silent from the next block on; its queue, and its place in it, are kept.
    ///
    /// Apple: `AVAudioPlayerNode.pause()`
    public func pause() {
        command { queue in
            playing.store(false, ordering: .releasing)
            queue.player.pause()
        }
    }

    /// Makes the player silent, drops all that is scheduled, calls its handlers, and sets player time to 0.
    ///
    /// It waits for no handler, and may be called from one.
    ///
    /// Apple: `AVAudioPlayerNode.stop()`
    public func stop() {
        _ = command { queue in
            playing.store(false, ordering: .releasing)
            return dropAll(&queue)
        }
        serve()
    }

    /// Drops all that is scheduled and sets player time to 0; `isPlaying` stays as it is.
    ///
    /// Apple: `AVAudioNode.reset()`
    open override func reset() {
        _ = command { queue in
            let unheard = dropAll(&queue)
            if isPlaying { queue.player.play() }
            return unheard
        }
        serve()
    }

    /// Drops all that is scheduled, and returns the sounds that nobody will hear any more, whose handlers are called.
    private func dropAll(_ queue: inout PlayerQueue) -> [ScheduledSound] {
        queue.drop()
        let unheard = queue.takeUnheard()
        deliver(unheard)
        return unheard
    }

    // MARK: Time

    /// The time of the node at a time of the player; nil while it does not play, and before its first block.
    ///
    /// Apple: `AVAudioPlayerNode.nodeTime(forPlayerTime:)`
    public func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime? {
        shifted(playerTime) { $1 - $0 }
    }

    /// The time since the player's start at a time of the node, without its pauses; nil while it does not play, and
    /// before its first block.
    ///
    /// Apple: `AVAudioPlayerNode.playerTime(forNodeTime:)`
    public func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        shifted(nodeTime) { $1 + $0 }
    }

    /// A time that is changed by the player time at node time 0.
    private func shifted(_ time: AVAudioTime, _ change: (Int, Int) -> Int) -> AVAudioTime? {
        let (player, format) = GraphLock.withLock { current }
        guard isPlaying, let zero = player.time(at: 0), let position = position(of: time) else { return nil }
        let sampleTime = AVAudioFramePosition(change(zero, position))
        guard time.isHostTimeValid else { return AVAudioTime(sampleTime: sampleTime, atRate: format.sampleRate) }
        return AVAudioTime(hostTime: time.hostTime, sampleTime: sampleTime, atRate: format.sampleRate)
    }

    /// A host time in frames of the player's output; nil without one, and where no device plays.
    private func position(ofHostTime time: AVAudioTime) -> Int? {
        guard time.isHostTimeValid, let engine, let position = engine.device.position(at: time.hostTime) else {
            return nil
        }
        return GraphLock.withLock {
            let place = engine.rendering.place(of: self)
            return place.frame(at: max(position, 0), rate: current.format.sampleRate, isHeard: true)
        }
    }

    /// A time in frames of the player's output; nil without a sample time.
    private func position(of time: AVAudioTime) -> Int? {
        time.frames(atRate: GraphLock.withLock { current.format.sampleRate })
    }
}
