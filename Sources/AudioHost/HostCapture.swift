/// A stream from a source to a receiver.
///
/// All members may be called on any thread.
package protocol HostCapture: AnyObject, Sendable {
    /// Whether the stream exists: neither closed by the host nor ended by the server.
    var isOpen: Bool { get }

    /// Whether frames are wanted; returns at once.
    var isRunning: Bool { get }

    /// Seconds captured so far, frames on their way included; returns at once.
    var seconds: Double { get }

    /// Begins delivery with the frame heard at a time of ``MonotonicClock``; nil means now.
    ///
    /// Waits for frames that were heard before an interruption, for 0.5 s at most.
    ///
    /// - Parameter duration: The number of seconds to deliver; nil for no limit.
    func start(at time: Double?, forDuration duration: Double?) -> CaptureStart

    /// Stops delivery after the frames heard now, waiting for them for 0.5 s at most; then calls
    /// ``CaptureReceiver/rested()``.
    func pause()

    /// Changes the size of fragments.
    func setPace(_ pace: CaptureRequest.Pace)

    /// Ends the stream; with `finishing`, after the frames heard now, which it waits for 0.5 s at most.
    func close(finishing: Bool) -> CaptureEnd
}

/// The result of a start of a capture.
package enum CaptureStart: Hashable, Sendable {
    /// Frames are delivered now, or will be at their time.
    case begun
    /// The session is interrupted; the receiver has been notified.
    case interrupted
    /// The session is not active, or the stream has gone.
    case refused
    /// The duration is shorter than one frame: the receiver wants nothing.
    case nothingWanted
    /// The receiver has already received its limit, and is about to end.
    case complete
}

/// The state of a capture at its end.
package struct CaptureEnd: Hashable, Sendable {
    /// Whether the stream still existed when it was closed.
    package var wasOpen: Bool
    /// Whether frames were expected and none came.
    package var deliveredNothing: Bool

    /// The state of a capture that has ended.
    package init(wasOpen: Bool, deliveredNothing: Bool) {
        self.wasOpen = wasOpen
        self.deliveredNothing = deliveredNothing
    }
}

/// A receiver of captured frames.
///
/// Members are called with the host's lock held, most of them on the host's thread, and must return at once.
package protocol CaptureReceiver: AnyObject, Sendable {
    /// Receives interleaved frames; with nil, `count` bytes of silence for frames that were lost.
    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int)

    /// Prepares the receiver for a start, and returns whether it wants frames.
    ///
    /// - Parameters:
    ///   - duration: The number of seconds wanted in all; nil for no limit.
    ///   - coming: The number of frames that were heard already and are on their way.
    func prepare(forDuration duration: Double?, plus coming: Int) -> CaptureReadiness

    /// Seconds received so far, with the given number of frames on their way.
    func seconds(plus coming: Int, isRunning: Bool) -> Double

    /// The session paused the capture; `wasRunning` is true if the capture ran and the app had not asked for the pause.
    func interrupted(wasRunning: Bool)

    /// The last frames before a pause have been received.
    func rested()

    /// Whether fragments should be short because the receiver's limit is near.
    var isUrgent: Bool { get }

    /// The input failed, changed or returned.
    func inputChanged(_ news: CaptureNews)

    /// The stream ended without a request: it was killed, or its server or source went away.
    func ended()
}

/// A receiver's answer to a start.
package enum CaptureReadiness: Hashable, Sendable {
    /// The receiver wants frames.
    case ready
    /// The receiver wants nothing, because the duration is shorter than one frame.
    case nothingWanted
    /// The receiver wants nothing, because it has received its limit.
    case complete
}

/// A change of a capture's input.
package enum CaptureNews: Hashable, Sendable {
    /// No frames have come for 2 s.
    case lost
    /// Only zeros have come for 2 s.
    case flat
    /// Frames, or sound, come again; `silence` seconds of silence stand for the lost frames.
    case restored(silence: Double)
    /// The server moved the stream to another source, with this name.
    case moved(source: String)
}
