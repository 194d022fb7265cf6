internal import DesktopBus
internal import PulseClient
internal import SessionPolicy

/// Watches everything that may ask for quiet: the screen's lock, a telephone's profile, the user's switch.
final class QuietWatch: Sendable {
    /// Something that changed; applied with the host's lock held.
    typealias Change = @Sendable (inout QuietFacts) -> Void

    private let silentSwitch: SilentSwitchWatch

    /// Begins to watch; changes come on other threads.
    init(session: SessionBus?, machine: SessionBus?, changed: @escaping @Sendable (@escaping Change) -> Void) {
        @Sendable func locked(_ witness: LockWitness, _ isLocked: Bool) {
            changed { facts in
                if isLocked { facts.lockedBy.insert("\(witness)") } else { facts.lockedBy.remove("\(witness)") }
            }
        }
        session?.watchScreenSavers { locked($0, $1) }
        session?.watchFeedbackProfile { profile in changed { $0.profile = profile } }
        machine?.watchLockedHint { locked(.login, $0) }
        silentSwitch = SilentSwitchWatch(.current) { isOn in changed { $0.isSwitchOn = isOn } }
    }
}

// Sessions that keep quiet with the silent switch and the locked screen are mixed at a gain of 0 while one of them is
// on: players go on, and are heard again where they are by then.
extension PulseHost {
    /// How long it takes to fall silent and to come back, without a click, in seconds.
    private static let fade = 0.05

    /// Watches from now on, if the session is one that keeps quiet; with the lock held.
    ///
    /// What the buses have to say comes a moment later: a session's start waits for nobody.
    func watchQuiet() {
        guard meetsDesktop, quietWatch == nil, board.claim.state == .active, board.claim.settings.silencedByLock
        else { return }
        quiet.isSwitchOn = SilentSwitch.current.isOn
        watchSleep()
        quietWatch = QuietWatch(session: DesktopSession.bus, machine: machineBus) { [weak self] change in
            guard let self else { return }
            self.mainloop.withLock {
                change(&self.quiet)
                self.applyQuiet()
            }
        }
    }

    /// Silences the output, or lets it be heard again, as the session and the desktop want it; with the lock held.
    func applyQuiet() {
        let isQuieted = quiet.silences(board.claim.settings)
        guard isQuieted != self.isQuieted else { return }
        self.isQuieted = isQuieted
        for output in allOutputs { output.setGain(outputGain, seconds: Self.fade) }
    }
}
