package import AudioRealtime
internal import PulseClient

/// One player's part in the sound of a route: a voice of the mixer, and what the mix knows about it.
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

    /// Called, on the main loop's thread, when there is room for much more to write; not again before
    /// ``OutputMix/didWrite(to:)``.
    let onRefillNeeded: @Sendable () -> Void
    /// Called, on the main loop's thread, when the last frame has been heard.
    let onFinished: @Sendable () -> Void
    /// Called, on any thread, when the session stopped the voice.
    let onInterrupted: @Sendable () -> Void

    /// Where its channels go in an output of the given ones; nil for the usual places.
    let matrix: (@Sendable ([Channel]) -> ChannelMatrix)?
    /// The loudspeakers that its channels were led to since the mix got others.
    private var positions: [ChannelMap.Position] = []

    /// How often it has left the mix.
    private(set) var departures = 0
    /// Where its frames went in the stream, since it was played.
    var timeline = VoiceTimeline()
    /// The device time at which it is to be heard first; nil as soon as possible.
    var startTime: Double?
    /// The stream's frame at which it joins the mix; nil until that is known.
    var joinFrame: Int?
    /// The stream's frame after its last one.
    var endFrame: Int?
    /// Greater than those of the voices that were mixed to their end before: one without a frame ends where they do.
    var endNumber = 0
    /// What begins where this one ends.
    weak var follower: OutputVoice?
    /// Told when its part of the queue was taken back for its decoder to write something else.
    var onRedecode: (() -> Void)?
    /// How often the decoder was told so, and has not answered with ``OutputMix/redecoded(_:)``.
    var pendingRedecodes = 0
    /// Whether the mix waits for that.
    var awaitsRedecode: Bool { pendingRedecodes > 0 }
    /// Until when its start waits for that, on the machine's clock.
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

    /// The mix has other channels than it was made for, and maybe than the voice was.
    func fit(_ format: OutputMix.Format) {
        guard positions != format.positions else { return }
        positions = format.positions
        let usual = ChannelMatrix(from: ChannelMatrix.standard(voice.channels), to: format.channels)
        voice.setMatrix(matrix?(format.channels) ?? usual)
    }

    /// A change that was to stop it at a frame of the stream came late: it was heard up to another.
    func wasHeard(upTo last: Int, before: VoiceTimeline) {
        guard let frame = before.voiceFrame(at: last), frame > voice.framesRendered else { return }
        _ = voice.skip(frames: frame - voice.framesRendered)
    }

    /// The stream stopped before the frame at which it was to stop.
    func wasHeard(onlyUpTo last: Int, before: VoiceTimeline) {
        guard let frame = before.voiceFrame(at: last), frame < voice.framesRendered else { return }
        _ = voice.rewind(frames: voice.framesRendered - frame)
    }

    /// Takes back what was mixed of it into the stream's frames from `first` on.
    func stepBack(to first: Int) {
        guard let end = timeline.end, end > first, let frame = timeline.voiceFrame(at: first) else { return }
        _ = voice.rewind(frames: voice.framesRendered - frame)
        timeline.cut(at: first)
        endFrame = nil
        finishTimer = nil
        if state == .finishing { state = .playing }
    }

    /// Tells the decoder, if it waits for that, that the voice stands where it is to go on.
    func notifyRedecode() {
        let ready = onRedecode
        onRedecode = nil
        ready?()
    }

    /// Is not part of the mix any more.
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
