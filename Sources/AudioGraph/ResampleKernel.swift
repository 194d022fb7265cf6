// The arithmetic of rate conversion. All of it runs on the render side, through `rt_call`.

/// One rate conversion, as the kernel reads it.
struct ResampleStep {
    let filter: ResampleFilter
    let history: UnsafeMutablePointer<ResampleHistory>
    let input: Samples
    let output: Samples
    let inputClock: UnsafeMutablePointer<RenderClock>
    let outputClock: UnsafeMutablePointer<RenderClock>
    /// The history of one channel and the block behind it.
    let work: UnsafeMutablePointer<Float>
}

/// Renders one block of a rate conversion.
@_noLocks
func resampleKernel(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: ResampleStep.self)
    let taps = step.pointee.filter.taps
    let frames = step.pointee.inputClock.pointee.frames
    let start = step.pointee.inputClock.pointee.position
    let history = step.pointee.history
    let (input, output) = (step.pointee.input, step.pointee.output)
    history.pointee.silent = input.isSilent ? history.pointee.silent &+ frames : 0
    if history.pointee.silent >= taps &+ frames {
        output.becomeSilent(frames: step.pointee.outputClock.pointee.frames)
        history.pointee.end = start &+ frames
        return
    }
    output.becomeSound()
    // What was converted before a gap is no neighbour of what comes now.
    if history.pointee.end != start {
        history.pointee.samples.update(repeating: 0, count: taps &* step.pointee.input.channelCount)
    }
    for channel in 0..<step.pointee.input.channelCount {
        let past = history.pointee.samples + taps &* channel
        let work = step.pointee.work
        copyFrames(past, to: work, taps)
        copyFrames(step.pointee.input.channels[channel], to: work + taps, frames)
        convert(step, work, origin: start &- taps, to: step.pointee.output.channels[channel])
        copyFrames(work + frames, to: past, taps)
    }
    history.pointee.end = start &+ frames
}

/// Writes a channel's block; `work` begins with the input's frame `origin`.
@_noLocks
private func convert(
    _ step: UnsafeMutablePointer<ResampleStep>, _ work: UnsafeMutablePointer<Float>, origin: Int,
    to output: UnsafeMutablePointer<Float>
) {
    let filter = step.pointee.filter
    let whole = filter.ratio.numerator / filter.ratio.denominator
    let rest = filter.ratio.numerator % filter.ratio.denominator
    var (frame, phase) = filter.ratio.place(step.pointee.outputClock.pointee.position)
    for index in 0..<step.pointee.outputClock.pointee.frames {
        let first = work + (frame &- filter.taps &+ 1 &- origin)
        if filter.isExact {
            output[index] = product(first, filter.coefficients + phase &* filter.taps, filter.taps)
        } else {
            let place = Double(phase) * Double(filter.phases) / Double(filter.ratio.denominator)
            let row = Int(place)
            let coefficients = filter.coefficients + row &* filter.taps
            let lower = product(first, coefficients, filter.taps)
            let upper = product(first, coefficients + filter.taps, filter.taps)
            output[index] = lower + (upper - lower) * Float(place - Double(row))
        }
        frame &+= whole
        phase &+= rest
        if phase >= filter.ratio.denominator {
            phase &-= filter.ratio.denominator
            frame &+= 1
        }
    }
}

/// The sum of products of an even number of values, in sixteen sums that do not wait for each other.
@_noLocks
func product(_ one: UnsafePointer<Float>, _ two: UnsafePointer<Float>, _ count: Int) -> Float {
    typealias Four = SIMD4<Float>
    let (left, right) = (UnsafeRawPointer(one), UnsafeRawPointer(two))
    var (a, b, c, d) = (Four(), Four(), Four(), Four())
    var index = 0
    while index &+ 15 < count {
        let place = index &* 4
        a +=
            left.loadUnaligned(fromByteOffset: place, as: Four.self)
            * right.loadUnaligned(fromByteOffset: place, as: Four.self)
        b +=
            left.loadUnaligned(fromByteOffset: place &+ 16, as: Four.self)
            * right.loadUnaligned(fromByteOffset: place &+ 16, as: Four.self)
        c +=
            left.loadUnaligned(fromByteOffset: place &+ 32, as: Four.self)
            * right.loadUnaligned(fromByteOffset: place &+ 32, as: Four.self)
        d +=
            left.loadUnaligned(fromByteOffset: place &+ 48, as: Four.self)
            * right.loadUnaligned(fromByteOffset: place &+ 48, as: Four.self)
        index &+= 16
    }
    let sums = (a + b) + (c + d)
    var rest: Float = 0
    while index < count {
        rest += one[index] * two[index]
        index &+= 1
    }
    return (sums.x + sums.y) + (sums.z + sums.w) + rest
}
