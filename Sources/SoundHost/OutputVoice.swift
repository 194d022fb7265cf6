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
    /// ``OutputMix/fed(_:)``.
    let onHungry: @Sendable () -> Void
    /// Called, on the main loop's thread, when the last frame has been heard.
    let onFinished: @Sendable () -> Void
    /// Called, on any thread, when the session stopped the voice.
    let onInterrupted: @Sendable () -> Void

    /// The stream's frame at which the voice joined the mix; nil while it has not been mixed since.
    var joinedAt: Int?
    /// The stream's frame after its last one.
    var endedAt: Int?
    var isHungrySignalled = false
    var finishTimer: MainloopTimer?

    /// Frames of free room from which on the decoder is asked for more.
    let hungerThreshold: Int

    /// A voice that is not in a mix yet.
    ///
    /// - Parameters:
    ///   - voice: The frames to come.
    ///   - hungerThreshold: Frames of free room from which on `onHungry` is called.
    ///   - onHungry: Wakes the decoder; called on the main loop's thread.
    ///   - onFinished: Told when the last frame has been heard; called on the main loop's thread.
    ///   - onInterrupted: Told when the session stopped the voice; must not block.
    package init(
        voice: Voice, hungerThreshold: Int, onHungry: @escaping @Sendable () -> Void,
        onFinished: @escaping @Sendable () -> Void, onInterrupted: @escaping @Sendable () -> Void
    ) {
        self.voice = voice
        self.hungerThreshold = hungerThreshold
        self.onHungry = onHungry
        self.onFinished = onFinished
        self.onInterrupted = onInterrupted
    }

    /// Whether the voice is on its way to the listener.
    package var isRunning: Bool { state == .playing || state == .finishing }

    /// Takes back what the server did not play of the stream's frames from `first` on.
    func stepBack(to first: Int, written: Int) {
        finishTimer = nil
        guard let joinedAt else { return }
        let lost = min(endedAt ?? written, written) - max(joinedAt, first)
        if lost > 0 { _ = voice.rewind(frames: lost) }
        self.joinedAt = nil
        endedAt = nil
    }
}
