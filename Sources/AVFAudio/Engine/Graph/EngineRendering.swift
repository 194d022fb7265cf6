internal import AudioGraph
internal import AudioRealtime
internal import Synchronization

/// The rendering of an engine: whether it runs, the program of its graph, and the calls that render.
// SAFETY: `GraphLock` protects the variables; `manual` and `device` are changed with the gate as well, so either is enough
// to read them.
final class EngineRendering: @unchecked Sendable {
    /// The manual rendering, while the engine is in that mode.
    private(set) var manual: ManualRendering?
    /// The rendering for the device, from the first start on; nil in manual rendering.
    private(set) var device: DeviceRendering?
    /// The rendering of what a device captures, while something uses the input; nil in manual rendering.
    private(set) var capture: CaptureRendering?
    private var isPrepared = false
    /// The nodes that the newest program renders, and where.
    private var rendered: [ObjectIdentifier: NodePlace] = [:]
    /// The nodes that are rendered by the input's clock, and where.
    private var renderedByCapture: [ObjectIdentifier: NodePlace] = [:]
    private let running = Atomic<Bool>(false)
    private let gate = RenderGate()
    /// Whether a change was wanted during a block of the realtime mode, or of the device.
    private let isChangeWanted = Atomic<Bool>(false)
    /// What the input's function had too few frames for.
    let shortage = InputShortage()

    /// Whether the engine was started, and neither paused nor stopped.
    var isRunning: Bool { running.load(ordering: .acquiring) }

    // MARK: With `GraphLock` held

    /// The format of the output; nil before the first start.
    var format: AVAudioFormat? { manual?.format ?? device?.format }
    private var renderer: Renderer? { manual?.renderer ?? device?.renderer }

    /// The rate of the rendered sound in Hz.
    var rate: Double { format?.sampleRate ?? AVAudioFormat.defaultOfNodes.sampleRate }

    /// The renderer's position at the start of the newest block; nil for a node that is not rendered, and while the
    /// engine does not run.
    func lastStart(of node: AVAudioNode) -> Int? {
        isRunning && rendered[ObjectIdentifier(node)] != nil ? manual?.lastStart ?? device?.lastStart : nil
    }

    /// Where a node is rendered; in the engine's own program if it is not.
    func place(of node: AVAudioNode) -> NodePlace { rendered[ObjectIdentifier(node)] ?? NodePlace(rate: rate) }

    /// Compiles a graph, if the engine is prepared; ``settle()`` follows, without the lock.
    func compile(_ graph: EngineGraph) {
        guard isPrepared else { return }
        if let format, let renderer {
            let side: GraphCompiler.InputSide = if manual == nil, let capture { .played(capture) } else { .none }
            let compiled = GraphCompiler.program(graph, format: format, input: side, clock: device?.clock)
            rendered = compiled.rendered
            renderer.publish(compiled.program, reclaims: false)
        } else {
            rendered = [:]
        }
        guard let capture, let input = graph.input else { return renderedByCapture = [:] }
        let compiled = GraphCompiler.program(graph, of: input, capture)
        renderedByCapture = compiled.rendered
        capture.renderer.publish(compiled.program, reclaims: false)
    }

    /// The time at which the newest captured block of a node began; nil for a node that is rendered by another clock.
    func lastCapture(of node: AVAudioNode) -> AVAudioTime? {
        guard isRunning, let capture, let place = renderedByCapture[ObjectIdentifier(node)] else { return nil }
        let rate = node.hasOutput ? node.outputFormat.sampleRate : capture.format.sampleRate
        let (position, hostTime) = capture.lastStart
        let frames = place.frame(at: position, rate: rate)
        return AVAudioTime(hostTime: hostTime, sampleTime: AVAudioFramePosition(frames), atRate: rate)
    }

    private var renderers: [Renderer] { [renderer, capture?.renderer].compactMap(\.self) }

    func prepare(_ graph: EngineGraph) {
        // After a stop delays and tails are forgotten; the nodes' sounds go on (E232).
        if !isPrepared { for case let unit as AVAudioUnit in graph.attached { unit.switches.reset() } }
        isPrepared = true
        compile(graph)
    }

    func start(_ graph: EngineGraph) {
        prepare(graph)
        running.store(true, ordering: .releasing)
    }

