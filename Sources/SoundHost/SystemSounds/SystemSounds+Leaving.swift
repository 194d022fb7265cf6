internal import PulseClient

/// Nothing of a process that ends in good order stays on the server.
extension SystemSounds {
    /// Has the process tidy up before it exits.
    func stayTidy() {
        guard leaver == nil else { return }
        let leaver = Leaver(self)
        self.leaver = leaver
        ProcessExitDelay.before(exit: { leaver.sounds?.leave() })
    }

    // SAFETY: the reference is set once, and reading a weak one is safe on any thread.
    final class Leaver: @unchecked Sendable {
        private(set) weak var sounds: SystemSounds?
        init(_ sounds: SystemSounds) { self.sounds = sounds }
    }

    /// Ends what may not go on, removes every sample, and waits for the server to have done so, for a short time.
    private func leave() {
        guard !mainloop.isOnLoop else { return }
        mainloop.withLock {
            if current?.outlivesProcess == true { wait { self.hasBegun } } else { stop() }
            // Nothing can be ended before the server has said what it is.
            wait { self.current == nil || self.hasBegun }
            if current?.outlivesProcess == false { stop() }
            // PipeWire 0.3.65 crashes when a client goes whose sound was killed and has not ended: in 2 of 3 servers.
            wait { self.ending.isEmpty || self.connection() == nil }
            // What was sent becomes a sample, though nobody is there any more to remove it.
            isLeaving = true
            wait(for: .seconds(1)) { self.uploads == 0 || self.connection() == nil }
            for entry in entries.values where entry.state == .ready { removeSample(of: entry) }
            entries = [:]
            wait { self.removals == 0 || self.connection() == nil }
        }
    }

    private func wait(for time: Duration = .milliseconds(300), until condition: () -> Bool) {
        _ = mainloop.wait(timeout: time, until: condition)
    }
}
