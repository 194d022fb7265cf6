import RealtimeShims

/// The code behind a source: writes `frames` frames from frame `position` on.
///
/// The position counts the frames that the renderer has rendered, at the source's own rate. The code returns whether it wrote the block;
/// otherwise the block is silent, and it
/// leaves the samples as they were, or zeros. It runs on the render side, once a block, and may be the app's.
package typealias SourceBlock = @Sendable (_ samples: Samples, _ frames: Int, _ position: Int) -> Bool

/// The code behind a sink: takes `frames` frames of a block, from frame `position` on, counted as a source's.
///
/// It runs on the render side, once a block, and may be the app's.
package typealias SinkBlock = @Sendable (_ samples: Samples, _ frames: Int, _ position: Int) -> Void

/// One operation of a program.
enum Step {
    case source(UnsafeMutablePointer<SourceBlock>, Samples, UnsafeMutablePointer<RenderClock>)
    case mix(UnsafeMutablePointer<MixStep>, UnsafeMutablePointer<RenderClock>)
    case resample(UnsafeMutablePointer<ResampleStep>)
    case tap(UnsafeMutablePointer<TapStep>)
    case sink(UnsafeMutablePointer<SinkBlock>, Samples, UnsafeMutablePointer<RenderClock>)
    case effect(UnsafeMutablePointer<EffectStep>)
    case time(UnsafeMutablePointer<TimeStep>)
}

/// A compiled graph: operations in the order in which they run, with all memory that they need.
///
/// A program never changes. ``ProgramBuilder`` makes it, ``Renderer`` runs it, and another program takes its place when
/// the graph changes.
// SAFETY: the builder fills the memory before anybody else has the program; then it belongs to the render side.
package final class Program: @unchecked Sendable {
    let state: UnsafeMutablePointer<ProgramState>
    private let memory: ProgramMemory

    init(
        steps: [Step], clocks: [UnsafeMutablePointer<RenderClock>], output: Samples, maximumFrames: Int,
        memory: ProgramMemory
    ) {
        self.memory = memory
        let clockList = memory.allocate(UnsafeMutablePointer<RenderClock>.self, count: clocks.count)
        for (index, clock) in clocks.enumerated() { (clockList + index).initialize(to: clock) }
        let list = memory.allocate(Step.self, count: steps.count)
        for (index, step) in steps.enumerated() { (list + index).initialize(to: step) }
        state = memory.allocate(ProgramState.self, count: 1)
        state.initialize(
            to: ProgramState(
                steps: list, stepCount: steps.count, clocks: clockList, clockCount: clocks.count, output: output,
                maximumFrames: maximumFrames))
    }
}

/// The part of a ``Program`` that the render side reads.
struct ProgramState {
    let steps: UnsafeMutablePointer<Step>
    let stepCount: Int
    let clocks: UnsafeMutablePointer<UnsafeMutablePointer<RenderClock>>
    let clockCount: Int
    let output: Samples
    let maximumFrames: Int
    /// The reference that the renderer holds while it has the program.
    // SAFETY: written once before the program is published; released once, by the control side.
    var owner: Unmanaged<Program>?
    /// The program that was retired before this one.
    var nextRetired: UnsafeMutablePointer<ProgramState>?

    /// Runs all operations for one block.
    ///
    /// Sources and sinks run outside of `rt_call`, since they may be the app's. Their closures are only retained and released
    /// here: the program holds them, so nothing is freed.
    /// An operation at a lower rate has no frames in some short blocks, and is left out there.
    static func render(_ state: UnsafeMutablePointer<ProgramState>, frames: Int, position: Int) {
        for index in 0..<state.pointee.clockCount {
            state.pointee.clocks[index].pointee.begin(position: position, frames: frames)
        }
        for index in 0..<state.pointee.stepCount {
            switch state.pointee.steps[index] {
            case .source(let block, let samples, let clock):
                let frames = clock.pointee.frames
                guard frames > 0 else { continue }
                if block.pointee(samples, frames, clock.pointee.position) {
                    samples.becomeSound()
                } else {
                    samples.becomeSilent(frames: frames)
                }
            case .mix(let step, let clock):
                step.pointee.frames = clock.pointee.frames
                if clock.pointee.frames > 0 { rt_call(mixKernel, step) }
            case .resample(let step):
                rt_call(resampleKernel, step)
            case .tap(let step):
                rt_call(tapKernel, step)
            case .sink(let block, let samples, let clock):
                guard clock.pointee.frames > 0 else { continue }
                block.pointee(samples, clock.pointee.frames, clock.pointee.position)
            case .effect(let step):
                EffectStep.render(step)
            case .time(let step):
                TimeStep.render(step)
            }
        }
    }
}

/// The memory of one program or effect, which is freed with it.
final class ProgramMemory {
    private var release: [() -> Void] = []
    private var retained: [AnyObject] = []

    deinit { for action in release { action() } }

    /// Memory for `count` values, which the caller initializes before the program is complete.
    func allocate<Value: ~Copyable>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
        let pointer = UnsafeMutablePointer<Value>.allocate(capacity: count)
        release.append {
            pointer.deinitialize(count: count)
            pointer.deallocate()
        }
        return pointer
    }

    /// Blocks of `frames` zeros, one for each channel.
    func samples(channels: Int, frames: Int) -> Samples {
        let storage = allocate(Float.self, count: channels * frames)
        storage.initialize(repeating: 0, count: channels * frames)
        let list = allocate(UnsafeMutablePointer<Float>.self, count: channels)
        for channel in 0..<channels { (list + channel).initialize(to: storage + channel * frames) }
        let silence = allocate(Silence.self, count: 1)
        silence.initialize(to: Silence(isSilent: true, capacity: frames))
        return Samples(channels: list, channelCount: channels, silence: silence)
    }

    /// Keeps an object alive as long as the program.
    func keep(_ object: AnyObject) { retained.append(object) }
}
