/// A stream from a source to a receiver.
///
/// Functions may be called on any thread.
package protocol HostCapture: AnyObject, Sendable {
    /// Whether the stream stands: it was not closed, and has not ended by itself.
    var isOpen: Bool { get }

    /// Whether frames are taken; waits for nothing.
    var isRunning: Bool { get }

    /// Seconds captured so far, by the receiver's count and what is on its way; waits for nothing.
    var seconds: Double { get }

    /// Lets frames flow, from those on that are heard at a time of ``MonotonicClock``; nil is now.
    ///
    /// Waits for frames from before an interruption, for 0.3 s at most.
    ///
    /// - Parameter duration: How many seconds are wanted at most; nil for no limit.
    func start(at time: Double?, forDuration duration: Double?) -> CaptureStart

    /// Stops the flow after the frames that are heard now, for which it waits 0.3 s at most; then calls
    /// ``CaptureReceiver/rested()``.
    func pause()

    /// Changes how much is delivered at a time.
    func setPace(_ pace: CaptureRequest.Pace)

    /// Ends the stream; with `finishing`, after the frames that are heard now, for which it waits 0.3 s at most.
    func close(finishing: Bool) -> CaptureEnd
}

/// What became of the start of a capture.
package enum CaptureStart: Hashable, Sendable {
    /// Frames flow, or will at their time.
    case begun
    /// The session is interrupted: the receiver was told.
    case interrupted
    /// The session is not active, or the stream has gone.
    case refused
    /// The receiver wants nothing: no frame fits into the duration.
    case nothingWanted
    /// The receiver has had all that it wanted a moment ago, and is about to end.
    case complete
}

/// What there is to say of a capture at its end.
package struct CaptureEnd: Hashable, Sendable {
    /// Whether the stream stood until now.
    package var wasOpen: Bool
    /// Whether frames were waited for in vain.
    package var deliveredNothing: Bool

    /// An end.
    package init(wasOpen: Bool, deliveredNothing: Bool) {
        self.wasOpen = wasOpen
        self.deliveredNothing = deliveredNothing
    }
}

/// What takes captured frames.
///
/// Functions are called with the host's lock held, most of them on the host's thread, and must return at once.
package protocol CaptureReceiver: AnyObject, Sendable {
    /// Takes interleaved frames, or so many bytes of silence for frames that never came.
    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int)

    /// Says whether a start has anything to take.
    ///
    /// - Parameters:
    ///   - duration: How many seconds are wanted from now on; nil for no change of the limit.
    ///   - coming: Frames that were heard already, and are on their way.
    func prepare(forDuration duration: Double?, plus coming: Int) -> CaptureReadiness

    /// Seconds received so far, with frames that are on their way.
    func seconds(plus coming: Int, isRunning: Bool) -> Double

    /// The session paused the capture; `wasRunning` tells whether the capture ran and the app did not ask for it.
    func interrupted(wasRunning: Bool)

    /// The last frames before a pause have come.
    func rested()

    /// Whether it is to be known soon what was captured, because little more is wanted.
    var isUrgent: Bool { get }

    /// Something became of the input.
    func inputChanged(_ news: CaptureNews)

    /// The stream ended by itself: it was killed, or its server or source went away.
    func ended()
}

/// What a receiver wants of a start.
package enum CaptureReadiness: Hashable, Sendable {
    /// Frames.
    case ready
    /// Nothing: no frame fits into the duration.
    case nothingWanted
    /// Nothing: it has had all that it wanted.
    case complete
}

/// What became of the input of a capture.
package enum CaptureNews: Hashable, Sendable {
    /// No frames have come for two seconds.
    case lost
    /// Nothing but zeros has come for two seconds.
    case flat
    /// Frames, or sound, come again; so many seconds of silence stand for what was missed.
    case restored(silence: Double)
    /// The server has put the stream on another source, of this name.
    case moved(source: String)
}