    func stop() {
        running.store(false, ordering: .releasing)
        isPrepared = false
    }

    // MARK: Without it

    func pause() { running.store(false, ordering: .releasing) }

    /// Waits until replaced programs are not rendered any more, and frees them.
    func settle() {
        for renderer in GraphLock.withLock({ renderers }) {
            renderer.settle()
            renderer.reclaim()
        }
    }

    /// Leaves the program of a stopped engine, which holds functions of nodes; called within a change.
    ///
    /// ``reclaim()`` follows, after the change.
    func leaveProgram() { for renderer in GraphLock.withLock({ isPrepared ? [] : renderers }) { renderer.leave() } }

    /// Frees the programs that are not rendered any more.
    func reclaim() { for renderer in GraphLock.withLock({ renderers }) { renderer.reclaim() } }

    /// Replaces the manual rendering, and the device's, at the end of the block that is being rendered.
    ///
    /// Others may have wanted a change meanwhile, which the caller makes.
    ///
    /// - Parameter followed: What is done in the same step, with ``GraphLock`` held.
    ///
    /// Throws −80801 if the calling thread is rendering.
    func replace(by next: ManualRendering?, followed: (ManualRendering?) -> Void) throws {
        guard !gate.isRenderingHere else {
            throw NSError.engine(.initialized, "The engine is rendering.")
        }
        while !gate.beginChange() { gate.awaitEnd() }
        // The old ones may hold an app's functions, and go without the lock.
        let old = GraphLock.withLock { () -> (ManualRendering?, DeviceRendering?, CaptureRendering?) in
            let old = (manual, device, capture)
            (manual, device, capture) = (next, nil, nil)
            followed(next)
            return old
        }
        _ = gate.end()
        withExtendedLifetime(old) {}
    }

    /// Whether the calling thread is rendering, and so must not wait for the end of a block.
    var isRenderingHere: Bool { gate.isRenderingHere }

    /// Goes on with a rendering for the device in this format; returns the one that there is already, or a new one.
    ///
    /// The caller is not rendering. A new one takes over at the end of the block that is being rendered.
    func forDevice(_ format: AVAudioFormat) -> (rendering: DeviceRendering, isNew: Bool) {
        if let device = GraphLock.withLock({ device }), device.format.hasSameSamples(as: format) {
            return (device, false)
        }
        let next = DeviceRendering(format)
        while !gate.beginChange() { gate.awaitEnd() }
        let old = GraphLock.withLock {
            defer { device = next }
            return device
        }
        _ = gate.end()
        withExtendedLifetime(old) {}
        return (next, true)
    }

    /// Replaces the rendering of what a device captures, at the end of the block that is being rendered; nil ends it.
    ///
    /// The caller is not rendering, and compiles the graph afterwards.
    func setCapture(_ next: CaptureRendering?) {
        while !gate.beginChange() { gate.awaitEnd() }
        let old = GraphLock.withLock {
            defer { capture = next }
            return capture
        }
        _ = gate.end()
        withExtendedLifetime(old) {}
    }

    // MARK: Rendering

    /// Begins a change of what only the render side touches; false while somebody renders, who hears of it at the end.
    func beginChange() -> Bool { gate.beginChange() }

    /// Waits for the end of the block that is being rendered, or of a change; may return early.
    func awaitEnd() { gate.awaitEnd() }

    /// Ends a change, and returns whether somebody has wanted one meanwhile.
    func endChange() -> Bool { gate.end() }

    /// Renders the next frames of the offline mode; see ``AVAudioEngine/renderOffline(_:to:)``.
    ///
    /// - Parameters:
    ///   - between: What is done before the first block and after each one.
    ///   - afterwards: What is done if somebody has wanted a change meanwhile.
    func renderOffline(
        _ frames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer, between: () -> Void, afterwards: () -> Void
    ) throws -> AVAudioEngineManualRenderingStatus {
        guard gate.beginRendering(waits: true) else { return .cannotDoInCurrentContext }
        defer { if gate.end() { afterwards() } }
        // With the gate: the mode that the buffer is checked against is the one that is rendered.
        guard let manual, manual.mode == .offline else {
            throw NSError.engine(.invalidMode, "The engine is not in offline rendering.")
        }
        guard isRunning else { throw NSError.engine(.notRunning, "The engine was not started.") }
        try Self.check(buffer, frames, manual)
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        let status = render(manual, frames, to: list, between)
        buffer.frameLength = frames
        return status
    }

