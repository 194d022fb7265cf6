internal import AudioGraph

/// Makes a program of the part of a graph that leads to its output.
///
/// It runs with ``GraphLock`` held. Each node adds its own operations; a node that leads to several others is rendered
/// once.
struct GraphCompiler {
    /// The most frames of a block: E135 promises apps that no block is longer.
    static let longestBlock = 4096

    /// Where the input's sound comes from.
    enum InputSide {
        /// From the app, in manual rendering, or from nowhere.
        case none
        /// From the device, by the output's clock.
        case played(CaptureRendering)
        /// From the device, by its own clock.
        case captured(CaptureRendering)
    }

    var builder: ProgramBuilder
    /// Where the input's sound comes from.
    let input: InputSide
    /// What is rendered by the input's clock; read by the input.
    let division: InputDivision
    /// The clock for the functions that the program calls.
    let clock: ProgramClock
    /// The nodes that are rendered, and where.
    private(set) var rendered: [ObjectIdentifier: NodePlace] = [:]
    private let connections: GraphConnections
    private let place: NodePlace
    private var buses: [ObjectIdentifier: ProgramBuilder.Bus] = [:]

    init(_ graph: EngineGraph, rate: Double, input: InputSide, clock: RenderClock? = nil) {
        self.init(graph.connections, InputDivision(graph), input, NodePlace(rate: rate), ProgramClock(clock: clock))
    }

    private init(
        _ connections: GraphConnections, _ division: InputDivision, _ input: InputSide, _ place: NodePlace,
        _ clock: ProgramClock
    ) {
        self.clock = clock
        self.connections = connections
        self.division = division
        self.input = input
        self.place = place
        builder = ProgramBuilder(maximumFrames: Self.longestBlock, rate: place.rate)
    }

    /// The program whose sound is what reaches the output, in a format's rate and channels.
    ///
    /// Without an output it is silent. What reaches a sink is rendered, too, except for what the input's clock renders.
    static func program(
        _ graph: EngineGraph, format: AVAudioFormat, input: InputSide, clock: RenderClock?
    ) -> (program: Program, rendered: [ObjectIdentifier: NodePlace]) {
        var compiler = GraphCompiler(graph, rate: format.sampleRate, input: input, clock: clock)
        let (connections, output) = (graph.connections, graph.output)
        let channels = Int(format.channelCount)
        if let output { compiler.rendered[ObjectIdentifier(output)] = compiler.place }
        var bus: ProgramBuilder.Bus
        if let output, let connection = connections.connection(to: output, bus: 0) {
            bus = compiler.sound(of: connection, rate: format.sampleRate)
            if bus.channels != channels { bus = compiler.builder.addRoute(bus, channels: channels) }
        } else {
            bus = compiler.builder.addSource(channels: channels) { _, _, _ in false }
        }
        compiler.addSinks()
        return (compiler.builder.finish(output: bus), compiler.rendered)
    }

    /// The program of what the input's clock renders: the input's tap, its sinks, and what is on its way to the output.
    static func program(
        _ graph: EngineGraph, of input: AVAudioInputNode, _ capture: CaptureRendering
    ) -> (program: Program, rendered: [ObjectIdentifier: NodePlace]) {
        let rate = capture.format.sampleRate
        var compiler = GraphCompiler(graph, rate: rate, input: .captured(capture), clock: capture.clock)
        _ = compiler.output(of: input)
        compiler.addSinks()
        // Nobody hears it.
        let silence = compiler.builder.addSource(channels: 1) { _, _, _ in false }
        return (compiler.builder.finish(output: silence), compiler.rendered)
    }

    /// Whether the program is that of the input's clock.
    private var isOfInput: Bool { if case .captured = input { true } else { false } }

    /// Whether another program has the sound of the input's tap.
    private var isPlayed: Bool { if case .played = input { true } else { false } }

    /// Whether a sink belongs to the program.
    private func has(_ sink: AVAudioSinkNode) -> Bool {
        if case .none = input { return true }
        return division.sinks.contains(ObjectIdentifier(sink)) == isOfInput
    }

    /// Adds the sinks, each of which takes the sound of its connection as it is.
    private mutating func addSinks() {
        for connection in connections.all {
            guard let sink = connection.destination as? AVAudioSinkNode, has(sink) else { continue }
            rendered[ObjectIdentifier(sink)] = place
            let bus = output(of: connection.source)
            let format = connection.source.outputFormat
            guard let call = SinkCall(format, frames: longestBlock(atRate: bus.rate), clock, sink.block) else {
                continue
            }
            builder.addSink(bus) { samples, frames, position in call.give(samples, frames, position) }
        }
    }

