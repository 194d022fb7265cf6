internal import PulseClient

/// The removal of this process's samples from the server at its exit.
extension SystemSounds {
    /// Registers the cleanup to run before the exit.
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

    /// Stops sounds that must not outlive the process, removes every sample, and waits for the server, for 2.2 s at
    /// most.
    private func leave() {
        guard !mainloop.isOnLoop else { return }
        mainloop.withLock {
            if current?.outlivesProcess == true { wait { self.hasBegun } } else { stop() }
            // A stream can only be stopped once the server has reported its index.
            wait { self.current == nil || self.hasBegun }
            if current?.outlivesProcess == false { stop() }
            // PipeWire 0.3.65 crashed in 2 of 3 runs when a client left before a stream it had killed was gone.
            wait { self.ending.isEmpty || self.connection() == nil }
            // A finished upload becomes a sample that no process would remove.
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