    /// Renders the next frames of either mode into an app's list; see ``AVAudioEngine/manualRenderingBlock``.
    ///
    /// In the realtime mode nothing waits, and nothing is done between blocks.
    func renderBlock(
        _ frames: AVAudioFrameCount, to list: UnsafeMutableAudioBufferListPointer, between: () -> Void,
        afterwards: () -> Void
    ) -> (status: AVAudioEngineManualRenderingStatus, error: OSStatus) {
        guard gate.beginRendering(waits: false) else { return (.cannotDoInCurrentContext, noErr) }
        let isOffline = manual?.mode != .realtime
        let result = renderBlock(frames, to: list, isOffline ? between : {})
        if gate.end() {
            if isOffline { afterwards() } else { isChangeWanted.store(true, ordering: .releasing) }
        }
        return result
    }

    /// Renders the device's next frames to a ring that has room for them.
    ///
    /// Waits for a change that runs, which takes microseconds, and for the block of an earlier start that still runs.
    ///
    /// - Parameter heard: The position that is heard now; nil before the first block.
    /// - Returns: The position of the first frame; nil while the engine does not run, and for a rendering that was
    ///   replaced.
    func render(_ wanted: DeviceRendering, frames: Int, to ring: Voice, heard: Int?) -> Int? {
        while !gate.beginRendering(waits: true) { gate.awaitEnd() }
        defer { if gate.end() { isChangeWanted.store(true, ordering: .releasing) } }
        guard isRunning, device === wanted else { return nil }
        return wanted.render(frames, to: ring, heard: heard)
    }

    /// Renders captured frames, at most as many as a block has; others render before or afterwards.
    func render(_ wanted: CaptureRendering, _ samples: UnsafePointer<Float>, frames: Int) {
        while !gate.beginRendering(waits: true) { gate.awaitEnd() }
        defer { if gate.end() { isChangeWanted.store(true, ordering: .releasing) } }
        guard isRunning, capture === wanted else { return }
        wanted.render(samples, frames: frames)
    }

    private func renderBlock(
        _ frames: AVAudioFrameCount, to list: UnsafeMutableAudioBufferListPointer, _ between: () -> Void
    ) -> (AVAudioEngineManualRenderingStatus, OSStatus) {
        guard let manual else { return (.error, AVAudioEngineManualRenderingError.invalidMode.rawValue) }
        guard isRunning else { return (.error, AVAudioEngineManualRenderingError.notRunning.rawValue) }
        guard frames <= manual.maximumFrames, manual.prepare(list, frames: frames) else {
            return (.error, kAudio_ParamError)
        }
        return (render(manual, frames, to: list, between), noErr)
    }

    private func render(
        _ manual: ManualRendering, _ frames: AVAudioFrameCount, to list: UnsafeMutableAudioBufferListPointer,
        _ between: () -> Void
    ) -> AVAudioEngineManualRenderingStatus {
        manual.begin()
        between()
        var done = 0
        while done < Int(frames) {
            let count = min(Int(frames) - done, GraphCompiler.longestBlock)
            manual.render(count, to: list, at: done)
            done += count
            between()
        }
        return shortage.take() ? .insufficientDataFromInputNode : .success
    }

    /// Whether a change was wanted during a block of the realtime mode, or of the device, since the last call.
    func takeWish() -> Bool { isChangeWanted.exchange(false, ordering: .acquiring) }

    private static func check(
        _ buffer: AVAudioPCMBuffer, _ frames: AVAudioFrameCount, _ manual: ManualRendering
    ) throws {
        let problem: String? =
            if frames > manual.maximumFrames {
                "\(frames) frames are more than the maximum of \(manual.maximumFrames)."
            } else if frames > buffer.frameCapacity {
                "The buffer has room for \(buffer.frameCapacity) frames, and \(frames) were asked for."
            } else if !buffer.format.hasSameSamples(as: manual.format) {
                "The buffer's format \(buffer.format.summary) is not the engine's \(manual.format.summary)."
            } else {
                nil
            }
        if let problem { throw NSError.audio(kAudio_ParamError, problem) }
    }
}
