internal import AudioGraph

/// One connection from a node's output to an input of another one.
///
/// What the connection sounds like belongs to it and outlives programs: gains, and the filter of its rate conversion.
// SAFETY: `GraphLock` protects the variables; the constants are Sendable.
final class GraphConnection: @unchecked Sendable {
    let source: AVAudioNode
    let destination: AVAudioNode
    let destinationBus: AVAudioNodeBus
    /// Volume and pan at a mixer's input.
    let input = MixerInput()
    private var resampler: Resampler?
    private weak var lentDestination: AVAudioMixingDestination?

    /// A connection with the source's gains.
    init(_ source: AVAudioNode, _ destination: AVAudioNode, bus: AVAudioNodeBus) {
        self.source = source
        self.destination = destination
        destinationBus = bus
        input.volume = source.facts.volume
        input.pan = source.facts.pan
    }

    /// The resampler between two rates; the same one as long as they stay.
    func resampler(from inputRate: Double, to outputRate: Double, channels: Int) -> Resampler {
        if let resampler, resampler.inputRate == inputRate, resampler.outputRate == outputRate,
            resampler.channels == channels
        {
            return resampler
        }
        let made = Resampler(from: inputRate, to: outputRate, channels: channels)
        resampler = made
        return made
    }

    /// The object that shows this connection's gains to the app; the same one as long as the app has it.
    func mixingDestination() -> AVAudioMixingDestination {
        if let lentDestination { return lentDestination }
        let made = AVAudioMixingDestination(self)
        lentDestination = made
        return made
    }
}

/// The connections of an engine: a value with the rules of E13 to E16.
struct GraphConnections {
    private(set) var all: [GraphConnection] = []

    /// The connection that leads to an input.
    func connection(to node: AVAudioNode, bus: AVAudioNodeBus) -> GraphConnection? {
        all.first { $0.destination === node && $0.destinationBus == bus }
    }

    /// The connections that lead to a node, the lowest bus first.
    func connections(to node: AVAudioNode) -> [GraphConnection] {
        all.filter { $0.destination === node }.sorted { $0.destinationBus < $1.destinationBus }
    }

    /// The connections that begin at a node, the oldest first.
    func connections(from node: AVAudioNode) -> [GraphConnection] { all.filter { $0.source === node } }

    /// The lowest input of a node without a connection.
    func nextFreeBus(of node: AVAudioNode) -> AVAudioNodeBus {
        let taken = Set(connections(to: node).map(\.destinationBus))
        var bus = 0
        while taken.contains(bus) { bus += 1 }
        return bus
    }

    /// Whether sound of `source` reaches `node`, or is its own.
    func reaches(_ node: AVAudioNode, from source: AVAudioNode) -> Bool {
        var (seen, waiting): (Set<ObjectIdentifier>, [AVAudioNode]) = ([], [source])
        while let next = waiting.popLast() {
            if next === node { return true }
            if seen.insert(ObjectIdentifier(next)).inserted { waiting += connections(from: next).map(\.destination) }
        }
        return false
    }

    /// The greatest delay of the nodes behind a node, in seconds.
    func delay(behind node: AVAudioNode) -> TimeInterval {
        var known: [ObjectIdentifier: TimeInterval] = [:]
        return delay(behind: node, &known)
    }

    private func delay(behind node: AVAudioNode, _ known: inout [ObjectIdentifier: TimeInterval]) -> TimeInterval {
        if let delay = known[ObjectIdentifier(node)] { return delay }
        var greatest = 0.0
        for next in connections(from: node).map(\.destination) {
            greatest = max(greatest, next.delay + delay(behind: next, &known))
        }
        known[ObjectIdentifier(node)] = greatest
        return greatest
    }

    /// A unit that changes the time, and a node above it with a way that passes it by (E16).
    var passedUnit: (unit: AVAudioUnitTimeEffect, node: AVAudioNode)? {
        for unit in all.compactMap({ $0.destination as? AVAudioUnitTimeEffect }) {
            var (above, waiting): (Set<ObjectIdentifier>, [AVAudioNode]) = ([ObjectIdentifier(unit)], [unit])
            var nodes: [AVAudioNode] = []
            while let next = waiting.popLast() {
                for source in connections(to: next).map(\.source)
                where above.insert(ObjectIdentifier(source)).inserted {
                    nodes.append(source)
                    waiting.append(source)
                }
            }
            let passing = nodes.first { node in
                connections(from: node).contains { !above.contains(ObjectIdentifier($0.destination)) }
            }
            if let passing { return (unit, passing) }
        }
        return nil
    }

    /// Replaces what begins at `source` and what leads to the given inputs; connections that stay are kept.
    mutating func connect(_ source: AVAudioNode, to points: [(node: AVAudioNode, bus: AVAudioNodeBus)]) {
        all.removeAll { connection in
            let isWanted = points.contains {
                $0.node === connection.destination && $0.bus == connection.destinationBus
            }
            return (connection.source === source) != isWanted
        }
        for point in points where connection(to: point.node, bus: point.bus) == nil {
            all.append(GraphConnection(source, point.node, bus: point.bus))
        }
    }

    /// The connections of a unit's source once the unit is gone, what the unit led to among them.
    ///
    /// Nil for a unit that lacks a connection on one side, or whose source has another number of channels.
    func joint(without unit: AVAudioUnit) -> (source: AVAudioNode, points: [(node: AVAudioNode, bus: AVAudioNodeBus)])?
    {
        let ways = connections(from: unit)
        guard let source = connection(to: unit, bus: 0)?.source, !ways.isEmpty,
            source.outputFormat.channelCount == unit.outputFormat.channelCount
        else { return nil }
        let others = connections(from: source).filter { $0.destination !== unit }
        return (source, (others + ways).map { ($0.destination, $0.destinationBus) })
    }

    /// Removes the connections for which a condition holds.
    mutating func remove(where condition: (GraphConnection) -> Bool) { all.removeAll(where: condition) }
}
