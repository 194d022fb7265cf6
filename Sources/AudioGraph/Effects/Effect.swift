internal import RealtimeShims
import Synchronization

/// The memory and the filters of one effect, for a number of channels and a rate.
///
/// It outlives the programs that render it, so a change of the graph is no gap in its tail. Its parameters belong to
/// somebody else, who makes another effect for other channels or another rate.
///
/// A changed parameter is reached within one block. Apart from that the size of blocks changes no sample.
// SAFETY: the constants are set once; the state belongs to the render side.
package final class Effect: @unchecked Sendable {
    /// Number of channels of input and output.
    package let channels: Int
    /// The rate of input and output, in Hz.
    package let rate: Double
    let state: UnsafeMutablePointer<EffectState>
    private let memory: ProgramMemory

    init(
        channels: Int, rate: Double, _ parameters: Parameters, _ switches: EffectSwitches, memory: ProgramMemory,
        _ kind: EffectKind
    ) {
        self.channels = channels
        self.rate = rate
        self.memory = memory
        memory.keep(parameters)
        memory.keep(switches)
        state = memory.allocate(EffectState.self, count: 1)
        state.initialize(to: EffectState(kind: kind, switches: switches.state))
    }
}

/// The state of an effect's kind.
enum EffectKind {
    case equalizer(UnsafeMutablePointer<EqualizerState>)
    case delay(UnsafeMutablePointer<DelayState>)
    case distortion(UnsafeMutablePointer<DistortionState>)
    case reverb(UnsafeMutablePointer<ReverbState>)
}

/// The part of an ``Effect`` that the render side uses.
struct EffectState {
    let kind: EffectKind
    let switches: UnsafeMutablePointer<SwitchState>
    /// Whether the next block begins with the parameters as they are, without a ramp.
    var isFresh = true
    /// Whether the effect was bypassed at the end of the last block.
    var isBypassed = false
}

/// One effect in a program.
struct EffectStep {
    let state: UnsafeMutablePointer<EffectState>
    let input: Samples
    let output: Samples
    let clock: UnsafeMutablePointer<RenderClock>

    /// Renders one block.
    static func render(_ step: UnsafeMutablePointer<EffectStep>) {
        guard step.pointee.clock.pointee.frames > 0 else { return }
        rt_call(prepareEffect, step)
        rt_call(effectKernel, step)
    }
}

/// Turns an effect's parameters into the numbers of its kernel.
///
/// Not `@_noLocks`, as the compiler knows nothing of the C library's mathematics; RealtimeSanitizer watches it.
private func prepareEffect(_ context: UnsafeMutableRawPointer) {
    let state = context.assumingMemoryBound(to: EffectStep.self).pointee.state
    if state.pointee.switches.pointee.isReset.exchange(false, ordering: .relaxed) {
        clearEffect(state)
        state.pointee.isFresh = true
    }
    switch state.pointee.kind {
    case .equalizer(let equalizer): equalizer.pointee.prepare()
    case .delay(let delay): delay.pointee.prepare()
    case .distortion(let distortion): distortion.pointee.prepare(isFresh: state.pointee.isFresh)
    case .reverb(let reverb): reverb.pointee.prepare(isFresh: state.pointee.isFresh)
    }
}
