internal import PulseClient

extension PulseHost {
    /// Waits, for at most so many seconds, until the positions of an output's paused voices are exact.
    ///
    /// A server that is busy gets its time from everybody, one that hangs from the first only: who would wait no longer
    /// than somebody has waited in vain already does not, until the server answers again.
    package func awaitSettled(_ mix: OutputMix, seconds: Double) {
        guard !mainloop.isOnLoop, withLock({ !mix.isSettled && mix.waitedInVain < seconds }) else { return }
        let isSettled = wait(seconds: seconds) { mix.isSettled }
        withLock { mix.waitedInVain = isSettled ? 0 : max(mix.waitedInVain, seconds) }
    }
}
