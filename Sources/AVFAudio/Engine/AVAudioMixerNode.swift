internal import AudioGraph

/// A node that adds the sounds of its inputs, of any rates and numbers of channels.
///
/// The sum is not limited: Float32 goes beyond ±1. Mono sound loses 3 dB in a stereo mixer. Where an input has another
/// rate than the output, its sound is converted, and is late by the filter's half, 48 frames of the lower rate.
///
/// Apple: `AVAudioMixerNode`
// SAFETY: the mixer's output has atomics only; `GraphLock` protects the converters.
nonisolated open class AVAudioMixerNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
    private let output = MixerOutput()
    /// The converters of inputs of another rate, by that rate.
    private var filters: [Double: Resampler] = [:]

    /// A mixer.
    ///
    /// Apple: `AVAudioMixerNode.init()`
    public override init() { super.init() }

    override var inputLimit: Int? { nil }

    override func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        let format = outputFormat
        let inputs = compiler.inputs(of: self, format, by: &filters)
        return compiler.builder.addMixer(
            channels: Int(format.channelCount), rate: format.sampleRate, inputs: inputs, output: output)
    }

    /// The linear gain of the sum; 1 at first.
    ///
    /// A change while sound runs is a ramp over one block. Values beyond 1 amplify; NaN is ignored.
    ///
    /// Apple: `AVAudioMixerNode.outputVolume`
    public var outputVolume: Float {
        get { output.volume }
        set { output.volume = newValue }
    }

    /// The lowest input without a connection.
    ///
    /// Apple: `AVAudioMixerNode.nextAvailableInputBus`
    public var nextAvailableInputBus: AVAudioNodeBus {
        GraphLock.withLock { facts.engine?.graph.connections.nextFreeBus(of: self) ?? 0 }
    }
}
