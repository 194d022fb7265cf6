/// What of a graph the input's clock renders, and what the output's.
///
/// A sink whose sound comes from the input alone, and whose way shares no node with what leads elsewhere, is the input's.
/// All else is the output's.
struct InputDivision {
    /// The sinks that the input's clock renders.
    let sinks: Set<ObjectIdentifier>
    /// Whether sound of the input leads to the output, or to a sink of the output's.
    let isLed: Bool

    /// The division of a graph; called with ``GraphLock`` held.
    init(_ graph: EngineGraph) {
        let connections = graph.connections
        guard let input = graph.input else {
            sinks = []
            isLed = false
            return
        }
        let all = connections.all.map(\.destination).filter { $0 is AVAudioSinkNode }
        let ways = all.map { (sink: $0, nodes: connections.nodes(leadingTo: $0)) }
        // Mixers without inputs are silent, and so no sound of another node.
        var own = ways.filter { way in
            way.nodes.contains(input)
                && !way.nodes.contains {
                    $0 !== input && !($0 is AVAudioMixerNode) && connections.connections(to: $0).isEmpty
                }
        }
        var others = Set<AVAudioNode>()
        if let output = graph.output { others = connections.nodes(leadingTo: output) }
        var isSettled = false
        while !isSettled {
            let outer = ways.filter { way in !own.contains { $0.sink === way.sink } }
            let foreign = outer.reduce(others) { $0.union($1.nodes) }.subtracting([input])
            let kept = own.filter { $0.nodes.isDisjoint(with: foreign) }
            isSettled = kept.count == own.count
            own = kept
        }
        sinks = Set(own.map { ObjectIdentifier($0.sink) })
        isLed =
            others.contains(input)
            || ways.contains { way in
                way.nodes.contains(input) && !own.contains { $0.sink === way.sink }
            }
    }
}

/// What a start of a graph needs of the devices.
struct EngineNeeds {
    /// Whether there is an output node.
    var output = false
    /// Whether a node that makes sound leads to the output.
    var isOutputFed = false
    /// Whether something uses the input: a connection or a tap.
    var input = false
    /// Whether something at the input takes over the device's format: a tap without a format, or a sink.
    var followsInput = false
}

extension EngineGraph {
    /// What a start needs; called with ``GraphLock`` held.
    var needs: EngineNeeds {
        let leading = output.map { connections.nodes(leadingTo: $0) } ?? []
        let tap = input?.facts.tap
        let isConnected = input.map { !connections.connections(from: $0).isEmpty } ?? false
        return EngineNeeds(
            output: output != nil, isOutputFed: leading.contains { !($0 is AVAudioMixerNode) && $0 !== output },
            input: tap != nil || isConnected,
            followsInput: tap?.followsSound == true || !InputDivision(self).sinks.isEmpty)
    }
}

extension GraphConnections {
    /// The nodes whose sound reaches a node, and the node itself.
    func nodes(leadingTo node: AVAudioNode) -> Set<AVAudioNode> {
        var (seen, waiting): (Set<AVAudioNode>, [AVAudioNode]) = ([], [node])
        while let next = waiting.popLast() {
            if seen.insert(next).inserted { waiting += connections(to: next).map(\.source) }
        }
        return seen
    }
}
