internal import AudioGraph

/// A part of an engine's graph: it makes, mixes, takes or gives sound.
///
/// A node belongs to the engine that it is attached to, and takes part in its sound as soon as its output is connected.
/// Any thread may use it. No call waits, unless it says so.
///
/// Apple: `AVAudioNode`
// SAFETY: `GraphLock` protects `facts`; subclasses protect their own state.
nonisolated open class AVAudioNode: NSObject, @unchecked Sendable {
    /// What the graph knows of a node.
    struct Facts {
        weak var engine: AVAudioEngine?
        /// The format of the output; nil until somebody sets it.
        var output: AVAudioFormat?
        /// The formats of the inputs that have had a connection.
        var inputs: [AVAudioNodeBus: AVAudioFormat] = [:]
        /// The gains at mixers, of a node that has them.
        var volume: Float = 1
        var pan: Float = 0
        /// The tap of the output.
        var tap: NodeTap?
    }

    /// Read and changed with ``GraphLock`` held, by the engine as well.
    var facts = Facts()

    override init() { super.init() }

    // MARK: What subclasses say

    /// The number of inputs that the graph may connect; nil for any number.
    var inputLimit: Int? { 0 }

    /// Whether the node has an output that the graph may connect.
    var hasOutput: Bool { true }

    /// Adds the operations that render the node's output; called with ``GraphLock`` held.
    func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        preconditionFailure("\(type(of: self)) renders nothing")
    }

    /// Notes another output format; called with ``GraphLock`` held, after the change.
    func outputFormatChanged() {}

    /// The delay of the node's own processing, in seconds; called with ``GraphLock`` held.
    var delay: TimeInterval { 0 }

    /// The format of the output while nobody has set one; called with ``GraphLock`` held.
    var defaultOutputFormat: AVAudioFormat { .defaultOfNodes }

    /// The format of an input before its first connection; called with ``GraphLock`` held.
    var defaultInputFormat: AVAudioFormat { .defaultOfNodes }

    /// Whether an output without a connection takes over the format of a tap; called with ``GraphLock`` held.
    var takesFormatOfTap: Bool { true }

    /// Whether a format for the output stands for none, as the format of a device that is not there does.
    func isNoFormat(_ format: AVAudioFormat) -> Bool { false }

    /// The format of the output; called with ``GraphLock`` held.
    final var outputFormat: AVAudioFormat { facts.output ?? defaultOutputFormat }

    // MARK: Facts

    /// The engine that the node is attached to; nil without one.
    ///
    /// Apple: `AVAudioNode.engine`
    public var engine: AVAudioEngine? { GraphLock.withLock { facts.engine } }

    /// The number of inputs.
    ///
    /// A mixer has 8, or as many as its connections need.
    ///
    /// Apple: `AVAudioNode.numberOfInputs`
    public var numberOfInputs: Int {
        GraphLock.withLock {
            guard inputLimit == nil else { return inputLimit ?? 0 }
            let last = facts.engine?.graph.connections.connections(to: self).last
            return max(8, (last?.destinationBus ?? 0) + 1)
        }
    }

    /// The number of outputs: 1, or 0 for output and sink nodes.
    ///
    /// Apple: `AVAudioNode.numberOfOutputs`
    public var numberOfOutputs: Int { hasOutput ? 1 : 0 }

    /// The format of an input: that of its last connection; 0 Hz and no channels for a bus that does not exist.
    ///
    /// Apple: `AVAudioNode.inputFormat(forBus:)`
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus >= 0, bus < inputLimit ?? .max else { return .none }
        return GraphLock.withLock { facts.inputs[bus] ?? defaultInputFormat }
    }

    /// The format of an output; 0 Hz and no channels for a bus that does not exist.
    ///
    /// It is 44 100 Hz in stereo until a connection or a tap sets another one.
    ///
    /// Apple: `AVAudioNode.outputFormat(forBus:)`
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, hasOutput else { return .none }
        return GraphLock.withLock { outputFormat }
    }

    /// The name of an input: nil, as no node here has named ones.
    ///
    /// Apple: `AVAudioNode.name(forInputBus:)`
    open func name(forInputBus bus: AVAudioNodeBus) -> String? { nil }

    /// The name of an output: nil, as no node here has named ones.
    ///
    /// Apple: `AVAudioNode.name(forOutputBus:)`
    open func name(forOutputBus bus: AVAudioNodeBus) -> String? { nil }

    /// The time of the first frame of the newest block, in frames of the node's output.
    ///
    /// Nil while the engine does not run, and for a node that does not lead to the output. It is the time of the next
    /// block before the first one. Its host time is when the frame is heard; manual rendering has none.
    ///
    /// Apple: `AVAudioNode.lastRenderTime`
    public var lastRenderTime: AVAudioTime? {
        guard let engine, engine.isRunning else { return nil }
        if let captured = GraphLock.withLock({ engine.rendering.lastCapture(of: self) }) { return captured }
        let known = GraphLock.withLock { () -> (position: Int, frames: Int, rate: Double)? in
            guard let position = engine.rendering.lastStart(of: self) else { return nil }
            let rate = hasOutput ? outputFormat.sampleRate : engine.rendering.rate
            return (position, engine.rendering.place(of: self).frame(at: position, rate: rate), rate)
        }
        guard let (position, frames, rate) = known else { return nil }
        let sampleTime = AVAudioFramePosition(frames)
        guard let hostTime = engine.device.hostTime(of: position) else {
            return AVAudioTime(sampleTime: sampleTime, atRate: rate)
        }
        return AVAudioTime(hostTime: hostTime, sampleTime: sampleTime, atRate: rate)
    }

    /// The delay of the node's own processing, in seconds: 0 for all nodes but those that change the time.
    ///
    /// Apple: `AVAudioNode.latency`
    public final var latency: TimeInterval { GraphLock.withLock { delay } }

    /// The greatest delay from the node's output to the listener, in seconds: that of the nodes behind it, and the device's.
    ///
    /// Of the device only what the node leads to counts, and nothing in manual rendering. Waits for the server as
    /// `AVAudioIONode.presentationLatency` does.
    ///
    /// Apple: `AVAudioNode.outputPresentationLatency`
    public var outputPresentationLatency: TimeInterval {
        let (output, behind) = GraphLock.withLock { () -> (AVAudioOutputNode?, TimeInterval) in
            guard let graph = facts.engine?.graph else { return (nil, 0) }
            let output = graph.output.flatMap { graph.connections.reaches($0, from: self) ? $0 : nil }
            return (output, graph.connections.delay(behind: self))
        }
        return behind + (output?.presentationLatency ?? 0)
    }

    /// Forgets what the node has gathered, such as the pieces that a player has not played.
    ///
    /// Apple: `AVAudioNode.reset()`
    open func reset() {}
}

extension AVAudioNode {
    /// The class and address, for messages.
    var name: String {
        "\(type(of: self)) 0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16))"
    }
}
