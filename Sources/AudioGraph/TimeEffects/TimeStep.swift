internal import Glibc
internal import RealtimeShims
import Synchronization

/// The part of a ``TimeEffect`` that the render side uses.
struct TimeState {
    /// The greatest number of frames of one block of the inner program.
    static var longestPull: Int { @_noLocks get { 4096 } }
    /// The greatest number of output frames that are computed at a time.
    static var longestChunk: Int { @_noLocks get { 512 } }

    let rates: ClosedRange<Double>
    let parameters: ParameterList
    let switches: UnsafeMutablePointer<SwitchState>
    let place: UnsafeMutablePointer<TimePlace>
    let delay: Int
    /// The frames of a fade to the unchanged sound, or from it.
    let fade: Int

    /// The input's last frames, from frame `inputStart` of its program to `pulled`.
    let input: Samples
    let capacity: Int
    /// The frames behind `whole` that may still be needed.
    let kept: Int
    var inputStart = 0
    var pulled = 0

    /// The input's frames that are due: the place of the next frame of the output, in whole frames and 1/2³².
    var whole = 0
    var fraction: UInt64 = 0
    /// The frames of input for one of output, in 1/2³².
    var speed: UInt64 = 1 << 32

    /// What keeps the pitch; nil where it follows the speed.
    let stretch: UnsafeMutablePointer<StretchState>?
    var interpolator: Interpolator
    /// Frames of the fade that are unchanged: 0 to `fade`.
    var plain = 0
    var wantsPlain = true
    var isFresh = true
    var isUnused = true

    init(
        rates: ClosedRange<Double>, parameters: ParameterList, switches: UnsafeMutablePointer<SwitchState>,
        place: UnsafeMutablePointer<TimePlace>, delay: Int, fade: Int, input: Samples, capacity: Int, kept: Int,
        stretch: UnsafeMutablePointer<StretchState>?, interpolator: Interpolator
    ) {
        (self.rates, self.parameters, self.switches, self.place) = (rates, parameters, switches, place)
        (self.delay, self.fade, self.input, self.capacity, self.kept) = (delay, fade, input, capacity, kept)
        (self.stretch, self.interpolator) = (stretch, interpolator)
    }

    /// Reads the parameters for the next block.
    mutating func prepare() {
        let isBypassed = switches.pointee.isBypassed.load(ordering: .relaxed)
        let rate = isBypassed ? 1 : parameters.value(TimeParameter.rate, rates.lowerBound, rates.upperBound)
        speed = UInt64((rate * 4_294_967_296).rounded())
        guard let stretch else {
            wantsPlain = rate == 1
            interpolator.choose(speed: rate)
            return
        }
        let cents = isBypassed ? 0 : parameters.value(TimeParameter.pitch, -2400, 2400)
        wantsPlain = rate == 1 && cents == 0
        let reading = exp2(cents / 1200)
        stretch.pointee.speed = UInt64((reading * 4_294_967_296).rounded())
        interpolator.choose(speed: reading)
    }

    /// Forgets the input, and goes on behind it.
    @_noLocks
    mutating func clear() {
        input.clear(frames: kept)
        inputStart = pulled &- kept
        (whole, fraction) = (pulled, 0)
        isFresh = true
    }

    /// The input's frame that is due at a frame of the output, counted from the next one.
    @_noLocks
    func due(_ frame: Int) -> Int { whole &+ Int((fraction &+ UInt64(frame) &* speed) >> 32) }

    /// Goes on by frames of the output.
    @_noLocks
    mutating func advance(_ frames: Int) {
        let sum = fraction &+ UInt64(frames) &* speed
        whole &+= Int(sum >> 32)
        fraction = sum & 0xffff_ffff
    }

    /// The frames that can be given at once at this speed.
    var chunk: Int { @_noLocks get { max(1, min(Self.longestChunk, (Self.longestPull &- 2) << 32 / Int(speed))) } }
}

/// One time effect in a program.
struct TimeStep {
    let state: UnsafeMutablePointer<TimeState>
    /// The program of the graph above.
    let inner: UnsafeMutablePointer<ProgramState>
    let output: Samples
    let clock: UnsafeMutablePointer<RenderClock>
    /// The frames that were taken from the inner program, or are to be given, and the first of those.
    var frames = 0
    var offset = 0

    /// Renders one block.
    ///
    /// The inner program runs outside of `rt_call`, as its sources may be the app's.
    static func render(_ step: UnsafeMutablePointer<TimeStep>) {
        let total = step.pointee.clock.pointee.frames
        guard total > 0 else { return }
        let state = step.pointee.state
        step.pointee.output.becomeSound()
        rt_call(prepareTime, step)
        state.pointee.place.pointee.note(
            output: step.pointee.clock.pointee.position, input: state.pointee.whole, speed: state.pointee.speed)
        var done = 0
        while done < total {
            let chunk = min(total &- done, state.pointee.chunk)
            pull(step, to: state.pointee.due(chunk &- 1) &+ 1)
            (step.pointee.frames, step.pointee.offset) = (chunk, done)
            rt_call(timeKernel, step)
            done &+= chunk
        }
    }

    /// Renders the inner program up to a frame.
    private static func pull(_ step: UnsafeMutablePointer<TimeStep>, to end: Int) {
        let state = step.pointee.state
        while state.pointee.pulled < end {
            let count = min(end &- state.pointee.pulled, TimeState.longestPull)
            ProgramState.render(step.pointee.inner, frames: count, position: state.pointee.pulled)
            step.pointee.frames = count
            rt_call(takeInput, step)
        }
    }
}

/// Prepares an effect for a block; the first one begins at the time of the graph below.
///
/// Not `@_noLocks`, as the compiler knows nothing of the C library's mathematics; RealtimeSanitizer watches it.
private func prepareTime(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: TimeStep.self)
    let state = step.pointee.state
    if state.pointee.isUnused {
        state.pointee.isUnused = false
        state.pointee.pulled = step.pointee.clock.pointee.position
        state.pointee.clear()
    }
    if state.pointee.switches.pointee.isReset.exchange(false, ordering: .relaxed) { state.pointee.clear() }
    state.pointee.prepare()
}
