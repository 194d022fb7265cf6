import AudioRealtime

/// Collects the operations of a ``Program``, in the order in which they are to run.
///
/// A bus is written by one operation and may be read by any number of later ones, so a circle cannot be written down.
/// A builder belongs to one thread.
package struct ProgramBuilder {
    /// One output of an operation.
    package struct Bus {
        let samples: Samples
        let clock: UnsafeMutablePointer<RenderClock>
        /// The sample rate in Hz.
        package let rate: Double

        /// Number of channels.
        package var channels: Int { samples.channelCount }
    }

    /// A bus that leads to a mixer.
    package struct Connection {
        let bus: Bus
        let input: MixerInput

        /// Leads `bus` to a mixer with the volume and pan of `input`, which no other connection of the program may have.
        package init(_ bus: Bus, _ input: MixerInput) {
            self.bus = bus
            self.input = input
        }
    }

    private let maximumFrames: Int
    private let rate: Double
    private let memory = ProgramMemory()
    private var steps: [Step] = []
    private var clocks: [Double: UnsafeMutablePointer<RenderClock>] = [:]

    /// Creates a builder for programs that render at most `maximumFrames` frames at once, at a rate in Hz.
    ///
    /// The rate is that of the program's output; it matters only where something has another one.
    package init(maximumFrames: Int, rate: Double = 48_000) {
        precondition(maximumFrames > 0, "a program renders at least one frame")
        self.maximumFrames = maximumFrames
        self.rate = rate
    }

    /// Adds a source with a number of channels; without a rate, in Hz, it has the output's.
    package mutating func addSource(channels: Int, rate: Double? = nil, block: @escaping SourceBlock) -> Bus {
        precondition(channels > 0, "a source has a channel")
        let bus = makeBus(channels: channels, rate: rate)
        let place = memory.allocate(SourceBlock.self, count: 1)
        place.initialize(to: block)
        steps.append(.source(place, bus.samples, bus.clock))
        return bus
    }

    /// Adds a mixer; without connections it is silent.
    ///
    /// Its rate, the output's if nil, is that of all its inputs.
    package mutating func addMixer(
        channels: Int, rate: Double? = nil, inputs: [Connection], output: MixerOutput
    ) -> Bus {
        precondition(channels > 0, "a mixer has a channel")
        let bus = makeBus(channels: channels, rate: rate)
        precondition(inputs.allSatisfy { $0.bus.rate == bus.rate }, "a mixer and its inputs have one rate")
        let list = memory.allocate(MixInput.self, count: inputs.count)
        for (index, connection) in inputs.enumerated() {
            memory.keep(connection.input)
            (list + index).initialize(to: mixInput(connection, outputs: channels))
        }
        memory.keep(output)
        let step = memory.allocate(MixStep.self, count: 1)
        step.initialize(
            to: MixStep(inputs: list, inputCount: inputs.count, samples: bus.samples, state: output.state))
        steps.append(.mix(step, bus.clock))
        return bus
    }

    /// Adds a change of the number of channels at the gains of ``ChannelMatrix``: nothing is panned.
    package mutating func addRoute(_ source: Bus, channels: Int) -> Bus {
        precondition(channels > 0, "a route has a channel")
        let bus = makeBus(channels: channels, rate: source.rate)
        let (input, output) = (MixerInput(), MixerOutput())
        let list = memory.allocate(MixInput.self, count: 1)
        list.initialize(to: mixInput(Connection(source, input), outputs: channels, isPanned: false))
        memory.keep(input)
        memory.keep(output)
        let step = memory.allocate(MixStep.self, count: 1)
        step.initialize(to: MixStep(inputs: list, inputCount: 1, samples: bus.samples, state: output.state))
        steps.append(.mix(step, bus.clock))
        return bus
    }

    /// Adds a conversion of the rate, by a resampler that no other conversion of the program has.
    package mutating func addConversion(_ source: Bus, by resampler: Resampler) -> Bus {
        precondition(
            source.rate == resampler.inputRate && source.channels == resampler.channels,
            "a resampler is made for its input")
        let bus = makeBus(channels: source.channels, rate: resampler.outputRate)
        memory.keep(resampler)
        let work = memory.allocate(
            Float.self, count: resampler.filter.taps + source.clock.pointee.most(of: maximumFrames))
        work.initialize(repeating: 0, count: resampler.filter.taps + source.clock.pointee.most(of: maximumFrames))
        let step = memory.allocate(ResampleStep.self, count: 1)
        step.initialize(
            to: ResampleStep(
                filter: resampler.filter, history: resampler.history, input: source.samples, output: bus.samples,
                inputClock: source.clock, outputClock: bus.clock, work: work))
        steps.append(.resample(step))
        return bus
    }

    /// Adds an effect, which no other operation of the program has.
    package mutating func addEffect(_ source: Bus, _ effect: Effect) -> Bus {
        precondition(
            source.rate == effect.rate && source.channels == effect.channels, "an effect is made for its input")
        let bus = makeBus(channels: source.channels, rate: source.rate)
        memory.keep(effect)
        let step = memory.allocate(EffectStep.self, count: 1)
        step.initialize(
            to: EffectStep(state: effect.state, input: source.samples, output: bus.samples, clock: bus.clock))
        steps.append(.effect(step))
        return bus
    }

    /// Adds a time effect, which no other operation has, and the program of the graph above it, in its format.
    ///
    /// The program is rendered by the effect alone, and never published.
    package mutating func addTimeEffect(_ effect: TimeEffect, of inner: Program) -> Bus {
        precondition(
            inner.state.pointee.output.channelCount == effect.channels
                && inner.state.pointee.maximumFrames >= TimeState.longestPull,
            "a time effect is made for its input")
        let bus = makeBus(channels: effect.channels, rate: effect.rate)
        memory.keep(effect)
        memory.keep(inner)
        let step = memory.allocate(TimeStep.self, count: 1)
        step.initialize(
            to: TimeStep(state: effect.state, inner: inner.state, output: bus.samples, clock: bus.clock))
        steps.append(.time(step))
        return bus
    }

    /// Adds a window on a bus, which has as many channels.
    package mutating func addTap(_ bus: Bus, _ window: TapBuffer) {
        precondition(bus.channels == window.channels, "a window is made for its bus")
        memory.keep(window)
        let step = memory.allocate(TapStep.self, count: 1)
        step.initialize(to: TapStep(state: window.state, samples: bus.samples, clock: bus.clock))
        steps.append(.tap(step))
    }

    /// Adds a sink, which is given each block of a bus.
    package mutating func addSink(_ bus: Bus, block: @escaping SinkBlock) {
        let place = memory.allocate(SinkBlock.self, count: 1)
        place.initialize(to: block)
        steps.append(.sink(place, bus.samples, bus.clock))
    }

    /// Ends the program, whose sound is that of `output`.
    package consuming func finish(output: Bus) -> Program {
        precondition(output.rate == rate, "the output has the program's rate")
        return Program(
            steps: steps, clocks: Array(clocks.values), output: output.samples, maximumFrames: maximumFrames,
            memory: memory)
    }

    private mutating func makeBus(channels: Int, rate wanted: Double?) -> Bus {
        let busRate = wanted ?? rate
        let clock = clock(busRate)
        let samples = memory.samples(channels: channels, frames: clock.pointee.most(of: maximumFrames))
        return Bus(samples: samples, clock: clock, rate: busRate)
    }

    private mutating func clock(_ busRate: Double) -> UnsafeMutablePointer<RenderClock> {
        if let known = clocks[busRate] { return known }
        let clock = memory.allocate(RenderClock.self, count: 1)
        clock.initialize(to: RenderClock(ratio: RateRatio(busRate, to: rate)))
        clocks[busRate] = clock
        return clock
    }

    private func mixInput(_ connection: Connection, outputs: Int, isPanned: Bool = true) -> MixInput {
        let inputs = connection.bus.samples.channelCount
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(inputs), to: ChannelMatrix.standard(outputs))
        let coefficients = memory.allocate(Float.self, count: matrix.coefficients.count)
        for (index, gain) in matrix.coefficients.enumerated() { (coefficients + index).initialize(to: gain) }
        let isStereo = matrix.leftOutput != nil
        return MixInput(
            samples: connection.bus.samples, state: connection.input.state, coefficients: coefficients,
            law: !isStereo || !isPanned ? .none : inputs == 1 ? .constantPower : .balance,
            leftOutput: matrix.leftOutput ?? -1, rightOutput: matrix.rightOutput ?? -1)
    }
}
