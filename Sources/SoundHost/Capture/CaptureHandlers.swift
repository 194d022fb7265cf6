package import AudioHost

extension Capture {
    /// What a capture tells its recorder, on the main loop's thread with the lock held.
    package struct Handlers: Sendable {
        /// Interleaved frames, and how many bytes; nil data for frames that never came.
        var data: @Sendable (UnsafeRawBufferPointer?, Int) -> Void
        /// The session paused the capture; told whether it was running and the app did not ask for it.
        var interrupted: @Sendable (Bool) -> Void
        /// The last frames from before the session's pause have come.
        var rested: @Sendable () -> Void
        /// Whether it is to be known soon what was captured, because little more is wanted.
        var isUrgent: @Sendable () -> Bool
        /// Something became of the input.
        var news: @Sendable (CaptureNews) -> Void
        /// The stream ended without our doing: killed, or its server or source went away.
        var ended: @Sendable () -> Void

        /// Handlers of a capture.
        package init(
            data: @escaping @Sendable (UnsafeRawBufferPointer?, Int) -> Void,
            interrupted: @escaping @Sendable (_ wasRunning: Bool) -> Void,
            rested: @escaping @Sendable () -> Void = {}, isUrgent: @escaping @Sendable () -> Bool = { false },
            news: @escaping @Sendable (CaptureNews) -> Void = { _ in }, ended: @escaping @Sendable () -> Void
        ) {
            self.data = data
            self.interrupted = interrupted
            self.rested = rested
            self.isUrgent = isUrgent
            self.news = news
            self.ended = ended
        }
    }
}
