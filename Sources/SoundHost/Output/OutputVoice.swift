package import AudioRealtime
internal import PulseClient

/// A player's voice in an output: the mixer's voice with its place in the stream.
///
/// Made by a player with its decoder's format; handed to ``OutputMix/play(_:)`` as often as it plays.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class OutputVoice: @unchecked Sendable {
    /// Where a voice stands in the mix.
    package enum State: Hashable, Sendable {
        /// Not heard; its position stands. Can move to: playing.
        case paused
        /// Being mixed. Can move to: paused, finishing.
        case playing
        /// All of it was mixed and the last of it is still to be heard. Can move to: paused (it was silenced before
        /// that, and steps back), finished.
        case finishing
        /// Heard to the end. Can move to: playing, after it was filled again.
        case finished
    }

    /// The frames to come, with gain, pan and meter.
    package let voice: Voice
    /// Where the voice stands.
    package internal(set) var state: State = .paused

    /// Wakes the decoder, on the main loop's thread, when there is room for much more to write; not again before
    /// ``OutputMix/didWrite(to:)``.
    let onRefillNeeded: @Sendable () -> Void
    /// Called, on the main loop's thread, when the last frame has been heard.
    let onFinished: @Sendable () -> Void
    /// Called, on any thread, when the session stopped the voice.
    let onInterrupted: @Sendable () -> Void

    /// The matrix from the voice's channels to those of an output; nil for the standard one.
    let matrix: (@Sendable ([Channel]) -> ChannelMatrix)?
    /// The positions that the matrix leads to, since the output got other channels; empty before.
    private var positions: [ChannelMap.Position] = []

    /// The number of times that the voice has left the output.
    private(set) var departures = 0
    /// The places of the voice's frames in the stream, since it was played.
    var timeline = VoiceTimeline()
    /// The device time of the first frame; nil for as soon as possible.
    var startTime: Double?
    /// The stream's frame at which the voice joins the mix; nil until that is known.
    var joinFrame: Int?
    /// The stream's frame after the voice's last one.
    var endFrame: Int?
    /// The order of ends, since a voice without a frame ends where the one before it does.
    var endNumber = 0
    /// The voice that begins where this one ends.
    weak var follower: OutputVoice?
    /// Called when the voice was rewound, so that its decoder can write other frames.
    var onRedecode: (() -> Void)?
    /// The number of requests that the decoder has not answered with ``OutputMix/redecoded(_:)``.
    var pendingRedecodes = 0
    /// Whether the mix waits for the decoder's new frames.
    var awaitsRedecode: Bool { pendingRedecodes > 0 }
    /// Until when the start of the voice waits for them, in seconds of ``MonotonicClock``.
    var latestStart = 0.0
    var isRefillRequested = false
    var finishTimer: MainloopTimer?

    /// Frames of free room from which on the decoder is asked for more.
    let refillThreshold: Int

    /// A voice that is not in a mix yet.
    ///
    /// - Parameters:
    ///   - voice: The frames to come.
    ///   - matrix: Where its channels go when the mix gets others; nil for the usual places.
    ///   - refillThreshold: Frames of free room from which on `onRefillNeeded` is called.
    ///   - onRefillNeeded: Wakes the decoder; called on the main loop's thread.
    ///   - onFinished: Told when the last frame has been heard; called on the main loop's thread.
    ///   - onInterrupted: Told when the session stopped the voice; must not block.
    package init(
        voice: Voice, matrix: (@Sendable ([Channel]) -> ChannelMatrix)? = nil, refillThreshold: Int,
        onRefillNeeded: @escaping @Sendable () -> Void, onFinished: @escaping @Sendable () -> Void,
        onInterrupted: @escaping @Sendable () -> Void
    ) {
        self.voice = voice
        self.matrix = matrix
        self.refillThreshold = refillThreshold
        self.onRefillNeeded = onRefillNeeded
        self.onFinished = onFinished
        self.onInterrupted = onInterrupted
    }

    /// Whether the voice is on its way to the listener.
    package var isRunning: Bool { state == .playing || state == .finishing }

    /// Leads the channels to those of an output that has got others.
    func fit(_ format: OutputMix.Format) {
        guard positions != format.positions else { return }
        positions = format.positions
        let usual = ChannelMatrix(from: ChannelMatrix.standard(voice.channels), to: format.channels)
        voice.setMatrix(matrix?(format.channels) ?? usual)
    }

    /// Moves on to the frame heard last, as the change that was to stop the voice came late.
    func wasHeard(upTo last: Int, before: VoiceTimeline) {
        guard let frame = before.voiceFrame(at: last), frame > voice.framesRendered else { return }
        _ = voice.skip(frames: frame - voice.framesRendered)
    }

    /// Moves back to the frame heard last, as the stream stopped before the change.
    func wasHeard(onlyUpTo last: Int, before: VoiceTimeline) {
        guard let frame = before.voiceFrame(at: last), frame < voice.framesRendered else { return }
        _ = voice.rewind(frames: voice.framesRendered - frame)
    }

    /// Rewinds the voice by what was mixed into the stream's frames from `first` on.
    func stepBack(to first: Int) {
        guard let end = timeline.end, end > first, let frame = timeline.voiceFrame(at: first) else { return }
        _ = voice.rewind(frames: voice.framesRendered - frame)
        timeline.cut(at: first)
        endFrame = nil
        finishTimer = nil
        if state == .finishing { state = .playing }
    }

    /// Notifies the decoder, if it waits for that, that the voice stands where it is to go on.
    func notifyRedecode() {
        let ready = onRedecode
        onRedecode = nil
        ready?()
    }

    /// Forgets the voice's place in the stream, as it has left the output.
    func leave() {
        notifyRedecode()
        departures += 1
        timeline.removeAll()
        startTime = nil
        joinFrame = nil
        endFrame = nil
        finishTimer = nil
    }
}
