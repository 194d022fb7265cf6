import RealtimeShims
import Synchronization

/// The part of a ``Mixer`` that the kernel reads, in a separate allocation for the reason given at ``VoiceState``.
struct MixerState: ~Copyable {
    let channels: Int
    let pendingGain = Atomic<UInt64>(VoiceState.none)
    var gain = GainRamp(1)
    var voices: UnsafeMutablePointer<VoicePointer>
    var voiceCount = 0
    var output: UnsafeMutablePointer<Float>?
    var frames = 0

    init(channels: Int, maximumVoices: Int) {
        self.channels = channels
        voices = .allocate(capacity: maximumVoices)
    }

    deinit { voices.deallocate() }
}

/// A mixer that sums voices into interleaved Float32 frames.
///
/// The render side is one thread, or the holder of the lock that this thread holds while it renders; `add`, `remove`
/// and `voices` belong to it too. Sums are not clipped: the sound server does that.
// SAFETY: everything but the pending master gain (atomic) belongs to the render side, which excludes itself.
package final class Mixer: @unchecked Sendable {
    /// Number of output channels.
    package let channels: Int
    /// Frames the kernel renders at once.
    package let maximumFrames: Int
    private var maximumVoices: Int
    private let state: UnsafeMutablePointer<MixerState>

    /// The voices in the mix.
    ///
    /// Render side.
    package private(set) var voices: [Voice] = []

    /// Makes a mixer without voices, at master gain 1.
    ///
    /// - Parameters:
    ///   - channels: Number of interleaved output channels.
    ///   - maximumVoices: The voices that fit before ``add(_:)`` has to allocate.
    ///   - maximumFrames: The frames that the kernel renders at once: longer requests are split, also for levels.
    package init(channels: Int, maximumVoices: Int, maximumFrames: Int) {
        precondition(channels > 0 && maximumVoices > 0 && maximumFrames > 0, "a mixer needs room")
        self.channels = channels
        self.maximumVoices = maximumVoices
        self.maximumFrames = maximumFrames
        state = .allocate(capacity: 1)
        state.initialize(to: MixerState(channels: channels, maximumVoices: maximumVoices))
        voices.reserveCapacity(maximumVoices)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Adds a voice whose matrix leads to this mixer's channels; a voice in the mix is not added again.
    ///
    /// Render side.
    package func add(_ voice: Voice) {
        precondition(
            voice.state.pointee.places.pointee.outputs == channels,
            "the voice's matrix does not lead to the mixer's channels")
        guard !voices.contains(where: { $0 === voice }) else { return }
        voices.append(voice)
        updateKernelList()
    }

    /// Removes a voice; ignored for a voice that is not in the mix.
    ///
    /// Render side.
    package func remove(_ voice: Voice) {
        voices.removeAll { $0 === voice }
        updateKernelList()
    }

    /// Moves the gain of the whole mix linearly to `gain` within `rampFrames` rendered frames; 0 jumps.
    ///
    /// Any thread.
    package func setMasterGain(_ gain: Float, rampFrames: Int) {
        let frames = UInt32(clamping: min(max(rampFrames, 0), Int(Int32.max)))
        state.pointee.pendingGain.store(VoiceState.command(gain, frames), ordering: .releasing)
    }

    /// The master gain of the last rendered frame.
    ///
    /// Render side.
    package var masterGain: Float { state.pointee.gain.value }

    /// Rewinds the master gain by a number of frames, which will be rendered again.
    ///
    /// Render side.
    package func rewindMasterGain(frames: Int) { state.pointee.gain.advance(frames: -frames) }

    /// Writes the next `frames` frames of the mix to `output`, silence where voices have nothing.
    ///
    /// Render side.
    ///
    /// Neither allocates nor locks nor counts references; RealtimeSanitizer watches it through `rt_call`.
    package func render(into output: UnsafeMutablePointer<Float>, frames: Int) {
        var done = 0
        while done < frames {
            let count = min(frames - done, maximumFrames)
            state.pointee.output = output + done * channels
            state.pointee.frames = count
            rt_call(renderKernel, state)
            done += count
        }
    }

    private func updateKernelList() {
        if voices.count > maximumVoices {
            maximumVoices = voices.count * 2
            state.pointee.voices.deallocate()
            state.pointee.voices = .allocate(capacity: maximumVoices)
        }
        for (index, voice) in voices.enumerated() { (state.pointee.voices + index).initialize(to: voice.state) }
        state.pointee.voiceCount = voices.count
    }
}

/// The whole render function, called through `rt_call`.
@_noLocks
private func renderKernel(_ context: UnsafeMutableRawPointer) {
    let state = context.assumingMemoryBound(to: MixerState.self)
    guard let output = state.pointee.output else { return }
    let frames = state.pointee.frames
    output.initialize(repeating: 0, count: frames &* state.pointee.channels)
    for index in 0..<state.pointee.voiceCount { mixVoice(state.pointee.voices[index], into: output, frames: frames) }
    applyMasterGain(state, output, frames: frames)
}

@_noLocks
private func applyMasterGain(
    _ state: UnsafeMutablePointer<MixerState>, _ output: UnsafeMutablePointer<Float>, frames: Int
) {
    if state.pointee.pendingGain.load(ordering: .relaxed) != VoiceState.none {
        let command = state.pointee.pendingGain.exchange(VoiceState.none, ordering: .acquiring)
        let target = Float(bitPattern: UInt32(truncatingIfNeeded: command &>> 32))
        state.pointee.gain.move(to: target, frames: Int(UInt32(truncatingIfNeeded: command)))
    }
    if state.pointee.gain.remaining == 0 && state.pointee.gain.target == 1 {
        return state.pointee.gain.advance(frames: frames)
    }
    let channels = state.pointee.channels
    for frame in 0..<frames {
        let gain = state.pointee.gain.next()
        for channel in 0..<channels { output[frame &* channels &+ channel] *= gain }
    }
}