    /// The most frames of a block at a node's rate.
    func longestBlock(atRate rate: Double) -> Int { RateRatio(rate, to: place.rate).position(Self.longestBlock) + 1 }

    /// The most frames at a node's rate that are rendered during one block of the engine's output.
    func longestAdvance(atRate rate: Double) -> Int {
        Int(Double(longestBlock(atRate: rate)) * place.greatestSpeed)
    }

    /// The sounds that reach a mixer, at its rate.
    ///
    /// Those of another rate are mixed at that rate and converted together: a conversion takes a hundred times as long as
    /// a mix. `filters` has a converter for each of these rates: the last program's are reused, the others are dropped.
    mutating func inputs(
        of mixer: AVAudioNode, _ format: AVAudioFormat, by filters: inout [Double: Resampler]
    ) -> [ProgramBuilder.Connection] {
        var (inputs, others): ([ProgramBuilder.Connection], [Double: [ProgramBuilder.Connection]]) = ([], [:])
        for connection in connections.connections(to: mixer) {
            let bus = output(of: connection.source)
            if bus.rate == format.sampleRate {
                inputs.append(.init(bus, connection.input))
            } else {
                others[bus.rate, default: []].append(.init(bus, connection.input))
            }
        }
        let (former, channels) = (filters, Int(format.channelCount))
        filters = [:]
        for (rate, group) in others.sorted(by: { $0.key < $1.key }) {
            let mix = builder.addMixer(channels: channels, rate: rate, inputs: group, output: MixerOutput())
            var filter = former[rate]
            inputs.append(.init(fitted(mix, to: format, by: &filter), MixerInput()))
            filters[rate] = filter
        }
        return inputs
    }

    /// The sound that reaches the only input of a node, in the rate and channels of a format; silence without a connection.
    mutating func input(of node: AVAudioNode, _ format: AVAudioFormat) -> ProgramBuilder.Bus {
        let channels = Int(format.channelCount)
        guard let connection = connections.connection(to: node, bus: 0) else {
            return builder.addSource(channels: channels, rate: format.sampleRate) { _, _, _ in false }
        }
        let bus = sound(of: connection, rate: format.sampleRate)
        return bus.channels == channels ? bus : builder.addRoute(bus, channels: channels)
    }

    /// The sound of a unit that changes the time: what leads to it is a program of the unit's own.
    mutating func timed(
        _ unit: AVAudioUnitTimeEffect, by effect: TimeEffect, _ format: AVAudioFormat
    ) -> ProgramBuilder.Bus {
        let clock = ProgramClock(clock: clock.clock, isNested: true)
        var above = GraphCompiler(connections, division, input, place.above(effect), clock)
        let bus = above.input(of: unit, format)
        rendered.merge(above.rendered) { $1 }
        return builder.addTimeEffect(effect, of: above.builder.finish(output: bus))
    }

    /// The sound of a connection, at its destination's rate.
    private mutating func sound(of connection: GraphConnection, rate: Double) -> ProgramBuilder.Bus {
        let bus = output(of: connection.source)
        guard bus.rate != rate else { return bus }
        let resampler = connection.resampler(from: bus.rate, to: rate, channels: bus.channels)
        return builder.addConversion(bus, by: resampler)
    }

    /// Sound in another rate and number of channels, by a filter that is made if there is none for these rates.
    mutating func fitted(
        _ sound: ProgramBuilder.Bus, to format: AVAudioFormat, by resampler: inout Resampler?
    ) -> ProgramBuilder.Bus {
        var bus = sound
        if bus.rate != format.sampleRate {
            if resampler?.inputRate != bus.rate || resampler?.outputRate != format.sampleRate
                || resampler?.channels != bus.channels
            {
                resampler = nil
            }
            let filter = resampler ?? Resampler(from: bus.rate, to: format.sampleRate, channels: bus.channels)
            resampler = filter
            bus = builder.addConversion(bus, by: filter)
        }
        let channels = Int(format.channelCount)
        return bus.channels == channels ? bus : builder.addRoute(bus, channels: channels)
    }

    private mutating func output(of node: AVAudioNode) -> ProgramBuilder.Bus {
        let key = ObjectIdentifier(node)
        if let known = buses[key] { return known }
        rendered[key] = place
        let bus = node.addOperations(to: &self)
        if let tap = node.facts.tap, !(isPlayed && node is AVAudioInputNode) { builder.addTap(bus, tap.window) }
        buses[key] = bus
        return bus
    }
}
