import AudioRealtime

/// Collects the operations of a ``Program``, in the order in which they are to run.
///
/// A bus is written by one operation and may be read by any number of later ones, so a circle cannot be written down.
/// A builder belongs to one thread.
package struct ProgramBuilder {
    /// One output of an operation.
    package struct Bus {
        let samples: Samples
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
    private let memory = ProgramMemory()
    private var steps: [Step] = []

    /// Creates a builder for programs that render at most `maximumFrames` frames at once.
    package init(maximumFrames: Int) {
        precondition(maximumFrames > 0, "a program renders at least one frame")
        self.maximumFrames = maximumFrames
    }

    /// Adds a source with a number of channels.
    package mutating func addSource(channels: Int, block: @escaping SourceBlock) -> Bus {
        precondition(channels > 0, "a source has a channel")
        let samples = memory.samples(channels: channels, frames: maximumFrames)
        let place = memory.allocate(SourceBlock.self, count: 1)
        place.initialize(to: block)
        steps.append(.source(place, samples))
        return Bus(samples: samples)
    }

    /// Adds a mixer; without connections it is silent.
    package mutating func addMixer(channels: Int, inputs: [Connection], output: MixerOutput) -> Bus {
        precondition(channels > 0, "a mixer has a channel")
        let samples = memory.samples(channels: channels, frames: maximumFrames)
        let list = memory.allocate(MixInput.self, count: inputs.count)
        for (index, connection) in inputs.enumerated() {
            memory.keep(connection.input)
            (list + index).initialize(to: mixInput(connection, outputs: channels))
        }
        memory.keep(output)
        let step = memory.allocate(MixStep.self, count: 1)
        step.initialize(
            to: MixStep(inputs: list, inputCount: inputs.count, samples: samples, state: output.state))
        steps.append(.mix(step))
        return Bus(samples: samples)
    }

    /// Ends the program, whose sound is that of `output`.
    package consuming func finish(output: Bus) -> Program {
        Program(steps: steps, output: output.samples, maximumFrames: maximumFrames, memory: memory)
    }

    private func mixInput(_ connection: Connection, outputs: Int) -> MixInput {
        let inputs = connection.bus.samples.channelCount
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(inputs), to: ChannelMatrix.standard(outputs))
        let coefficients = memory.allocate(Float.self, count: matrix.coefficients.count)
        for (index, gain) in matrix.coefficients.enumerated() { (coefficients + index).initialize(to: gain) }
        let isStereo = matrix.leftOutput != nil
        return MixInput(
            samples: connection.bus.samples, state: connection.input.state, coefficients: coefficients,
            law: !isStereo ? .none : inputs == 1 ? .constantPower : .balance,
            leftOutput: matrix.leftOutput ?? -1, rightOutput: matrix.rightOutput ?? -1)
    }
}
