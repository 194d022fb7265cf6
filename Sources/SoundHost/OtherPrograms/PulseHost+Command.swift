internal import PulseClient

extension PulseHost {
    /// Silences the streams that name this session as their owner, or lets them be heard, whatever the session's state.
    ///
    /// The elected process carries it out, as it lowers other programs. Returns at once.
    package func silenceCommand(_ isSilent: Bool) { mainloop.withLock { surroundings?.silenceCommand(isSilent) } }

    /// Lets the streams that name this session as their owner be heard, and waits until this process has nothing left
    /// to do for that, or for the timeout.
    package func releaseCommand(within timeout: Duration) {
        mainloop.withLock {
            guard let surroundings else { return }
            surroundings.silenceCommand(false)
            _ = mainloop.wait(timeout: timeout) { surroundings.isCommandReleased }
        }
    }
}
