internal import AudioGraph
internal import Synchronization

/// A graph of nodes that makes, mixes and renders sound.
///
/// An engine plays through its app's `AVAudioSession`, as a player does: it is interrupted, ducked, muted and moved with the
/// session. In manual rendering it plays nothing, and renders offline or in the app's own sound thread.
///
/// Any thread may use an engine. Changes of the graph are allowed at any time, and are heard in the next block.
/// Calls that take nodes or connections away wait for the end of the block that is being rendered, at most, so that an
/// app's functions are not called afterwards.
///
/// The engine retains the nodes that are attached, and they do not retain it.
///
/// Apple: `AVAudioEngine`
// SAFETY: `GraphLock` protects the graph; the rendering protects itself.
nonisolated open class AVAudioEngine: NSObject, @unchecked Sendable {
    /// The graph; read by nodes, with ``GraphLock`` held.
    private(set) var graph = EngineGraph()
    /// The rendering; read by nodes.
    let rendering = EngineRendering()
    /// The part in the session; read by nodes.
    let device: EngineDevice
    private let service = EngineService()

    deinit {
        let (graph, rendering, device) = (graph, rendering, device)
        rendering.pause()
        GraphLock.withoutLock {
            device.release()
            rendering.settle()
            for player in graph.players { player.stop() }
            withExtendedLifetime(rendering) {}
        }
    }

    /// An engine without nodes; no server is asked before ``start()``, or a question about the device.
    ///
    /// Apple: `AVAudioEngine.init()`
    public override init() {
        device = EngineDevice(.sharedInstance(), rendering)
        super.init()
        join(device)
    }

    /// An engine in a separate session, for tests.
    package init(session: AVAudioSession) {
        device = EngineDevice(session, rendering)
        super.init()
        join(device)
    }

    private func join(_ device: EngineDevice) {
        device.onChange = { [weak self] in self?.configurationChanged() }
        device.graph = EngineGraphDoor(
            needs: { [weak self] in GraphLock.withLock { self?.graph.needs } ?? EngineNeeds() },
            isManual: { [weak self] in self?.isInManualRenderingMode == true },
            takeInputFormat: { [weak self] format in GraphLock.withLock { self?.graph.setInputFormat(format) } },
            compile: { [weak self] in self?.compileAgain() })
    }

    // MARK: Nodes

    /// The nodes that are attached, those that the engine has made itself among them.
    ///
    /// Apple: `AVAudioEngine.attachedNodes`
    public var attachedNodes: Set<AVAudioNode> { GraphLock.withLock { graph.attached } }

    /// The node whose sound is heard or rendered; made when it is first read, without a connection to a server.
    ///
    /// Apple: `AVAudioEngine.outputNode`
    public var outputNode: AVAudioOutputNode { GraphLock.withLock { graph.madeOutput(for: self) } }

    /// The node where the input's sound comes from; made when it is first read, and connected to nothing.
    ///
    /// Its sound is that of the session's microphone, or of the app's function in manual rendering. Reading it opens no
    /// microphone, and asks for no permission.
    ///
    /// Apple: `AVAudioEngine.inputNode`
    public var inputNode: AVAudioInputNode { GraphLock.withLock { graph.madeInput(for: self) } }

    /// The mixer that leads to the output; made, and connected to it, when it is first read.
    ///
    /// Its format follows the output's until the app connects it with a format.
    ///
    /// Apple: `AVAudioEngine.mainMixerNode`
    public var mainMixerNode: AVAudioMixerNode {
        let (mixer, isNew) = GraphLock.withLock {
            let made = graph.madeMainMixer(for: self)
            if made.isNew { rendering.compile(graph) }
            return made
        }
        if isNew { rendering.settle() }
        return mixer
    }

    /// Attaches a node; nothing happens if it is attached to this engine already.
    ///
    /// A node that is attached to another engine ends the program: detach it there first.
    ///
    /// Apple: `AVAudioEngine.attach(_:)`, which raises an exception for nodes of other engines.
    open func attach(_ node: AVAudioNode) {
        let isOurs = GraphLock.withLock { graph.attach(node, to: self) }
        precondition(isOurs, "\(node.name) is attached to another engine: detach it there first.")
    }

    /// Detaches a node and breaks its connections; nothing happens if it is not attached here.
    ///
    /// Waits for the end of the block that is being rendered.
    ///
    /// Apple: `AVAudioEngine.detach(_:)`
    open func detach(_ node: AVAudioNode) {
        GraphLock.withLock {
            guard node.facts.engine === self else { return }
            graph.remove(node)
            rendering.compile(graph)
        }
        settle()
        GraphLock.withLock {
            if node.facts.engine === self, !graph.attached.contains(node) { node.facts.engine = nil }
        }
    }

    // MARK: Connections

    /// Connects outputs and inputs 0, or the first free input of a mixer; the connection before goes.
    ///
    /// - Parameters:
    ///   - format: The format of the source's output, which the input takes over; nil leaves it as it is.
    ///
    /// Nodes without an engine are attached first. What ``connectNode(_:to:format:)`` throws for another reason ends
    /// the program with the same text.
    ///
    /// Apple: `AVAudioEngine.connect(_:to:format:)`, which raises an exception.
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        attachIfFree([node1, node2])
        orStop { try connectNode(node1, to: node2, format: format) }
    }

    /// Connects an output and an input; what was connected to either goes.
    ///
    /// Nodes without an engine are attached first. What the throwing form throws for another reason ends the program.
    ///
    /// Apple: `AVAudioEngine.connect(_:to:fromBus:toBus:format:)`, which raises an exception.
    open func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        attachIfFree([node1, node2])
        orStop { try connectNode(node1, to: node2, fromBus: bus1, toBus: bus2, format: format) }
    }

    /// Connects an output to several inputs; its other connections, and those of the inputs, go.
    ///
    /// Nodes without an engine are attached first. What the throwing form throws for another reason ends the program.
    ///
    /// Apple: `AVAudioEngine.connect(_:to:fromBus:format:)`, which raises an exception.
    open func connect(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        attachIfFree([sourceNode] + destNodes.compactMap(\.node))
        orStop { try connectNode(sourceNode, to: destNodes, fromBus: sourceBus, format: format) }
    }

    /// Connects outputs and inputs 0, or the first free input of a mixer; the connection before goes.
    ///
    /// Throws in the domain `com.apple.coreaudio.avfaudio`: −10867 for a node that is not attached, `kAudio_ParamError`
    /// for one of another engine, −10877 for a bus that does not exist, −10876 for a circle, −10868 for a format that
    /// cannot be rendered.
    ///
    /// Apple: `AVAudioEngine.connectNode(_:to:format:)`
    open func connectNode(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) throws {
        try join(node1, 0, format) { [self] in
            let isMixer = node2.inputLimit == nil
            return [(node2, isMixer ? graph.connections.nextFreeBus(of: node2) : 0)]
        }
    }

    /// Connects an output and an input; what was connected to either goes.
    ///
    /// Throws as ``connectNode(_:to:format:)``.
    ///
    /// Apple: `AVAudioEngine.connectNode(_:to:fromBus:toBus:format:)`
    open func connectNode(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        try join(node1, bus1, format) { [(node2, bus2)] }
    }

    /// Connects an output to several inputs; its other connections, and those of the inputs, go.
    ///
    /// Throws as ``connectNode(_:to:format:)``, and `kAudio_ParamError` for a point whose node is gone.
    ///
    /// Apple: `AVAudioEngine.connectNode(_:to:fromBus:format:)`
    open func connectNode(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        let points = destNodes.compactMap { point in point.node.map { (node: $0, bus: point.bus) } }
        guard points.count == destNodes.count else {
            throw NSError.audio(kAudio_ParamError, "A node to connect to is gone.")
        }
        try join(sourceNode, sourceBus, format) { points }
    }

    /// Breaks the connection of an input; nothing happens without one.
    ///
    /// Waits for the end of the rendered block.
    ///
    /// Apple: `AVAudioEngine.disconnectNodeInput(_:bus:)`
    open func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        disconnect { $0.destination === node && $0.destinationBus == bus }
    }

    /// Breaks the connections of all inputs.
    ///
    /// Waits for the end of the rendered block.
    ///
    /// Apple: `AVAudioEngine.disconnectNodeInput(_:)`
    open func disconnectNodeInput(_ node: AVAudioNode) { disconnect { $0.destination === node } }

    /// Breaks the connections of an output; nothing happens without one.
    ///
    /// Waits for the end of the rendered block.
    ///
    /// Apple: `AVAudioEngine.disconnectNodeOutput(_:bus:)`
    open func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        disconnect { $0.source === node && bus == 0 }
    }

    /// Breaks the connections of all outputs.
    ///
    /// Waits for the end of the rendered block.
    ///
    /// Apple: `AVAudioEngine.disconnectNodeOutput(_:)`
    open func disconnectNodeOutput(_ node: AVAudioNode) { disconnect { $0.source === node } }

    /// The output that an input is connected to; nil without a connection.
    ///
    /// Apple: `AVAudioEngine.inputConnectionPoint(for:inputBus:)`
    open func inputConnectionPoint(for node: AVAudioNode, inputBus bus: AVAudioNodeBus) -> AVAudioConnectionPoint? {
        GraphLock.withLock {
            graph.connections.connection(to: node, bus: bus).map { AVAudioConnectionPoint(node: $0.source, bus: 0) }
        }
    }

    /// The inputs that an output is connected to.
    ///
    /// Apple: `AVAudioEngine.outputConnectionPoints(for:outputBus:)`
    open func outputConnectionPoints(for node: AVAudioNode, outputBus bus: AVAudioNodeBus) -> [AVAudioConnectionPoint] {
        guard bus == 0 else { return [] }
        return GraphLock.withLock {
            graph.connections.connections(from: node).map {
                AVAudioConnectionPoint(node: $0.destination, bus: $0.destinationBus)
            }
        }
    }

    private func attachIfFree(_ nodes: [AVAudioNode]) { for node in nodes where node.engine == nil { attach(node) } }

    private func orStop(_ body: () throws -> Void) {
        do { try body() } catch { preconditionFailure((error as NSError).localizedDescription) }
    }

    private func join(
        _ source: AVAudioNode, _ bus: AVAudioNodeBus, _ format: AVAudioFormat?,
        _ points: () -> [(node: AVAudioNode, bus: AVAudioNodeBus)]
    ) throws {
        try GraphLock.withLock {
            let points = points()
            try graph.connect(source, bus, to: points, format: format, in: self)
            rendering.compile(graph)
        }
        settle()
    }

    private func disconnect(_ condition: (GraphConnection) -> Bool) {
        GraphLock.withLock {
            graph.disconnect(where: condition)
            rendering.compile(graph)
        }
        settle()
    }

    /// Waits until replaced programs are not rendered any more, and sees to the microphone that the graph needs now.
    private func settle() {
        rendering.settle()
        if GraphLock.withLock({ graph.input != nil && rendering.manual == nil && rendering.isRunning }) {
            device.followGraph()
        }
    }

    // MARK: Rendering

    /// Whether the engine was started, and neither paused nor stopped.
    ///
    /// An interruption and a deactivation of the session stop the engine as ``pause()`` does. So does the loss of the
    /// server, after whose return the engine can be started again.
    ///
    /// Apple: `AVAudioEngine.isRunning`
    public var isRunning: Bool { rendering.isRunning && device.isSounding }

    /// Kept, and without effect: the output stays open while an engine runs, so that its clock goes on; false at first.
    ///
    /// Apple: `AVAudioEngine.isAutoShutdownEnabled`
    public var isAutoShutdownEnabled: Bool {
        get { device.shutsDown }
        set { device.shutsDown = newValue }
    }

    /// Makes everything ready that ``start()`` needs; `isRunning` stays as it is.
    ///
    /// Apple: `AVAudioEngine.prepare()`
    open func prepare() {
        GraphLock.withLock { rendering.prepare(graph) }
        rendering.settle()
    }

    /// Starts the engine; a running one is left as it is.
    ///
    /// Outside of manual rendering the engine plays to the session's output, in its rate and channels, and opens the
    /// microphone if something uses the input node. The session becomes active if it is not, as by a player. Waits for the
    /// server, for 2 s at most, and for the microphone 3.5 s more. After an interruption, and after ``pause()``, the sound
    /// goes on at the frame where it stopped. An engine without an output node, or whose output nothing leads to in a
    /// category that does not play, takes in only.
    ///
    /// Throws −10875 (`kAudioUnitErr_FailedInitialization`) in the domain `com.apple.coreaudio.avfaudio` for a graph without
    /// an output or input node, in a category that does not play or record what the graph needs, and in a function that
    /// renders. What the session refuses it throws in `NSOSStatusErrorDomain`: 560557684 (`'!int'`) during an interruption
    /// that does not let the session play, 561145187 (`'!rec'`) without a microphone that something uses, and the errors of
    /// `AVAudioSession.setActive(_:)`. Without the permission to record the input is silent, and nothing is thrown.
    ///
    /// Apple: `AVAudioEngine.start()`
    open func start() throws {
        guard !isRunning else { return }
        let needs = try GraphLock.withLock { () -> EngineNeeds? in
            guard graph.output != nil || graph.input != nil else {
                throw NSError.engine(.failedInitialization, "The graph has no output or input node.")
            }
            guard rendering.manual != nil else { return graph.needs }
            begin()
            return nil
        }
        if let needs {
            try device.start(needs) { format, isNew in
                let players = GraphLock.withLock {
                    if let format { graph.setOutputFormat(format) }
                    begin()
                    return isNew ? graph.players : []
                }
                // Of another timeline, which nobody hears any more.
                for player in players { player.tend(heard: .max) }
            }
        }
        rendering.settle()
    }

    /// Lets the engine run; called with ``GraphLock`` held.
    private func begin() {
        rendering.start(graph)
        if rendering.manual?.mode != .offline { service.start { [weak self] in self?.attend() } }
    }

    /// Stops the flow of sound and keeps all else: players and the timeline go on with the next ``start()``.
    ///
    /// Waits for the end of the block that is being rendered.
    ///
    /// Apple: `AVAudioEngine.pause()`
    open func pause() {
        rendering.pause()
        device.pause()
        rendering.settle()
        serve()
        endService()
    }

    /// Stops the flow of sound and all players, as `AVAudioPlayerNode.stop()` does.
    ///
    /// The timeline of manual rendering goes on with the next ``start()``. Waits for the end of the block that is being
    /// rendered.
    ///
    /// Apple: `AVAudioEngine.stop()`
    open func stop() {
        GraphLock.withLock { rendering.stop() }
        device.release()
        rendering.settle()
        for player in players { player.stop() }
        serve()
        endService()
    }

    /// Ends what is done beside the blocks, unless another thread has started the engine meanwhile.
    private func endService() { GraphLock.withLock { if !rendering.isRunning { service.stop() } } }

    /// Resets all nodes, and the timeline of manual rendering to 0; `isRunning` stays as it is.
    ///
    /// Called while it renders, by an app's function that it has called, it leaves the timeline as it is.
    ///
    /// Apple: `AVAudioEngine.reset()`
    open func reset() {
        if let manual = GraphLock.withLock({ rendering.manual }) {
            try? enter(isOther: false) { try manual.restarted() }
        }
        for node in attachedNodes { node.reset() }
    }

    /// Enters another manual rendering, or leaves it; throws what `made` throws, and −80801 while this thread renders.
    ///
    /// - Parameter isOther: Whether the mode is entered or left, which takes the input's tap away.
    private func enter(isOther: Bool = true, _ made: () throws -> ManualRendering?) throws {
        var lost: (tap: NodeTap?, function: AnyObject?)
        if isOther {
            // A running engine whose sound the session has stopped may not be paused yet.
            rendering.pause()
            device.release()
        }
        try rendering.replace(by: made()) { manual in
            graph.setOutputFormat(manual?.format)
            if isOther { lost = graph.resetInput(forgets: manual == nil) }
            rendering.compile(graph)
        }
        lost.tap?.remove()
        serve()
    }

    // MARK: Manual rendering

    /// Makes the engine render when the app asks, without a device.
    ///
    /// It may be called again in the mode: the last format and number hold, and the timeline begins at 0. Connections
    /// stay. Called before the nodes are read or afterwards, it touches no server.
    ///
    /// - Parameters:
    ///   - mode: Offline, or for the app's sound thread, which ``manualRenderingBlock`` serves.
    ///   - pcmFormat: The format of the rendered buffers, one of the common formats of PCM.
    ///   - maximumFrameCount: The most frames of one rendering.
    ///
    /// Throws in the domain `com.apple.coreaudio.avfaudio`: −80801 while the engine runs or renders, −10868 for a format
    /// that cannot be rendered, `kAudio_ParamError` for 0 frames and for more than there is memory for.
    ///
    /// Apple: `AVAudioEngine.enableManualRenderingMode(_:format:maximumFrameCount:)`
    open func enableManualRenderingMode(
        _ mode: AVAudioEngineManualRenderingMode, format pcmFormat: AVAudioFormat,
        maximumFrameCount: AVAudioFrameCount
    ) throws {
        guard !isRunning else { throw NSError.engine(.initialized, "The engine is running: stop it first.") }
        try enter { try ManualRendering(mode, pcmFormat, maximumFrames: maximumFrameCount) }
    }

    /// Stops and resets the engine and leaves manual rendering; nothing happens outside of it.
    ///
    /// Connections stay.
    ///
    /// Called while it renders, by an app's function that it has called, it stops the engine only.
    ///
    /// Apple: `AVAudioEngine.disableManualRenderingMode()`
    open func disableManualRenderingMode() {
        guard isInManualRenderingMode else { return }
        stop()
        reset()
        try? enter { nil }
    }

    /// Whether the engine renders when the app asks.
    ///
    /// Apple: `AVAudioEngine.isInManualRenderingMode`
    public var isInManualRenderingMode: Bool { GraphLock.withLock { rendering.manual != nil } }

    /// The mode of manual rendering; offline outside of it.
    ///
    /// Apple: `AVAudioEngine.manualRenderingMode`
    public var manualRenderingMode: AVAudioEngineManualRenderingMode {
        GraphLock.withLock { rendering.manual?.mode ?? .offline }
    }

    /// The format of the rendered buffers; 0 Hz and no channels outside of manual rendering.
    ///
    /// Apple: `AVAudioEngine.manualRenderingFormat`
    public var manualRenderingFormat: AVAudioFormat { GraphLock.withLock { rendering.manual?.format ?? .none } }

    /// The most frames of one rendering; 0 outside of manual rendering.
    ///
    /// Apple: `AVAudioEngine.manualRenderingMaximumFrameCount`
    public var manualRenderingMaximumFrameCount: AVAudioFrameCount {
        GraphLock.withLock { rendering.manual?.maximumFrames ?? 0 }
    }

    /// The number of frames that were rendered since the timeline's start.
    ///
    /// Apple: `AVAudioEngine.manualRenderingSampleTime`
    public var manualRenderingSampleTime: AVAudioFramePosition {
        GraphLock.withLock { AVAudioFramePosition(rendering.manual?.renderer.position ?? 0) }
    }

    /// Renders the next frames into a buffer, on the calling thread.
    ///
    /// - Parameters:
    ///   - numberOfFrames: The number of frames, which becomes the buffer's `frameLength`.
    ///   - buffer: A buffer of the manual format.
    ///
    /// Returns `success`, or `cannotDoInCurrentContext` without a frame if another thread renders, or the call was made
    /// while this one does. Throws in the domain `com.apple.coreaudio.avfaudio`: −80800 outside of the offline mode,
    /// −80802 before ``start()``, `kAudio_ParamError` for more frames than the maximum or than the buffer has room for,
    /// and for a buffer of another format.
    ///
    /// Apple: `AVAudioEngine.renderOffline(_:to:)`
    open func renderOffline(
        _ numberOfFrames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer
    ) throws -> AVAudioEngineManualRenderingStatus {
        try rendering.renderOffline(
            numberOfFrames, to: buffer, between: { tend() },
            afterwards: { serve() })
    }

    private var players: [AVAudioPlayerNode] { GraphLock.withLock { graph.players } }

    /// A function that renders the next frames into a list; fetched once, then called in either mode.
    ///
    /// In the realtime mode it is the only way to render. It neither waits nor allocates, except where an app's functions
    /// do: files are read, completions called and taps handed on by another thread, every 10 ms. It retains the engine.
    ///
    /// The list has the manual format's buffers. Those without memory get the engine's, valid until the next call; sizes
    /// become those of the frames. The function returns `error` with a code: −80800 outside of manual rendering, −80802
    /// while the engine does not run, `kAudio_ParamError` for more frames than the maximum or than the list has room for.
    /// It returns `cannotDoInCurrentContext` while another thread renders or changes the engine.
    ///
    /// Apple: `AVAudioEngine.manualRenderingBlock`
    public var manualRenderingBlock: AVAudioEngineManualRenderingBlock {
        { [self] frames, list, error in
            let result = rendering.renderBlock(
                frames, to: UnsafeMutableAudioBufferListPointer(list), between: { tend() }, afterwards: { serve() })
            error?.pointee = result.error
            return result.status
        }
    }

    /// Tells the app of another rate or other channels of the device.
    private func configurationChanged() {
        Delivery.perform { [self] in
            NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: self)
        }
    }

    /// Does beside the blocks of the realtime mode, and of the device, what the offline mode does between them.
    ///
    /// The last call comes after the engine was paused or stopped, perhaps by a block that still runs. No later call would
    /// hear of what was wanted during that block, so this one waits for its end.
    private func attend() {
        device.followSession()
        if rendering.isRunning {
            if rendering.takeWish() { serve() }
        } else {
            while !serve() { rendering.awaitEnd() }
            endService()
        }
        tend()
    }

    /// Does what is to be done between two blocks: completions, reading ahead, taps.
    private func tend() {
        let (players, taps) = GraphLock.withLock {
            (graph.players.filter(\.needsTending), graph.attached.compactMap(\.facts.tap))
        }
        let heard = device.heard
        for player in players { player.tend(heard: heard) }
        for tap in taps { tap.gather() }
    }

    /// Compiles the graph with other taps.
    func tapsChanged() {
        GraphLock.withLock { rendering.compile(graph) }
        settle()
    }

    private func compileAgain() {
        GraphLock.withLock { rendering.compile(graph) }
        rendering.settle()
    }

    /// Lets all players carry out their commands, and frees what a stopped engine holds.
    ///
    /// Returns false while somebody renders, after whom it is done.
    @discardableResult
    func serve() -> Bool {
        while rendering.beginChange() {
            let players = players
            for player in players { player.carryOut() }
            rendering.leaveProgram()
            let isWantedAgain = rendering.endChange()
            // Reading files, and freeing what is the app's, takes time in which a block may be rendered.
            rendering.reclaim()
            for player in players { player.tend() }
            guard isWantedAgain else { return true }
        }
        return false
    }
}
