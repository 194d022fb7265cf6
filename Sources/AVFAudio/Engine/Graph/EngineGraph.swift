/// The structure of an engine's graph: what is attached, connected, and made by the engine itself.
///
/// A value of the engine's, which ``GraphLock`` protects.
struct EngineGraph {
    private(set) var attached: Set<AVAudioNode> = []
    private(set) var players: [AVAudioPlayerNode] = []
    private(set) var connections = GraphConnections()
    private(set) var output: AVAudioOutputNode?
    private(set) var input: AVAudioInputNode?
    private(set) var mainMixer: AVAudioMixerNode?
    /// The format of the output: what the engine renders, or the default.
    private(set) var outputFormat = AVAudioFormat.defaultOfNodes
    /// Whether the app has chosen the main mixer's format, which else follows the output's (E26).
    private var isMainFormatOwn = false

    // MARK: Nodes

    /// Attaches a node, and returns false if another engine has it.
    mutating func attach(_ node: AVAudioNode, to engine: AVAudioEngine) -> Bool {
        guard node.facts.engine == nil || node.facts.engine === engine else { return false }
        node.facts.engine = engine
        if attached.insert(node).inserted, let player = node as? AVAudioPlayerNode { players.append(player) }
        return true
    }

    /// Removes a node and its connections; its ``AVAudioNode/Facts/engine`` stays until it is rendered no more.
    ///
    /// The neighbours of a unit that changed no number of channels are joined (E23).
    mutating func remove(_ node: AVAudioNode) {
        let joint = (node as? AVAudioUnit).flatMap { connections.joint(without: $0) }
        connections.remove { $0.source === node || $0.destination === node }
        if let joint {
            connections.connect(joint.source, to: joint.points)
            setFormat(joint.source.outputFormat, of: joint.source)
        }
        attached.remove(node)
        players.removeAll { $0 === node }
        if node === output { output = nil }
        if node === input { input = nil }
        if node === mainMixer { mainMixer = nil }
    }

    /// The output node, which is made if there is none.
    mutating func madeOutput(for engine: AVAudioEngine) -> AVAudioOutputNode {
        if let output { return output }
        let made = AVAudioOutputNode()
        output = made
        _ = attach(made, to: engine)
        return made
    }

    /// The input node, which is made if there is none.
    mutating func madeInput(for engine: AVAudioEngine) -> AVAudioInputNode {
        if let input { return input }
        let made = AVAudioInputNode()
        input = made
        _ = attach(made, to: engine)
        return made
    }

    /// Takes the tap of the input away, which no change of the mode leaves (E78), and the input's function at its end.
    ///
    /// The result goes without the lock.
    func resetInput(forgets: Bool) -> (tap: NodeTap?, function: AnyObject?) {
        guard let input else { return (nil, nil) }
        defer { input.facts.tap = nil }
        _ = input.follow(nil)
        return (input.facts.tap, forgets ? input.forgetInput() : nil)
    }

    /// The main mixer, which is made, and connected to the output if that is free, if there is none.
    mutating func madeMainMixer(for engine: AVAudioEngine) -> (mixer: AVAudioMixerNode, isNew: Bool) {
        if let mainMixer { return (mainMixer, false) }
        let made = AVAudioMixerNode()
        mainMixer = made
        isMainFormatOwn = false
        _ = attach(made, to: engine)
        let output = madeOutput(for: engine)
        if connections.connection(to: output, bus: 0) == nil {
            connections.connect(made, to: [(output, 0)])
            followOutput()
        }
        return (made, true)
    }

    // MARK: Connections

    /// Connects an output to inputs; without a format the output keeps its own.
    ///
    /// Throws what the rules say.
    mutating func connect(
        _ source: AVAudioNode, _ bus: AVAudioNodeBus, to points: [(node: AVAudioNode, bus: AVAudioNodeBus)],
        format: AVAudioFormat?, in engine: AVAudioEngine
    ) throws {
        let format = format.flatMap { source.isNoFormat($0) ? nil : $0 }
        try ConnectionRules.check(source, bus, points, format, in: engine, connections)
        var next = connections
        next.connect(source, to: points)
        try ConnectionRules.checkTime(next)
        connections = next
        if source === mainMixer && format != nil { isMainFormatOwn = true }
        if source === input && format != nil { input?.noteOwnFormat() }
        setFormat(format ?? source.outputFormat, of: source)
    }

    /// Breaks the connections for which a condition holds.
    mutating func disconnect(where condition: (GraphConnection) -> Bool) { connections.remove(where: condition) }

    /// Sets a node's output format, which the inputs that it leads to take over.
    func setFormat(_ format: AVAudioFormat, of source: AVAudioNode) {
        let isNew = source.facts.output?.isEqual(format) != true
        source.facts.output = format
        for connection in connections.connections(from: source) {
            connection.destination.facts.inputs[connection.destinationBus] = format
        }
        guard isNew else { return }
        source.outputFormatChanged()
        source.facts.tap?.follow(format)
    }

    /// Changes the input's format to that of the device, which its output follows unless the app has chosen one.
    func setInputFormat(_ format: AVAudioFormat) {
        guard let input, let next = input.follow(format) else { return }
        setFormat(next, of: input)
    }

    /// Changes the output's format.
    mutating func setOutputFormat(_ format: AVAudioFormat?) {
        outputFormat = format ?? .defaultOfNodes
        followOutput()
    }

    private func followOutput() {
        guard let mainMixer, let output, !isMainFormatOwn,
            connections.connection(to: output, bus: 0)?.source === mainMixer
        else { return }
        setFormat(outputFormat.standardized, of: mainMixer)
    }
}
